//===- ControlFlow.h - Calls, branches and loops ----------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_CONTROLFLOW_H
#define TC_LIB_REFERENCE_CONTROLFLOW_H

#include "Evaluation.h"

namespace tc::reference {

/// Runs a block up to its terminator and returns the terminator's operands.
mlir::FailureOr<Tensors> evaluateBlock(Evaluation &evaluation,
                                       mlir::Block &block);

/// evaluateFunction of Interpreter.h inside `depth` calls. Emits an error at
/// `caller` when those are too many.
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluateCall(mlir::Operation *caller, mlir::func::FuncOp function,
             llvm::MutableArrayRef<Tensor> arguments, const Options &options,
             unsigned depth);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, ParameterOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IfOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, WhileOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, mlir::func::CallOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_CONTROLFLOW_H
