//===- TensorBuilder.cpp - Building tc ops on tensors ---------------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tc;

Type TensorBuilder::getComputeType(Type elementType) {
  bool isNarrow =
      isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(elementType.getContext()) : elementType;
}

Value TensorBuilder::select(Value condition, Value x, Value y) {
  return SelectOp::create(builder, loc, x.getType(), condition, x, y);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value TensorBuilder::full(double value, RankedTensorType type) {
  Type elementType = type.getElementType();
  TypedAttr attribute;
  if (auto integer = dyn_cast<IntegerType>(elementType)) {
    // IntegerAttr keeps the bits, whatever the sign of the type.
    APInt bits(64, static_cast<uint64_t>(static_cast<int64_t>(value)), true);
    attribute = IntegerAttr::get(integer, bits.trunc(integer.getWidth()));
  } else {
    attribute = FloatAttr::get(elementType, value);
  }
  return FullOp::create(builder, loc, type, attribute);
}

Value TensorBuilder::fullLike(double value, Value like) {
  return full(value, typeOf(like));
}

Value TensorBuilder::fullOfSize(SizeExpr size, RankedTensorType type) {
  if (std::optional<int64_t> constant = size.getConstant())
    return full(static_cast<double>(*constant), type);
  auto index = RankedTensorType::get({}, builder.getI64Type());
  Value value = SizeValueOp::create(builder, loc, index, size);
  return broadcast(cast(value, type.getElementType()), getSizes(type), {});
}

Value TensorBuilder::iota(RankedTensorType type, int64_t dim) {
  return IotaOp::create(builder, loc, type, dim, /*start=*/0, /*step=*/1);
}

//===----------------------------------------------------------------------===//
// Casts and views
//===----------------------------------------------------------------------===//

Value TensorBuilder::cast(Value x, Type elementType) {
  RankedTensorType type = withElementType(typeOf(x), elementType);
  return type == x.getType() ? x : CastOp::create(builder, loc, type, x);
}

Value TensorBuilder::broadcast(Value x, ArrayRef<SizeExpr> sizes,
                               ArrayRef<int64_t> dims) {
  RankedTensorType type = getTensorType(sizes, typeOf(x).getElementType());
  return type == x.getType() ? x
                             : BroadcastOp::create(builder, loc, type, x, dims);
}

Value TensorBuilder::alongDim(Value x, ArrayRef<SizeExpr> sizes, int64_t dim) {
  return broadcast(x, sizes, dim);
}

Value TensorBuilder::restoreDims(Value x, ArrayRef<SizeExpr> sizes,
                                 ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim : llvm::seq<int64_t>(0, sizes.size()))
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  return broadcast(x, sizes, kept);
}

Value TensorBuilder::reshape(Value x, ArrayRef<SizeExpr> sizes) {
  RankedTensorType type = getTensorType(sizes, typeOf(x).getElementType());
  return type == x.getType() ? x : ReshapeOp::create(builder, loc, type, x);
}

Value TensorBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  return TransposeOp::create(builder, loc, x, permutation);
}

Value TensorBuilder::sliceDim(Value x, int64_t dim, SizeExpr offset,
                              SizeExpr size, int64_t stride) {
  Sizes sizes = sizesOf(x);
  if (offset.isConstant(0) && size == sizes[dim] && stride == 1)
    return x;
  SmallVector<SizeExpr> offsets(sizes.size(),
                                SizeExpr::constant(builder.getContext(), 0));
  SmallVector<int64_t> strides(sizes.size(), 1);
  sizes[dim] = size;
  offsets[dim] = offset;
  strides[dim] = stride;
  return SliceOp::create(
      builder, loc, getTensorType(sizes, typeOf(x).getElementType()), x,
      SizesAttr::get(builder.getContext(), offsets), strides);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value TensorBuilder::reduce(ReductionKind kind, Value x, ArrayRef<int64_t> dims,
                            bool allowEmpty) {
  return dims.empty()
             ? x
             : ReduceOp::create(builder, loc, kind, x, dims, allowEmpty);
}

Value TensorBuilder::mean(Value x, ArrayRef<int64_t> dims) {
  SizeExpr count = SizeExpr::constant(builder.getContext(), 1);
  Sizes sizes = sizesOf(x);
  for (int64_t dim : dims)
    count = count.mul(sizes[dim]);
  Value sum = reduce(ReductionKind::Sum, x, dims);
  return div(sum, fullOfSize(count, typeOf(sum)));
}
