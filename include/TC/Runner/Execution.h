//===- Execution.h - Reading modules and calling functions ------*- C++ -*-===//
//
// The steps of a run that tc-run and the C API share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_EXECUTION_H
#define TC_RUNNER_EXECUTION_H

#include "TC/Compiler/Compiler.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Runtime/Call.h"
#include "TC/Runtime/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <string>
#include <vector>

namespace tc::runner {

/// Reads a file of MLIR text or bytecode, or a .pt2 archive, by its name's end;
/// "-" is standard input. What is wrong with the content are diagnostics, which
/// refer to `sources`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModuleFile(const std::string &path, llvm::SourceMgr &sources,
               mlir::MLIRContext &context);

using Tensors = std::vector<runtime::Tensor>;

/// A failed status of the runtime as an error of LLVM's kind.
llvm::Error toError(const runtime::Status &status);

template <typename T> llvm::Expected<T> toExpected(runtime::Expected<T> value) {
  if (!value.ok())
    return toError(value.error());
  return *std::move(value);
}

/// A function that can be run, at whatever phase its module is.
struct Entry {
  std::string name;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<mlir::ShapedType> inputTypes;
  std::vector<std::string> inputNames;
  llvm::SmallVector<tc::SymbolAttr> symbols;

  /// "main(x: 4x8xf32)"
  std::string signature() const;
};

/// Finds the function to run: `name`, or the only public one, or main.
llvm::Expected<Entry> findEntry(mlir::ModuleOp module, const std::string &name);

/// Inputs and parameters of a run, and the file of the module.
struct RunData {
  Tensors inputs;
  std::unique_ptr<runtime::Parameters> parameters;
  tc_device_kind device = TC_DEVICE_CPU; ///< where these are, and where to run
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

#endif // TC_RUNNER_EXECUTION_H
