//===- Inputs.h - The inputs of a run ---------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_INPUTS_H
#define TC_LIB_RUNNER_INPUTS_H

#include "TC/Runner/Entry.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"

namespace tc::runner {

/// The inputs that the options ask for. Their number and element types are
/// checked here, their sizes by the function.
llvm::Expected<Tensors> makeInputs(const Entry &entry,
                                   const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_INPUTS_H
