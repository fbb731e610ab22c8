//===- RunInputs.h - What a call takes, where it runs -----------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_RUNINPUTS_H
#define TC_LIB_RUNNER_RUNINPUTS_H

#include "Benchmark.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"

namespace tc::runner {

/// The files of --parameters.
std::vector<ParameterFile> getParameterFiles(const RunOptions &options);

/// The folder of the file that is run.
std::string getDirectory(const RunOptions &options);

/// The inputs and parameters of a call of `function`, with the strides that the
/// code expects and where it runs; what is prepared from parameters is there.
/// Adds the time for parameters to `first`.
llvm::Expected<RunData> bindRun(const CompiledModule &compiled,
                                const std::string &function, Tensors inputs,
                                const RunOptions &options, FirstResult &first);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_RUNINPUTS_H
