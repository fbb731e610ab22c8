//===- ReferenceDevice.h - Calls of the reference interpreter ---*- C++ -*-===//

#ifndef TC_RUNNER_REFERENCEDEVICE_H
#define TC_RUNNER_REFERENCEDEVICE_H

#include "TC/Compiler/Parameters.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Runner/Execution.h"
#include "mlir/IR/BuiltinOps.h"

namespace tc::runner {

/// Runs a function in the reference interpreter; the module must be before
/// the generate phase. In double precision, floats come out as f64.
llvm::Expected<RunResult>
callReference(mlir::ModuleOp module, const std::string &function,
              const Tensors &inputs, const std::string &directory,
              const std::vector<ParameterFile> &parameterFiles,
              reference::Precision precision = reference::Precision::Native);

/// Which version of a function its dispatch runs for these inputs, and which
/// guard each version before it missed; empty for a function without a
/// dispatch. The module must be before the emit phase.
llvm::Expected<std::string> describeChoice(mlir::ModuleOp module,
                                           const std::string &function,
                                           const Tensors &inputs);

} // namespace tc::runner

#endif // TC_RUNNER_REFERENCEDEVICE_H
