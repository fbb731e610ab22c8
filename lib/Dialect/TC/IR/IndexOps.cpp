//===- IndexOps.cpp - Indexing, gather and scatter ------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"

using namespace mlir;
using namespace tc;

/// Checks that the index has the rank of x and that `dim` is a dimension.
template <typename OpTy>
static LogicalResult checkIndexRank(std::optional<Location> location,
                                    RankedTensorType x, RankedTensorType index,
                                    int64_t dim) {
  if (index.getRank() != x.getRank())
    return inferenceError<OpTy>(
        location, "expects 'index' of the rank of 'x', ", x.getRank(),
        ", but its rank is ", index.getRank());
  return checkDim<OpTy>(location, dim, x.getRank());
}

/// Along every dimension but `dim` the index has no more entries than x has
/// elements, unless it has none at all.
template <typename OpTy>
static SmallVector<SizePrecondition> getIndexPreconditions(OpTy op) {
  SmallVector<SizePrecondition> conditions;
  Sizes have = getSizes(cast<RankedTensorType>(op.getX().getType())),
        want = getSizes(cast<RankedTensorType>(op.getIndex().getType()));
  SizeExpr count = getElementCount(want, op.getContext());
  for (auto [axis, size] : llvm::enumerate(want))
    if (axis != op.getDim())
      conditions.push_back(SizePrecondition::atMost(
          "size " + Twine(axis) + " of 'index'", size,
          "size " + Twine(axis) + " of 'x'", have[axis], count));
  return conditions;
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<GatherOp>(location, operands, 0, "x");
  auto index = getTensorOperand<GatherOp>(location, operands, 1, "index");
  if (failed(x) || failed(index) ||
      failed(checkIndexRank<GatherOp>(location, *x, *index, adaptor.getDim())))
    return failure();
  results.push_back(withElementType(*index, x->getElementType()));
  return success();
}

LogicalResult GatherOp::verify() { return verifyInference(*this); }

SmallVector<SizePrecondition> GatherOp::getSizePreconditions() {
  return getIndexPreconditions(*this);
}

//===----------------------------------------------------------------------===//
// NonzeroOp
//===----------------------------------------------------------------------===//

LogicalResult NonzeroOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  if (result.getRank() == 2 && result.getDimSize(1) == x.getRank())
    return success();
  return emitOpError("has a result of type ")
         << result << "; expected one row an element that is true, of "
         << x.getRank() << " indices";
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

/// The sizes that indexing x along `dims` with `indices` gives.
template <typename OpTy>
static FailureOr<Sizes> inferIndexed(std::optional<Location> location,
                                     RankedTensorType x, ValueRange indices,
                                     ArrayRef<int64_t> dims) {
  if (dims.empty() || indices.size() != dims.size())
    return inferenceError<OpTy>(
        location,
        "expects one index tensor an entry of 'dims', at least one, "
        "but there are ",
        indices.size(), " for ", dims.size());
  if (failed(checkIncreasingDims<OpTy>(location, dims, x.getRank())))
    return failure();
  Sizes indexSizes;
  for (unsigned position = 0; position < indices.size(); ++position) {
    auto type = getTensorOperand<OpTy>(location, indices, position, "indices");
    if (failed(type))
      return failure();
    if (position == 0)
      indexSizes = getSizes(*type);
    else if (getSizes(*type) != indexSizes)
      return inferenceError<OpTy>(
          location,
          "expects index tensors of one shape, but index 0 has sizes ",
          formatSizes(indexSizes), " and index ", position, " ",
          formatSizes(getSizes(*type)));
  }
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(getSizes(x))) {
    if (static_cast<int64_t>(dim) == dims.front())
      sizes.append(indexSizes);
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      sizes.push_back(size);
  }
  return sizes;
}

LogicalResult IndexOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<IndexOp>(location, operands, 0, "x");
  if (failed(x))
    return failure();
  auto sizes = inferIndexed<IndexOp>(location, *x, operands.drop_front(),
                                     adaptor.getDims());
  if (failed(sizes))
    return failure();
  results.push_back(tc::getTensorType(*sizes, x->getElementType()));
  return success();
}

LogicalResult IndexOp::verify() { return verifyInference(*this); }

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<ScatterOp>(location, operands, 0, "x");
  auto index = getTensorOperand<ScatterOp>(location, operands, 1, "index");
  auto updates = getTensorOperand<ScatterOp>(location, operands, 2, "updates");
  if (failed(x) || failed(index) || failed(updates) ||
      failed(checkIndexRank<ScatterOp>(location, *x, *index, adaptor.getDim())))
    return failure();
  if (*updates != withElementType(*index, x->getElementType()))
    return inferenceError<ScatterOp>(
        location, "expects 'updates' of type ",
        withElementType(*index, x->getElementType()),
        ", the sizes of 'index' and the element type of 'x', but it is ",
        *updates);
  results.push_back(*x);
  return success();
}

/// i1 has no sum or product; float8 and complex elements are moved alone.
template <typename OpTy> static LogicalResult verifyCombine(OpTy op) {
  CombineKind kind = op.getCombine();
  Type element = op.getX().getType().getElementType();
  bool arithmetic = kind == CombineKind::Sum || kind == CombineKind::Prod;
  bool movesOnly = isa<Float8E4M3FNType, Float8E5M2Type, ComplexType>(element);
  if ((arithmetic && element.isInteger(1)) ||
      (kind != CombineKind::Replace && movesOnly))
    return op.emitOpError("expects numbers for '")
           << stringifyCombineKind(kind) << "', but the element type is "
           << element;
  return success();
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  return verifyCombine(*this);
}

SmallVector<SizePrecondition> ScatterOp::getSizePreconditions() {
  return getIndexPreconditions(*this);
}

//===----------------------------------------------------------------------===//
// IndexPutOp
//===----------------------------------------------------------------------===//

LogicalResult IndexPutOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<IndexPutOp>(location, operands, 0, "x");
  if (failed(x))
    return failure();
  unsigned last = operands.size() - 1;
  if (last == 0)
    return inferenceError<IndexPutOp>(location, "expects operand 'values'");
  auto values =
      getTensorOperand<IndexPutOp>(location, operands, last, "values");
  if (failed(values))
    return failure();
  auto sizes = inferIndexed<IndexPutOp>(
      location, *x, operands.drop_front().drop_back(), adaptor.getDims());
  if (failed(sizes))
    return failure();
  RankedTensorType expected = tc::getTensorType(*sizes, x->getElementType());
  if (*values != expected)
    return inferenceError<IndexPutOp>(location, "expects 'values' of type ",
                                      expected, ", but it is ", *values);
  results.push_back(*x);
  return success();
}

LogicalResult IndexPutOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  return verifyCombine(*this);
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/IndexOps.cpp.inc"
