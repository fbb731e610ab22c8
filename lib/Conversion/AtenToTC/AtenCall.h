//===- AtenCall.h - one captured call under conversion ----------*- C++ -*-===//
//
// The view that a conversion has of a tc.aten op: arguments by name, results,
// and the few builders that make PyTorch's implicit steps (promotion,
// broadcasting) explicit ops.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ATENCALL_H
#define TC_LIB_CONVERSION_ATENTOTC_ATENCALL_H

#include "AtenArguments.h"
#include "Promotion.h"
#include "SizeEqualities.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/SizeRanges.h"

namespace tc::aten {

class AtenCall : public AtenArguments {
public:
  AtenCall(AtenOp op, const pt2::OperatorSchema &schema,
           const SizeRanges &ranges, SizeEqualities &equalities,
           int64_t &randomStreams, mlir::OpBuilder &builder)
      : AtenArguments(op, schema), builder(builder), ranges(ranges),
        equalities(equalities), randomStreams(randomStreams) {}

  //===--------------------------------------------------------------------===//
  // Arguments that are values
  //===--------------------------------------------------------------------===//

  /// The tensor; null for None.
  mlir::Value getTensor(llvm::StringRef name);
  /// A list of tensors, null where one is None.
  llvm::SmallVector<mlir::Value> getTensors(llvm::StringRef name);
  Operand getOperand(llvm::StringRef name);

  /// Whether the ranges of the symbols prove that the size is at least that
  /// large.
  bool isAtLeast(SizeExpr size, int64_t least) const {
    return ranges.of(size).min >= least;
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  unsigned getResultCount() { return op->getNumResults(); }
  mlir::RankedTensorType getResultType(unsigned index = 0);
  bool isResultUsed(unsigned index) {
    return !op->getResult(index).use_empty();
  }
  /// Replaces the call; each value is brought to the captured type by a cast
  /// and, where sizes are equal by a guard only, a reshape. A null value
  /// stands for a result that nothing uses.
  mlir::LogicalResult replace(llvm::ArrayRef<mlir::Value> values);
  mlir::LogicalResult replace(mlir::Value value) {
    return replace(llvm::ArrayRef<mlir::Value>(value));
  }

  //===--------------------------------------------------------------------===//
  // Builders
  //===--------------------------------------------------------------------===//

  /// The operand as a tensor of these sizes and this element type.
  mlir::Value materialize(Operand operand, mlir::Type element,
                          llvm::ArrayRef<SizeExpr> sizes);

  mlir::Value cast(mlir::Value x, mlir::Type element);
  /// bf16 and f16 as f32; anything else as it is.
  mlir::Value widen(mlir::Value x);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<SizeExpr> sizes);
  /// x with sizes that are equal to its own, one by one, whatever the
  /// expressions say.
  mlir::Value withSizes(mlir::Value x, llvm::ArrayRef<SizeExpr> sizes);
  /// x as a single dimension.
  mlir::Value flatten(mlir::Value x);
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<SizeExpr> sizes);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// A tensor of one number, of the type of `like`.
  mlir::Value fill(double number, mlir::Value like);
  mlir::Value fill(mlir::Attribute number, mlir::RankedTensorType type);
  /// A size as a tensor of one number, of the type of `like`.
  mlir::Value fillSize(SizeExpr size, mlir::Value like);
  /// The seed that the function's caller gives, a tensor<i64>, or 0.
  mlir::Value getSeed();
  /// Random elements, each call with a stream of its own.
  mlir::Value random(DistributionKind distribution,
                     llvm::ArrayRef<SizeExpr> sizes, mlir::Type element);
  /// The seed and the offset, 0-d of i64, of a stream of its own.
  std::pair<mlir::Value, mlir::Value> drawState();
  /// Makes `count`, a 0-d integer tensor, define `size`; facts known of the
  /// size before become a guard. Refused in a branch.
  void defineSize(SizeExpr size, mlir::Value count);
  /// Whether the size is a data-dependent symbol that nothing has defined yet.
  bool isUndefined(SizeExpr size);
  /// The number of true elements of `mask`, a 0-d i64 tensor.
  mlir::Value countTrue(mlir::Value mask);
  /// The positions of the true elements of `mask` in row-major order,
  /// [`count`]; defines `count`.
  mlir::Value positionsOf(mlir::Value mask, SizeExpr count);
  /// A data-dependent symbol of its own, of at least 0.
  SizeExpr makeSymbol();
  /// A data-dependent number of at least 0 as a symbol, of which more can be
  /// proved than of an expression; constants and symbols as they are.
  SizeExpr evaluate(SizeExpr number);
  /// Makes the call check that a data-dependent number is at least 0.
  void check(SizeExpr number, llvm::StringRef origin);
  /// Whether the module is compiled for a CPU.
  bool isForCPU() { return getTargetKind(op) == "cpu"; }
  /// The least and the largest value of a number.
  SizeRange rangeOf(SizeExpr number) const { return ranges.of(number); }
  /// Elements start, start + step, ... of one dimension.
  mlir::Value slice(mlir::Value x, int64_t dim, SizeExpr start, SizeExpr size,
                    int64_t step = 1);
  /// Folds dimensions away; the result keeps the element type. A sum of bools
  /// is whether any is true, a product whether all are.
  /// A maximum or minimum with `allowEmpty` may be over no elements.
  mlir::Value reduce(ReductionKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool allowEmpty = false);
  /// Joined along `dim`; sizes of the other dimensions follow the first.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t dim);
  /// The mean over dimensions, which vanish.
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// x with dimensions of 1 put back where a reduction took `dims` away, then
  /// broadcast to `sizes`.
  mlir::Value spreadBack(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                         llvm::ArrayRef<SizeExpr> sizes);
  /// The product by a spec such as "mk,kn->mn", in the common type; of bools,
  /// whether a product of the sum is true.
  mlir::Value contract(llvm::StringRef spec, mlir::Value lhs, mlir::Value rhs);
  /// The product of floats of 8 bits, of one type or two, in f32.
  mlir::Value contractFloat8(llvm::StringRef spec, mlir::Value lhs,
                             mlir::Value rhs, bool fast);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// 0, 1, 2, ... along `dim` of an i64 tensor of these sizes.
  mlir::Value iota(llvm::ArrayRef<SizeExpr> sizes, int64_t dim);
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(getContext(), value);
  }
  template <typename OpTy> mlir::Value unary(mlir::Value x) {
    return OpTy::create(builder, location, x);
  }
  template <typename OpTy> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return OpTy::create(builder, location, x, y);
  }
  /// x and a number.
  template <typename OpTy> mlir::Value binary(mlir::Value x, double y) {
    return OpTy::create(builder, location, x, fill(y, x));
  }

  mlir::OpBuilder &builder;

