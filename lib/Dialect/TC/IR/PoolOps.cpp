//===- PoolOps.cpp - Pooling and resampling -------------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"

using namespace mlir;
using namespace tc;

namespace {
/// The windows of a pooling op along its spatial dimensions.
struct PoolWindow {
  ArrayRef<int64_t> kernel, stride, padding, dilation;
  bool ceilMode;
};
} // namespace

/// The number of windows along one dimension of size `in`. In ceil mode the
/// last window may hang over the end, but must start inside the input or its
/// left padding.
static SizeExpr getWindowCount(SizeExpr in, const PoolWindow &window,
                               int64_t axis) {
  int64_t padding = window.padding[axis], stride = window.stride[axis];
  int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1);
  SizeExpr last = in.add(2 * padding - reach - 1);
  if (!window.ceilMode)
    return last.floorDiv(stride).add(1);
  SizeExpr hanging = last.add(stride - 1).floorDiv(stride).add(1);
  SizeExpr starting = in.add(padding - 1).floorDiv(stride).add(1);
  return hanging.min(starting);
}

/// Every spatial dimension has a window.
static SmallVector<SizePrecondition>
getWindowPreconditions(ArrayRef<SizeExpr> resultSizes) {
  SmallVector<SizePrecondition> conditions;
  for (auto [axis, count] : llvm::enumerate(resultSizes.drop_front(2)))
    conditions.push_back(SizePrecondition::atLeast(
        "the number of windows along spatial dimension " + Twine(axis), count,
        1));
  return conditions;
}

/// The sizes of the result of pooling `x`.
template <typename OpTy>
static FailureOr<Sizes> inferPooledSizes(std::optional<Location> location,
                                         RankedTensorType x,
                                         const PoolWindow &window) {
  int64_t spatialRank = x.getRank() - 2;
  if (spatialRank < 1 || spatialRank > 3)
    return inferenceError<OpTy>(
        location, "expects 'x' of rank 3 to 5, but its rank is ", x.getRank());
  if (failed(checkSpatialList<OpTy>(location, "kernel", window.kernel,
                                    spatialRank, 1)) ||
      failed(checkSpatialList<OpTy>(location, "stride", window.stride,
                                    spatialRank, 1)) ||
      failed(checkSpatialList<OpTy>(location, "padding", window.padding,
                                    spatialRank, 0)) ||
      failed(checkSpatialList<OpTy>(location, "dilation", window.dilation,
                                    spatialRank, 1)))
    return failure();
  Sizes sizes = getSizes(x);
  for (int64_t axis = 0; axis < spatialRank; ++axis) {
    int64_t extent = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    if (2 * window.padding[axis] > extent)
      return inferenceError<OpTy>(
          location,
          "expects padding of at most half the window, but along "
          "spatial dimension ",
          axis, " it is ", window.padding[axis], " for a window of ", extent);
    SizeExpr in = sizes[axis + 2];
    sizes[axis + 2] = getWindowCount(in, window, axis);
  }
  if (failed(checkPreconditions<OpTy>(location, getWindowPreconditions(sizes))))
    return failure();
  return sizes;
}

/// The type of the result of pooling operand 0.
template <typename OpTy>
static FailureOr<RankedTensorType>
inferPooled(std::optional<Location> location, ValueRange operands,
            typename OpTy::Adaptor adaptor, ArrayRef<int64_t> dilation) {
  auto x = getTensorOperand<OpTy>(location, operands, 0, "x");
  if (failed(x))
    return failure();
  auto sizes = inferPooledSizes<OpTy>(location, *x,
                                      {adaptor.getKernel(), adaptor.getStride(),
                                       adaptor.getPadding(), dilation,
                                       adaptor.getCeilMode()});
  if (failed(sizes))
    return failure();
  return tc::getTensorType(*sizes, x->getElementType());
}

//===----------------------------------------------------------------------===//
// MaxPoolOp
//===----------------------------------------------------------------------===//

LogicalResult MaxPoolOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto pooled = inferPooled<MaxPoolOp>(location, operands, adaptor,
                                       adaptor.getDilation());
  if (failed(pooled))
    return failure();
  results.push_back(*pooled);
  results.push_back(withElementType(*pooled, IntegerType::get(context, 64)));
  return success();
}

