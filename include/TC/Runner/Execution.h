//===- Execution.h - Calls of compiled functions ----------------*- C++ -*-===//

#ifndef TC_RUNNER_EXECUTION_H
#define TC_RUNNER_EXECUTION_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/Call.h"
#include "TC/Runtime/Parameters.h"
#include "TC/Runtime/Tensor.h"
#include <string>
#include <vector>

namespace tc::runner {

using Tensors = std::vector<runtime::Tensor>;

/// A failed status of the runtime as an error of LLVM's kind.
llvm::Error toError(const runtime::Status &status);

template <typename T> llvm::Expected<T> toExpected(runtime::Expected<T> value) {
  if (!value.ok())
    return toError(value.error());
  return *std::move(value);
}

/// Inputs and parameters of a run, and the file of the module.
struct RunData {
  Tensors inputs;
  std::unique_ptr<runtime::Parameters> parameters;
  tc_device_kind device = TC_DEVICE_CPU; ///< where these are, and where to run
  std::string target;                    ///< of the code
  /// Those of the function that is called; null in mode default.
  std::unique_ptr<runtime::CUDAGraphs> graphs;
  int64_t operations = 0; ///< arithmetic of a call; 0 where it is not known
};

/// A finished run: the user's outputs, and what it changed, by name.
struct RunResult {
  std::string function;
  Tensors outputs;
  std::vector<std::pair<std::string, runtime::Tensor>> mutations;
};

/// Calls a compiled function once. The result is in host memory.
llvm::Expected<RunResult> callCompiled(const CompiledModule &compiled,
                                       const std::string &function,
                                       const RunData &data);

} // namespace tc::runner

#endif // TC_RUNNER_EXECUTION_H
