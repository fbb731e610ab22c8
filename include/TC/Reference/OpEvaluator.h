//===- OpEvaluator.h - One op at a time -------------------------*- C++ -*-===//
//
// Runs the ops of a function one by one on values that the caller gives, for
// callers that ask for an op's results on operands other than its own: an
// error analysis, for example.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_OPEVALUATOR_H
#define TC_REFERENCE_OPEVALUATOR_H

#include "TC/Reference/Interpreter.h"

namespace tc::reference {

class Evaluation;

class OpEvaluator {
public:
  /// Binds the symbols of `function` to the values that `arguments` imply.
  /// Emits an error where they do not fit.
  static mlir::FailureOr<OpEvaluator> create(mlir::func::FuncOp function,
                                             llvm::ArrayRef<Tensor> arguments,
                                             const Options &options = {});
  OpEvaluator(OpEvaluator &&);
  ~OpEvaluator();

  /// Runs `op`, which has no regions, on one tensor for each operand, of that
  /// operand's element type and sizes; a value that is several operands may
  /// have another tensor as each of them. Emits an error where it cannot be
  /// run.
  mlir::FailureOr<llvm::SmallVector<Tensor>>
  run(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);

private:
  explicit OpEvaluator(const Options &options);
  std::unique_ptr<Options> options;
  std::unique_ptr<Evaluation> evaluation;
};

} // namespace tc::reference

#endif // TC_REFERENCE_OPEVALUATOR_H
