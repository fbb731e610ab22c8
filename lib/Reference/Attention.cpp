//===- Attention.cpp - Attention ------------------------------------------===//

#include "Attention.h"
#include "TC/Dialect/TC/IR/AttentionDropout.h"
#include "TC/Reference/ScalarFunctions.h"
#include <cmath>

using namespace mlir;

namespace tc::reference {

/// Sizes of an attention, with the batch dimensions flattened.
struct AttentionShape {
  int64_t batches, queries, keys, depth, valueDepth;
  /// Query heads that share a key and value head.
  int64_t ratio;
};

/// Keys of one query: which count, and what is added to their scores.
struct QueryMask {
  int64_t keyLimit; ///< keys that `causal` leaves
  /// One element a key, or null.
  const double *added;
  const Word *kept;
};

/// The scores of one query against every key, -inf where a key does not count.
static std::vector<double> scoreQuery(const AttentionShape &shape,
                                      const double *query, const double *keys,
                                      double scale, const QueryMask &mask) {
  std::vector<double> scores(shape.keys, -HUGE_VAL);
  for (int64_t j = 0; j < std::min(shape.keys, mask.keyLimit); ++j) {
    if (mask.kept && !mask.kept[j])
      continue;
    double score = 0;
    for (int64_t d = 0; d < shape.depth; ++d)
      score += query[d] * keys[j * shape.depth + d];
    scores[j] = score * scale + (mask.added ? mask.added[j] : 0);
  }
  return scores;
}

/// What each weight of a query is multiplied by after the softmax: nothing
/// where there is no dropout.
using Kept = std::vector<double>;

/// The values weighted by the softmax of the scores, added to `result`; the
/// logarithm of the sum of their exponentials.
static double weighValues(const AttentionShape &shape,
                          std::vector<double> scores, const Kept &kept,
                          const double *values, double *result) {
  double largest = -HUGE_VAL, sum = 0;
  for (double score : scores)
    largest = std::isnan(score) || score > largest ? score : largest;
  // With every key masked the weights are 0, and 0 times infinity is still NaN.
  bool isEmpty = largest == -HUGE_VAL;
  for (double &score : scores)
    sum += score = isEmpty ? 0 : std::exp(score - largest);
  for (int64_t j = 0; j < shape.keys; ++j) {
    double weight =
        scores[j] / (isEmpty ? 1 : sum) * (kept.empty() ? 1 : kept[j]);
    for (int64_t d = 0; d < shape.valueDepth; ++d)
      result[d] += weight * values[j * shape.valueDepth + d];
  }
  return isEmpty ? largest : largest + std::log(sum);
}

namespace {
/// The operands that attention and its gradients have.
struct AttentionOperands {
  Tensor q, k, v, mask; ///< `mask` is one element a score, or nothing
  AttentionShape shape;
  double scale;
  bool causal;
  /// Dropout, and what keeps a weight: the state of random numbers, or one
  /// element a score.
  std::optional<llvm::APFloat> dropout;
  uint64_t seed = 0, offset = 0;
  Tensor ownKept;

  AttentionOperands(Tensor q, Tensor k, Tensor v, double scale, bool causal)
      : q(q), k(k), v(v), scale(scale), causal(causal) {
    int64_t rank = q.getRank(), keyRank = k.getRank();
    shape.batches = countElements(q.getSizes().drop_back(2));
    shape.queries = q.getSizes()[rank - 2];
    shape.depth = q.getSizes()[rank - 1];
    shape.keys = k.getSizes()[keyRank - 2];
    shape.valueDepth = v.getSizes()[keyRank - 1];
    int64_t keyBatches = countElements(k.getSizes().drop_back(2));
    shape.ratio = keyBatches == 0 ? 1 : shape.batches / keyBatches;
  }

  template <typename OpTy>
  AttentionOperands(Evaluation &evaluation, OpTy op)
      : AttentionOperands(evaluation.get(op.getQ()), evaluation.get(op.getK()),
                          evaluation.get(op.getV()),
                          op.getScale().convertToDouble(), op.getCausal()) {
    dropout = op.getDropout();
    if (dropout) {
      seed = evaluation.get(op.getSeed()).words()[0];
      offset = evaluation.get(op.getOffset()).words()[0];
    }
    if (!op.getMask())
      return;
    int64_t rank = q.getRank();
    Sizes64 sizes(q.getSizes());
    sizes.back() = shape.keys;
    mask = evaluation.get(op.getMask());
    SmallVector<int64_t, 6> dims; // aligned at the last dimension
    for (int64_t dim = 0; dim < mask.getRank(); ++dim)
      dims.push_back(rank - mask.getRank() + dim);
    mask = broadcast(mask, dims, sizes);
  }

