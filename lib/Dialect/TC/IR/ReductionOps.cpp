//===- ReductionOps.cpp - Reductions over dimensions ----------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"
#include <cmath>

using namespace mlir;
using namespace tc;

/// The type of `x` without the dimensions `dims`.
static RankedTensorType dropDims(RankedTensorType x, ArrayRef<int64_t> dims,
                                 Type elementType) {
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(getSizes(x)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  return tc::getTensorType(kept, elementType);
}

/// A fold without an identity has elements in each of `dims`.
static SmallVector<SizePrecondition>
getElementPreconditions(RankedTensorType x, ArrayRef<int64_t> dims,
                        ReductionKind kind) {
  SmallVector<SizePrecondition> conditions;
  Sizes sizes = getSizes(x);
  for (int64_t dim : dims)
    conditions.push_back(
        SizePrecondition::atLeast("size " + Twine(dim) + " of 'x', which '" +
                                      stringifyReductionKind(kind) + "' folds,",
                                  sizes[dim], 1));
  return conditions;
}

/// The types that a fold of `x` over `dims` has, which it checks.
template <typename OpTy>
static LogicalResult inferFolded(std::optional<Location> location,
                                 ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Type> &results) {
  auto x = getTensorOperand<OpTy>(location, operands, 0, "x");
  if (failed(x) ||
      failed(checkIncreasingDims<OpTy>(location, dims, x->getRank())))
    return failure();
  results.push_back(dropDims(*x, dims, x->getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferFolded<ReduceOp>(location, operands, adaptor.getDims(), results);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  Type elementType = getX().getType().getElementType();
  switch (getKind()) {
  case ReductionKind::Sum:
  case ReductionKind::Prod:
    if (elementType.isInteger(1))
      return emitOpError("expects numbers for '")
             << stringifyReductionKind(getKind())
             << "', but the element type is " << elementType
             << "; use 'any', 'all' or a tc.cast before";
    return success();
  case ReductionKind::Max:
  case ReductionKind::Min:
    return success();
  case ReductionKind::All:
  case ReductionKind::Any:
    if (!elementType.isInteger(1))
      return emitOpError("expects element type 'i1' for '")
             << stringifyReductionKind(getKind()) << "', but it is "
             << elementType;
    return success();
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
  case ReductionKind::Welford:
    break;
  }
  return emitOpError("expects 'kind' to be one of sum, prod, max, min, all, "
                     "any, but it is ")
         << stringifyReductionKind(getKind());
}

SmallVector<SizePrecondition> ReduceOp::getSizePreconditions() {
  bool hasIdentity =
      getKind() != ReductionKind::Max && getKind() != ReductionKind::Min;
  if (hasIdentity || getAllowEmpty())
    return {};
  return getElementPreconditions(getX().getType(), getDims(), getKind());
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<ArgReduceOp>(location, operands, 0, "x");
  if (failed(x) ||
      failed(checkDim<ArgReduceOp>(location, adaptor.getDim(), x->getRank())))
    return failure();
  results.push_back(dropDims(*x, static_cast<int64_t>(adaptor.getDim()),
                             IntegerType::get(context, 64)));
  return success();
}

LogicalResult ArgReduceOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  if (getKind() != ReductionKind::ArgMax && getKind() != ReductionKind::ArgMin)
    return emitOpError("expects 'kind' to be argmax or argmin, but it is ")
           << stringifyReductionKind(getKind());
  return success();
}

SmallVector<SizePrecondition> ArgReduceOp::getSizePreconditions() {
  return getElementPreconditions(getX().getType(),
                                 {static_cast<int64_t>(getDim())}, getKind());
}

//===----------------------------------------------------------------------===//
// VarianceOp
//===----------------------------------------------------------------------===//

LogicalResult VarianceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferFolded<VarianceOp>(location, operands, adaptor.getDims(),
                                 results);
}

LogicalResult VarianceOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  double correction = getCorrection().convertToDouble();
  if (!std::isfinite(correction))
    return emitOpError("expects a finite 'correction', but it is ")
           << correction;
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ReductionOps.cpp.inc"