LogicalResult MaxPoolOp::verify() { return verifyInference(*this); }

SmallVector<SizePrecondition> MaxPoolOp::getSizePreconditions() {
  return getWindowPreconditions(getSizes(getResult().getType()));
}

//===----------------------------------------------------------------------===//
// AvgPoolOp
//===----------------------------------------------------------------------===//

LogicalResult AvgPoolOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  SmallVector<int64_t> dilation(adaptor.getKernel().size(), 1);
  auto pooled = inferPooled<AvgPoolOp>(location, operands, adaptor, dilation);
  if (failed(pooled))
    return failure();
  results.push_back(*pooled);
  return success();
}

LogicalResult AvgPoolOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  if (std::optional<uint64_t> divisor = getDivisor();
      divisor && static_cast<int64_t>(*divisor) == 0)
    return emitOpError("expects 'divisor' other than 0");
  return success();
}

SmallVector<SizePrecondition> AvgPoolOp::getSizePreconditions() {
  return getWindowPreconditions(getSizes(getResult().getType()));
}

//===----------------------------------------------------------------------===//
// AdaptiveAvgPoolOp and ResampleOp
//===----------------------------------------------------------------------===//

/// Checks that x and the result differ in their spatial sizes only.
template <typename OpTy> static LogicalResult verifySpatialChange(OpTy op) {
  RankedTensorType x = op.getX().getType();
  RankedTensorType result = op.getResult().getType();
  if (x.getRank() < 3 || x.getRank() > 5)
    return op.emitOpError("expects 'x' of rank 3 to 5, but its rank is ")
           << x.getRank();
  if (result.getRank() != x.getRank())
    return op.emitOpError("expects a result of the rank of 'x', ")
           << x.getRank() << ", but its rank is " << result.getRank();
  if (result.getElementType() != x.getElementType())
    return op.emitOpError("expects a result of the element type of 'x', ")
           << x.getElementType() << ", but it is " << result.getElementType();
  Sizes xSizes = getSizes(x), resultSizes = getSizes(result);
  for (unsigned dim : {0u, 1u})
    if (xSizes[dim] != resultSizes[dim])
      return op.emitOpError("expects size ")
             << dim << " of the result to be that of 'x', " << xSizes[dim].str()
             << ", but it is " << resultSizes[dim].str();
  return success();
}

/// There are elements to take and places to put them.
template <typename OpTy>
static SmallVector<SizePrecondition> getSpatialPreconditions(OpTy op) {
  SmallVector<SizePrecondition> conditions;
  Sizes from = getSizes(op.getX().getType()),
        to = getSizes(op.getResult().getType());
  for (size_t dim = 2; dim < from.size(); ++dim) {
    std::string size = "size " + std::to_string(dim);
    conditions.push_back(
        SizePrecondition::atLeast(size + " of 'x'", from[dim], 1));
    conditions.push_back(
        SizePrecondition::atLeast(size + " of the result", to[dim], 1));
  }
  return conditions;
}

LogicalResult AdaptiveAvgPoolOp::verify() { return verifySpatialChange(*this); }

SmallVector<SizePrecondition> AdaptiveAvgPoolOp::getSizePreconditions() {
  return getSpatialPreconditions(*this);
}

LogicalResult ResampleOp::verify() {
  if (failed(verifySpatialChange(*this)))
    return failure();
  size_t spatialRank = getX().getType().getRank() - 2;
  if (getAlignCorners() && getMode() == ResampleMode::Nearest)
    return emitOpError("expects 'align_corners' only with mode linear");
  std::optional<ArrayRef<double>> scales = getScales();
  if (!scales)
    return success();
  if (scales->size() != spatialRank)
    return emitOpError("expects 'scales' to have ")
           << spatialRank << " entries, but it has " << scales->size();
  for (double scale : *scales)
    if (!(scale > 0.0))
      return emitOpError("expects entries of 'scales' above 0, but one is ")
             << scale;
  return success();
}

SmallVector<SizePrecondition> ResampleOp::getSizePreconditions() {
  return getSpatialPreconditions(*this);
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/PoolOps.cpp.inc"