  /// Row `row` of all batches' queries, the keys and values of its head, and
  /// the scores.
  const double *getQuery(int64_t row) const {
    return q.data<double>() + row * shape.depth;
  }
  int64_t getKeyBatch(int64_t row) const {
    return row / shape.queries / shape.ratio;
  }
  const double *getKeys(int64_t row) const {
    return k.data<double>() + getKeyBatch(row) * shape.keys * shape.depth;
  }
  const double *getValues(int64_t row) const {
    return v.data<double>() + getKeyBatch(row) * shape.keys * shape.valueDepth;
  }
  Kept getKept(int64_t row) const;
  std::vector<double> score(int64_t row) const {
    bool adds = mask && mask.getKind() == ElementKind::Float;
    return scoreQuery(
        shape, getQuery(row), getKeys(row), scale,
        {causal ? row % shape.queries + 1 : shape.keys,
         adds ? mask.data<double>() + row * shape.keys : nullptr,
         mask && !adds ? mask.words() + row * shape.keys : nullptr});
  }
};

Kept AttentionOperands::getKept(int64_t row) const {
  Kept kept;
  if (!dropout)
    return kept;
  const int64_t batchRows = int64_t(llvm::alignTo(shape.queries, kDropoutRows));
  const auto bitsRow =
      uint32_t(row / shape.queries * batchRows + row % shape.queries);
  for (int64_t j = 0; j < shape.keys; ++j) {
    bool isKept =
        ownKept ? ownKept.words()[row * shape.keys + j] != 0
                : scalar::dropoutBitsOf(seed, offset, bitsRow, uint32_t(j)) <
                      countKeptBits(*dropout);
    kept.push_back(isKept ? getKeptFactor(*dropout) : 0);
  }
  return kept;
}
} // namespace

FailureOr<Tensors> evaluate(Evaluation &evaluation, AttentionOp op) {
  AttentionOperands operands(evaluation, op);
  const AttentionShape &shape = operands.shape;
  Sizes64 sizes(operands.q.getSizes());
  sizes.back() = shape.valueDepth;
  Tensor result(operands.q.getElementType(), sizes), sums;
  if (op.getLogsumexp())
    sums = Tensor(op.getLogsumexp().getType().getElementType(),
                  ArrayRef(sizes).drop_back());
  parallelRanges(
      shape.batches * shape.queries, 1, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          double sum =
              weighValues(shape, operands.score(row), operands.getKept(row),
                          operands.getValues(row),
                          result.data<double>() + row * shape.valueDepth);
          if (sums)
            sums.data<double>()[row] = sum;
        }
      });
  Tensors results{evaluation.finish(result)};
  if (sums)
    results.push_back(evaluation.finish(sums));
  return results;
}

/// Adds `factor` times the `count` elements of `row` to those of `sums`.
static void addScaled(double *sums, const double *row, double factor,
                      int64_t count) {
  for (int64_t d = 0; d < count; ++d)
    sums[d] += factor * row[d];
}

/// The gradients of queries, keys and values; those of queries are of
/// `sumType`.
static Tensors computeGradients(const AttentionOperands &operands,
                                const Tensor &grad, const Tensor &logsumexp,
                                const Tensor &ofRows, Type sumType) {
  const AttentionShape &shape = operands.shape;
  Tensor gradQ(sumType, operands.q.getSizes()),
      gradK(operands.k.getElementType(), operands.k.getSizes()),
      gradV(operands.v.getElementType(), operands.v.getSizes());
  const double *grads = grad.data<double>(), *sums = logsumexp.data<double>(),
               *products = ofRows.data<double>();
  // Rows that share keys add to the same gradients of these.
  const int64_t rowsOfKeys = shape.ratio * shape.queries;
  auto addRow = [&](int64_t row) {
    const double *grad = grads + row * shape.valueDepth,
                 *keys = operands.getKeys(row),
                 *values = operands.getValues(row);
    double *ownK = gradK.data<double>() + (keys - operands.k.data<double>()),
           *ownV = gradV.data<double>() + (values - operands.v.data<double>());
    Kept kept = operands.getKept(row);
    for (auto [j, score] : llvm::enumerate(operands.score(row))) {
      if (score == -HUGE_VAL)
        continue;
      const double *value = values + j * shape.valueDepth;
      double weight = std::exp(score - sums[row]), ofWeight = 0;
      for (int64_t d = 0; d < shape.valueDepth; ++d)
        ofWeight += grad[d] * value[d];
      const double factor = kept.empty() ? 1 : kept[j];
      double ofScore =
          weight * (ofWeight * factor - products[row]) * operands.scale;
      addScaled(ownV + j * shape.valueDepth, grad, weight * factor,
                shape.valueDepth);
      addScaled(ownK + j * shape.depth, operands.getQuery(row), ofScore,
                shape.depth);
      addScaled(gradQ.data<double>() + row * shape.depth,
                keys + j * shape.depth, ofScore, shape.depth);
    }
  };
  int64_t keyBatches =
      rowsOfKeys == 0 ? 0 : shape.batches * shape.queries / rowsOfKeys;
  parallelRanges(keyBatches, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * rowsOfKeys; row < end * rowsOfKeys; ++row)
      addRow(row);
  });
  return Tensors{gradQ, gradK, gradV};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, AttentionBackwardOp op) {
  Tensors results = computeGradients(
      AttentionOperands(evaluation, op), evaluation.get(op.getGrad()),
      evaluation.get(op.getLogsumexp()), evaluation.get(op.getProducts()),
      op.getGradQ().getType().getElementType());
  for (Tensor &result : results)
    result = evaluation.finish(result);
  return results;
}

Tensors evaluateStage(AttentionBackwardStageOp op, ArrayRef<Tensor> operands) {
  AttentionOperands own(operands[1], operands[2], operands[3],
                        op.getScale().convertToDouble(), /*causal=*/false);
  if ((own.dropout = op.getDropout()))
    own.ownKept = operands[op.kMatrices];
  if (op.getAdded())
    own.mask = operands.back();
  return computeGradients(own, operands[0], operands[4], operands[5],
                          op.getGradQ().getType());
}

} // namespace tc::reference
