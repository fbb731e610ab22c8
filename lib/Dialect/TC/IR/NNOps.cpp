//===- NNOps.cpp - Composites of neural networks --------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
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
static LogicalResult verifyBatches(Operation *op, StringRef name,
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
    return op->emitOpError("expects batch size ")
           << dim << " of '" << name << "' to be "
           << (isHeads ? "or divide " : "") << "that of 'q', " << q[dim].str()
           << ", but it is " << other[dim].str();
  }
  return success();
}

/// Checks that the mask broadcasts to [batch..., queries, keys].
static LogicalResult verifyMask(Operation *op, Value mask, ArrayRef<SizeExpr> q,
                                SizeExpr keys) {
  if (!mask)
    return success();
  Sizes scores(q);
  scores.back() = keys;
  Sizes sizes = getSizes(cast<RankedTensorType>(mask.getType()));
  bool fits = sizes.size() <= scores.size();
  for (size_t back = 1; fits && back <= sizes.size(); ++back) {
    SizeExpr size = sizes[sizes.size() - back];
    fits = size.isConstant(1) || size == scores[scores.size() - back];
  }
  if (fits)
    return success();
  return op->emitOpError("expects 'mask' to broadcast to ")
         << formatSizes(scores) << ", but its sizes are " << formatSizes(sizes);
}

/// Checks that there is either dropout, a probability, and both numbers of its
/// state, or none of them.
template <typename OpTy> static LogicalResult verifyDropout(OpTy op) {
  std::optional<APFloat> dropout = op.getDropout();
  if (bool(op.getSeed()) != dropout.has_value() ||
      bool(op.getOffset()) != dropout.has_value())
    return op.emitOpError("expects 'dropout', 'seed' and 'offset' together, "
                          "but it has only some of them");
  double probability = dropout ? dropout->convertToDouble() : 0;
  if (probability >= 0 && probability <= 1)
    return success();
  return op.emitOpError("expects 'dropout' from 0 to 1, but it is ")
         << probability;
}

/// Checks the operands that attention and its gradients have.
template <typename OpTy> static LogicalResult verifyOperands(OpTy op) {
  RankedTensorType qType = op.getQ().getType(), kType = op.getK().getType(),
                   vType = op.getV().getType();
  if (qType.getRank() < 2 || kType.getRank() != qType.getRank() ||
      vType.getRank() != qType.getRank())
    return op.emitOpError("expects 'q', 'k' and 'v' of one rank of at least 2, "
                          "but their ranks are ")
           << qType.getRank() << ", " << kType.getRank() << " and "
           << vType.getRank();
  if (kType.getElementType() != qType.getElementType() ||
      vType.getElementType() != qType.getElementType())
    return op.emitOpError(
               "expects 'q', 'k' and 'v' of one element type, but they "
               "are ")
           << qType.getElementType() << ", " << kType.getElementType()
           << " and " << vType.getElementType();
  Sizes q = getSizes(qType), k = getSizes(kType), v = getSizes(vType);
  size_t rank = q.size();
  if (k[rank - 1] != q[rank - 1])
    return op.emitOpError("expects the depth of 'k' to be that of 'q', ")
           << q[rank - 1].str() << ", but it is " << k[rank - 1].str();
  if (v[rank - 2] != k[rank - 2])
    return op.emitOpError("expects as many rows of 'v' as keys, ")
           << k[rank - 2].str() << ", but there are " << v[rank - 2].str();
  if (failed(verifyBatches(op, "k", q, k)) ||
      failed(verifyBatches(op, "v", q, v)) || failed(verifyDropout(op)))
    return failure();
  return verifyMask(op, op.getMask(), q, k[rank - 2]);
}

/// The type of the results of attention with the operands of `op`.
template <typename OpTy> static RankedTensorType getAttentionType(OpTy op) {
  Sizes sizes = getSizes(op.getQ().getType());
  sizes.back() = getSizes(op.getV().getType()).back();
  return tc::getTensorType(sizes, op.getQ().getType().getElementType());
}

/// That of the logarithms of the sums.
template <typename OpTy> static RankedTensorType getLogSumExpType(OpTy op) {
  RankedTensorType q = op.getQ().getType();
  Sizes sizes = getSizes(q);
  sizes.pop_back();
  return tc::getTensorType(sizes,
                           TensorBuilder::getComputeType(q.getElementType()));
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  RankedTensorType expected = getAttentionType(*this),
                   sums = getLogSumExpType(*this);
  if (getResult().getType() != expected)
    return emitOpError("expects a result of type ")
           << expected << ", but it is " << getResult().getType();
  if (getLogsumexp() && getLogsumexp().getType() != sums)
    return emitOpError("expects 'logsumexp' of type ")
           << sums << ", but it is " << getLogsumexp().getType();
  return success();
}

LogicalResult AttentionBackwardOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  RankedTensorType expected = getAttentionType(*this),
                   sums = getLogSumExpType(*this);
  auto check = [&](StringRef name, RankedTensorType type,
                   RankedTensorType wanted) -> LogicalResult {
    if (type == wanted)
      return success();
    return emitOpError("expects '")
           << name << "' of type " << wanted << ", but it is " << type;
  };
  RankedTensorType gradQ =
      tc::getTensorType(getSizes(getQ().getType()), sums.getElementType());
  return success(
      succeeded(check("grad", getGrad().getType(), expected)) &&
      succeeded(check("logsumexp", getLogsumexp().getType(), sums)) &&
      succeeded(check("products", getProducts().getType(), sums)) &&
      succeeded(check("grad_q", getGradQ().getType(), gradQ)));
}

//===----------------------------------------------------------------------===//
// AttentionBackwardStageOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> AttentionBackwardStageOp::getOverDims(unsigned index) {
  const int64_t group = getGroupDim(), query = getQueryDim(), key = getKeyDim(),
                depth = getDepthDim(), column = getColumnDim();
  const SmallVector<int64_t> over[] = {
      {group, query, column}, {group, query, depth}, {key, depth},
      {key, column},          {group, query},        {group, query}};
  if (index >= kMatrices)
    return {group, query, key};
  return over[index];
}

SmallVector<int64_t> AttentionBackwardStageOp::getToDims(unsigned index) {
  return getOverDims(index + 1); // those of q, k and v
}

LogicalResult AttentionBackwardStageOp::verify() {
  constexpr size_t kDims = 5;
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return success(); // the parent's trait says it
  if (bool(getKept()) != getDropout().has_value())
    return emitOpError("expects 'kept' and 'dropout' together, but it has only "
                       "one of them");
  if (getDims().size() != kDims)
    return emitOpError("names ")
           << getDims().size() << " dimensions; expected " << kDims;
  const int64_t rank = kernel.getNumDims();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : getDims())
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return emitOpError("names dimension ")
             << dim << "; expected distinct dimensions below " << rank;
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/NNOps.cpp.inc"
