//===- NNOps.cpp - Composites of neural networks --------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"

using namespace mlir;
using namespace tc;

/// Checks that an optional operand has the sizes `expected`.
static LogicalResult verifySizes(Operation *op, StringRef name, Value operand,
                                 ArrayRef<SizeExpr> expected) {
  if (!operand)
    return success();
  Sizes sizes = getSizes(cast<RankedTensorType>(operand.getType()));
  if (ArrayRef<SizeExpr>(sizes) == expected)
    return success();
  return op->emitOpError("expects '")
         << name << "' of sizes " << formatSizes(expected)
         << ", but its sizes are " << formatSizes(sizes);
}

/// Checks that eps is a number; PyTorch takes a negative one.
static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  double value = eps.convertToDouble();
  if (!eps.isNaN())
    return success();
  return op->emitOpError("expects 'eps' to be a number, but it is ") << value;
}

//===----------------------------------------------------------------------===//
// SoftmaxOp and LogSoftmaxOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return checkDim<SoftmaxOp>(getLoc(), getDim(), getX().getType().getRank());
}

LogicalResult LogSoftmaxOp::verify() {
  return checkDim<LogSoftmaxOp>(getLoc(), getDim(), getX().getType().getRank());
}

//===----------------------------------------------------------------------===//
// LayerNormOp and RmsNormOp
//===----------------------------------------------------------------------===//

/// Checks `rank` and `eps` of a norm over the last dimensions.
template <typename OpTy> static LogicalResult verifyRowNorm(OpTy op) {
  int64_t rank = op.getX().getType().getRank();
  int64_t normalized = op.getRank();
  if (normalized < 1 || normalized > rank)
    return op.emitOpError("expects 'rank' from 1 to the rank of 'x', ")
           << rank << ", but it is " << normalized;
  return verifyEps(op, op.getEps());
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyRowNorm(*this)))
    return failure();
  Sizes sizes = getSizes(getX().getType());
  auto last = ArrayRef<SizeExpr>(sizes).take_back(getRank());
  if (failed(verifySizes(*this, "weight", getWeight(), last)))
    return failure();
  return verifySizes(*this, "bias", getBias(), last);
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyRowNorm(*this)))
    return failure();
  Sizes sizes = getSizes(getX().getType());
  return verifySizes(*this, "weight", getWeight(),
                     ArrayRef<SizeExpr>(sizes).take_back(getRank()));
}

//===----------------------------------------------------------------------===//
// GroupNormOp and BatchNormOp
//===----------------------------------------------------------------------===//

LogicalResult GroupNormOp::verify() {
  RankedTensorType x = getX().getType();
  if (x.getRank() < 2)
    return emitOpError("expects 'x' of rank 2 or more, but its rank is ")
           << x.getRank();
  int64_t groups = getGroups();
  if (groups < 1)
    return emitOpError("expects 'groups' of at least 1, but it is ") << groups;
  SizeExpr channels = getSizes(x)[1];
  if (failed(verifyEps(*this, getEps())) ||
      failed(verifySizes(*this, "weight", getWeight(), channels)))
    return failure();
  return verifySizes(*this, "bias", getBias(), channels);
}

SmallVector<SizePrecondition> GroupNormOp::getSizePreconditions() {
  return {SizePrecondition::multipleOf(
      "size 1 of 'x'", getSizes(getX().getType())[1], "'groups'", getGroups())};
}

LogicalResult BatchNormOp::verify() {
  RankedTensorType x = getX().getType();
  if (x.getRank() < 2)
    return emitOpError("expects 'x' of rank 2 or more, but its rank is ")
           << x.getRank();
  SizeExpr channels = getSizes(x)[1];
  if (failed(verifyEps(*this, getEps())) ||
      failed(verifySizes(*this, "mean", getMean(), channels)) ||
      failed(verifySizes(*this, "variance", getVariance(), channels)) ||
      failed(verifySizes(*this, "weight", getWeight(), channels)))
    return failure();
  return verifySizes(*this, "bias", getBias(), channels);
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

/// Checks that the batches of q and of `name` are equal, but for grouped heads.
static LogicalResult verifyBatches(AttentionOp op, StringRef name,
                                   ArrayRef<SizeExpr> q,
                                   ArrayRef<SizeExpr> other) {
  for (size_t dim = 0; dim + 2 < q.size(); ++dim) {
    if (q[dim] == other[dim])
      continue;
    bool isHeads = dim + 3 == q.size();
    std::optional<int64_t> many = q[dim].getConstant();
    std::optional<int64_t> few = other[dim].getConstant();
    if (isHeads && many && few && *few > 0 && *many % *few == 0)
      continue;
    return op.emitOpError("expects batch size ")
           << dim << " of '" << name << "' to be "
           << (isHeads ? "or divide " : "") << "that of 'q', " << q[dim].str()
           << ", but it is " << other[dim].str();
  }
  return success();
}

/// Checks that the mask broadcasts to [batch..., queries, keys].
static LogicalResult verifyMask(AttentionOp op, ArrayRef<SizeExpr> q,
                                SizeExpr keys) {
  if (!op.getMask())
    return success();
  Sizes scores(q);
  scores.back() = keys;
  Sizes mask = getSizes(cast<RankedTensorType>(op.getMask().getType()));
  bool fits = mask.size() <= scores.size();
  for (size_t back = 1; fits && back <= mask.size(); ++back) {
    SizeExpr size = mask[mask.size() - back];
    fits = size.isConstant(1) || size == scores[scores.size() - back];
  }
  if (fits)
    return success();
  return op.emitOpError("expects 'mask' to broadcast to ")
         << formatSizes(scores) << ", but its sizes are " << formatSizes(mask);
}

LogicalResult AttentionOp::verify() {
  RankedTensorType qType = getQ().getType(), kType = getK().getType(),
                   vType = getV().getType(), resultType = getType();
  if (qType.getRank() < 2 || kType.getRank() != qType.getRank() ||
      vType.getRank() != qType.getRank())
    return emitOpError("expects 'q', 'k' and 'v' of one rank of at least 2, "
                       "but their ranks are ")
           << qType.getRank() << ", " << kType.getRank() << " and "
           << vType.getRank();
  if (kType.getElementType() != qType.getElementType() ||
      vType.getElementType() != qType.getElementType())
    return emitOpError("expects 'q', 'k' and 'v' of one element type, but they "
                       "are ")
           << qType.getElementType() << ", " << kType.getElementType()
           << " and " << vType.getElementType();
  Sizes q = getSizes(qType), k = getSizes(kType), v = getSizes(vType);
  size_t rank = q.size();
  if (k[rank - 1] != q[rank - 1])
    return emitOpError("expects the depth of 'k' to be that of 'q', ")
           << q[rank - 1].str() << ", but it is " << k[rank - 1].str();
  if (v[rank - 2] != k[rank - 2])
    return emitOpError("expects as many rows of 'v' as keys, ")
           << k[rank - 2].str() << ", but there are " << v[rank - 2].str();
  if (failed(verifyBatches(*this, "k", q, k)) ||
      failed(verifyBatches(*this, "v", q, v)) ||
      failed(verifyMask(*this, q, k[rank - 2])))
    return failure();
  Sizes expected = q;
  expected.back() = v.back();
  RankedTensorType expectedType =
      tc::getTensorType(expected, qType.getElementType());
  if (resultType != expectedType)
    return emitOpError("expects a result of type ")
           << expectedType << ", but it is " << resultType;
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/NNOps.cpp.inc"
