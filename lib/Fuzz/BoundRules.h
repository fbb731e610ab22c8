//===- BoundRules.h - What the rules of error bounds share ------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_BOUNDRULES_H
#define TC_LIB_FUZZ_BOUNDRULES_H

#include "TC/Fuzz/ErrorBounds.h"

namespace tc::fuzz {

/// An op that is analysed: its operands with their bounds and its results.
struct AnalysedOp {
  mlir::Operation *op;
  llvm::ArrayRef<Bounded> operands;
  llvm::ArrayRef<reference::Tensor> results;
  reference::OpEvaluator &evaluator;

  /// The results for other operands; none where the interpreter fails.
  llvm::SmallVector<reference::Tensor>
  run(llvm::ArrayRef<reference::Tensor> values) const;
  /// The results with every operand replaced by `replace` of it.
  llvm::SmallVector<reference::Tensor>
  runOn(llvm::function_ref<reference::Tensor(const Bounded &)> replace) const;
  mlir::Type elementType() const { return results[0].getElementType(); }
};

/// Bounds of each result, in order.
using ErrorVectors = llvm::SmallVector<std::vector<double>, 2>;

bool isFloatTensor(const reference::Tensor &tensor);
/// Half the gap from 1 to the next number of a float type; 0 for other types.
double getUnit(mlir::Type type);
/// The unit of the type that arithmetic on `type` is done in.
double getComputeUnit(mlir::Type type);
/// The largest change that rounding `value` to `type` may make.
double getRounding(double value, mlir::Type type);
/// Largest finite number of a float type.
double getLargest(mlir::Type type);
/// 0 for equal numbers, two NaN included; infinity where only one is finite.
double getDistance(double left, double right);
/// Raises `errors` to the absolute differences of two tensors of any type.
void raiseToDistances(std::vector<double> &errors,
                      const reference::Tensor &left,
                      const reference::Tensor &right);

/// A tensor with `make` of each element and its bound; integers as they are.
reference::Tensor mapElements(const Bounded &operand,
                              llvm::function_ref<double(double, double)> make);
/// The operand plus `times` its bound; elements that may be anything as they
/// are.
reference::Tensor shift(const Bounded &operand, double times);
/// Finite magnitudes of a float tensor: infinities and NaN are 0.
reference::Tensor getMagnitudes(const Bounded &operand);
/// The bounds as a float tensor.
reference::Tensor getErrors(const Bounded &operand);

/// A line of elements along one dimension.
struct Line {
  int64_t begin, step, length;
  int64_t at(int64_t i) const { return begin + i * step; }
};
llvm::SmallVector<Line> getLines(llvm::ArrayRef<int64_t> sizes, int64_t dim);

/// Marks results that depend on elements that may be anything: those are made
/// NaN, and an integer operand with such elements makes all results unknown.
void raiseWhereUnknown(ErrorVectors &errors, const AnalysedOp &op);
/// Marks results that an infinity times a denormal number decides:
/// instructions on bf16 pairs take that number as 0, and the product is NaN.
void raiseWhereFlushed(ErrorVectors &errors, const AnalysedOp &op);
/// Bounds of 0 for all results.
ErrorVectors makeZeros(const AnalysedOp &op);
/// How far the first result is at both ends of all operands' bounds together,
/// which are the ends of the result's where it is one of their elements; 0 for
/// the other results.
ErrorVectors boundByEnds(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_BOUNDRULES_H
