//===- Folds.cpp - Folds of tc ops ----------------------------------------===//
//
// What an op is when its operands say so: itself with fewer steps, one of its
// operands, or a constant. None creates an op; rewrites that do are in
// Canonicalization.cpp.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult SizeValueOp::fold(FoldAdaptor) {
  std::optional<int64_t> value = getSize().getConstant();
  if (!value)
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), *value);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Number of integers a float type holds without a gap, as a power of two.
static unsigned getPrecision(FloatType type) {
  return APFloat::semanticsPrecision(type.getFloatSemantics());
}

/// Whether every value of `from` is a value of `to`.
static bool isExactCast(Type from, Type to) {
  if (from == to)
    return true;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                      toFloat.getFloatSemantics());
  auto fromInteger = dyn_cast<IntegerType>(from);
  if (!fromInteger)
    return false;
  bool isSigned = fromInteger.isSignless() && fromInteger.getWidth() > 1;
  unsigned magnitude = fromInteger.getWidth() - (isSigned ? 1 : 0);
  if (toFloat)
    return getPrecision(toFloat) >= magnitude;
  auto toInteger = dyn_cast<IntegerType>(to);
  if (!toInteger || toInteger.getWidth() == 1)
    return false;
  if (toInteger.isUnsigned())
    return !isSigned && toInteger.getWidth() >= magnitude;
  return toInteger.getWidth() > magnitude;
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  // A cast of an exact cast is a cast of the original.
  auto producer = getX().getDefiningOp<CastOp>();
  if (!producer || !isExactCast(getElementTypeOrSelf(producer.getX()),
                                getElementTypeOrSelf(getX())))
    return {};
  if (producer.getX().getType() == getResult().getType())
    return producer.getX();
  getXMutable().assign(producer.getX());
  return getResult();
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (getX() == getY())
    return getX();
  if (std::optional<int64_t> condition = getSplatInteger(getCondition()))
    return *condition ? getX() : getY();
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (getDims().empty())
    return getX();
  return {};
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  auto producer = getX().getDefiningOp<BroadcastOp>();
  if (!producer)
    return {};
  SmallVector<int64_t> dims;
  for (int64_t dim : producer.getDims())
    dims.push_back(getDims()[dim]);
  setDims(dims);
  getXMutable().assign(producer.getX());
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return getX();
  auto producer = getX().getDefiningOp<TransposeOp>();
  if (!producer)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation)
    composed.push_back(producer.getPermutation()[dim]);
  setPermutation(composed);
  getXMutable().assign(producer.getX());
  return getResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    if (auto type = cast<RankedTensorType>(getResult().getType());
        type.hasStaticShape())
      return dense.reshape(type);
  auto producer = getX().getDefiningOp<ReshapeOp>();
  if (!producer)
    return {};
  getXMutable().assign(producer.getX());
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool starts = llvm::all_of(getOffsets().getSizes(), [](SizeExpr offset) {
    return offset.isConstant(0);
  });
  bool dense =
      llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  if (getX().getType() == getResult().getType() && starts && dense)
    return getX();
  auto producer = getX().getDefiningOp<SliceOp>();
  if (!producer)
    return {};
  // Element i is the producer's element offset + i * stride.
  SmallVector<SizeExpr> offsets;
  SmallVector<int64_t> strides;
  for (auto [offset, stride, firstOffset, firstStride] : llvm::zip_equal(
           getOffsets().getSizes(), getStrides(),
           producer.getOffsets().getSizes(), producer.getStrides())) {
    offsets.push_back(firstOffset.add(offset.mul(firstStride)));
    strides.push_back(firstStride * stride);
  }
  setOffsetsAttr(SizesAttr::get(getContext(), offsets));
  setStrides(strides);
  getXMutable().assign(producer.getX());
  return getResult();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  auto isZero = [](int64_t count) { return count == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero))
    return getX();
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front())
                                 : OpFoldResult();
}
