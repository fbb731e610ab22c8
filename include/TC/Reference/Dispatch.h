//===- Dispatch.h - Which version of a function runs ------------*- C++ -*-===//

#ifndef TC_REFERENCE_DISPATCH_H
#define TC_REFERENCE_DISPATCH_H

#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Reference/Interpreter.h"

namespace tc::reference {

/// The version of a function that its dispatch runs.
struct Choice {
  mlir::func::FuncOp version;
  /// For each version that was passed over, the guard that missed: "@main.s0_8:
  /// ... expected 8, but it is 9".
  llvm::SmallVector<std::string> misses;
};

/// Chooses the version of a dispatched function for these arguments, to be run
/// with evaluateFunction. Where a guard of all versions misses, that is emitted
/// as an error.
mlir::FailureOr<Choice> chooseVersion(DispatchOp dispatch,
                                      llvm::ArrayRef<Tensor> arguments);

} // namespace tc::reference

#endif // TC_REFERENCE_DISPATCH_H
