//===- AttentionMatrices.cpp - Scores and weights as matrices -------------===//

#include "AttentionMatrices.h"
#include "TC/Dialect/TC/IR/AttentionDropout.h"

using namespace mlir;
using namespace tc;

AttentionMatrices::AttentionMatrices(OpBuilder &builder, Location loc, Value q,
                                     Value k)
    : b(builder, loc) {
  RankedTensorType type = TensorBuilder::typeOf(q);
  compute = TensorBuilder::getComputeType(type.getElementType());
  batch = getSizes(type);
  queries = batch[batch.size() - 2];
  batch.truncate(batch.size() - 2);
  keys = TensorBuilder::sizesOf(k)[batch.size()];
}

Sizes AttentionMatrices::with(ArrayRef<SizeExpr> inner) const {
  Sizes sizes = batch;
  llvm::append_range(sizes, inner);
  return sizes;
}

Value AttentionMatrices::contract(StringRef spec, Value x, Value y) {
  std::string labels, whole;
  for (size_t dim = 0; dim < batch.size(); ++dim)
    labels += char('A' + dim);
  auto [operands, result] = spec.split("->");
  auto [lhs, rhs] = operands.split(',');
  whole = (labels + lhs + "," + labels + rhs + "->" + labels + result).str();
  return b.create<ContractOp>(StringRef(whole), x, y);
}

Value AttentionMatrices::repeatHeads(Value x) {
  Sizes sizes = TensorBuilder::sizesOf(x);
  if (batch.empty() || sizes[batch.size() - 1] == batch.back())
    return x;
  const size_t heads = batch.size() - 1;
  Sizes repeated = sizes;
  repeated.insert(repeated.begin() + heads + 1,
                  batch.back().floorDiv(sizes[heads]));
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    dims.push_back(int64_t(dim + (dim > heads)));
  sizes[heads] = batch.back();
  return b.reshape(b.broadcast(x, repeated, dims), sizes);
}

Value AttentionMatrices::addHeads(Value x, RankedTensorType type) {
  Sizes sizes = getSizes(type);
  if (TensorBuilder::sizesOf(x) != sizes) {
    const size_t heads = batch.size() - 1;
    Sizes grouped = sizes;
    grouped.insert(grouped.begin() + heads + 1,
                   batch.back().floorDiv(sizes[heads]));
    x = b.reduce(ReductionKind::Sum, b.reshape(x, grouped), int64_t(heads + 1));
  }
  return b.cast(x, type.getElementType());
}

Value AttentionMatrices::alongKeys(Value x) {
  return b.restoreDims(x, with({queries, keys}), int64_t(batch.size() + 1));
}

/// The scores where a key counts, minus infinity elsewhere.
Value AttentionMatrices::mask(Value scores) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  Sizes sizes = with({queries, keys});
  const auto rank = int64_t(sizes.size());
  if (Value mask = inputMask) {
    RankedTensorType type = TensorBuilder::typeOf(mask);
    SmallVector<int64_t> dims;
    for (int64_t dim = rank - type.getRank(); dim < rank; ++dim)
      dims.push_back(dim);
    bool isTruth = type.getElementType().isInteger(1);
    mask = b.broadcast(isTruth ? mask : widen(mask), sizes, dims);
    scores = isTruth ? b.select(mask, scores, b.fullLike(kLowest, scores))
                     : b.add(scores, mask);
  }
  if (!causal)
    return scores;
  RankedTensorType positions =
      tc::getTensorType(sizes, IntegerType::get(scores.getContext(), 64));
  Value counts =
      b.create<GeOp>(b.iota(positions, rank - 2), b.iota(positions, rank - 1));
  return b.select(counts, scores, b.fullLike(kLowest, scores));
}

Value AttentionMatrices::scaled(Value x) {
  return b.mul(x, b.fullLike(scale, x));
}

Value AttentionMatrices::makeScores(Value q, Value k) {
  return mask(scaled(contract("qd,kd->qk", q, k)));
}

/// Whether (i1) dropout keeps the weight of a query and a key.
Value AttentionMatrices::makeKept() {
  constexpr double kRowStep = 4294967296; // of positions
  Sizes sizes = with({queries, keys});
  const auto rank = int64_t(sizes.size());
  MLIRContext *context = seed.getContext();
  RankedTensorType positions =
      tc::getTensorType(sizes, IntegerType::get(context, 64));
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(context, value);
  };
  // Rows of a batch point begin at a multiple.
  SizeExpr stride =
      queries.ceilDiv(constant(kDropoutRows)).mul(constant(kDropoutRows));
  Value row = b.iota(positions, rank - 2);
  for (int64_t dim = rank - 3; dim >= 0; --dim) {
    row = b.add(b.mul(b.iota(positions, dim), b.fullOfSize(stride, positions)),
                row);
    stride = stride.mul(sizes[dim]);
  }
  Value position = b.add(b.mul(row, b.full(kRowStep, positions)),
                         b.iota(positions, rank - 1));
  Value bits = b.create<DropoutBitsOp>(
      b.broadcast(seed, sizes, {}), b.broadcast(offset, sizes, {}), position);
  return b.create<LtOp>(bits,
                        b.full(double(countKeptBits(*dropout)), positions));
}

Value AttentionMatrices::drop(Value x) {
  if (!dropout)
    return x;
  if (!kept)
    kept = makeKept();
  Value larger = b.mul(x, b.fullLike(getKeptFactor(*dropout), x));
  return b.select(kept, larger, b.fullLike(0, x));
}