private:
  /// The product of operands as they are, of type `element`.
  mlir::Value contractAs(mlir::Type element, llvm::StringRef spec,
                         mlir::Value lhs, mlir::Value rhs, bool fast);
  /// Whether an argument is a Python number that only the call knows.
  bool isNumber(mlir::Attribute argument);
  /// An operand, with constants for sizes that the ranges of the symbols fix:
  /// a dimension of max(0, 1 - s) * -1 + 1 is repeated where s is at least 1.
  mlir::Value getInput(OperandAttr operand);

  const SizeRanges &ranges;
  SizeEqualities &equalities;
  int64_t &randomStreams; ///< how many the function has so far
};

/// The type and sizes of a tensor value.
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline mlir::Type elementOf(mlir::Value value) {
  return typeOf(value).getElementType();
}
inline Sizes sizesOf(mlir::Value value) { return getSizes(typeOf(value)); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }

/// The sizes that both broadcast to; where the sizes differ and neither is 1,
/// those of `a`.
Sizes broadcastSizes(llvm::ArrayRef<SizeExpr> a, llvm::ArrayRef<SizeExpr> b);

/// `sizes` without `dims`.
Sizes withoutDims(llvm::ArrayRef<SizeExpr> sizes, llvm::ArrayRef<int64_t> dims);

/// Gives the results of a new op the types that follow from its operands: the
/// captured sizes may be the same by a guard only, as with ceil_mode.
template <typename OpTy> llvm::LogicalResult inferResultTypes(OpTy op) {
  llvm::SmallVector<mlir::Type> types;
  if (failed(OpTy::inferReturnTypes(op.getContext(), op.getLoc(),
                                    op->getOperands(), op->getAttrDictionary(),
                                    op->getPropertiesStorage(), {}, types)))
    return llvm::failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return llvm::success();
}

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ATENCALL_H
