//===- Attention.cpp - Attention ------------------------------------------===//

#include "Attention.h"
#include <cmath>

using namespace mlir;

namespace tc::reference {

/// Sizes of an attention, with the batch dimensions flattened.
struct AttentionShape {
  int64_t batches, queries, keys, depth, valueDepth;
  /// Query heads that share a key and value head.
  int64_t ratio;
};

/// One query: scores against every key, softmax, weighted sum of the values.
/// `mask` has one element a key, or is null.
static void attendQuery(const AttentionShape &shape, const double *query,
                        const double *keys, const double *values, double scale,
                        int64_t keyLimit, const double *maskAdded,
                        const Word *maskKept, double *result) {
  std::vector<double> scores(shape.keys, -HUGE_VAL);
  double largest = -HUGE_VAL, sum = 0;
  for (int64_t j = 0; j < shape.keys; ++j) {
    if (j >= keyLimit || (maskKept && !maskKept[j]))
      continue;
    double score = 0;
    for (int64_t d = 0; d < shape.depth; ++d)
      score += query[d] * keys[j * shape.depth + d];
    scores[j] = score * scale + (maskAdded ? maskAdded[j] : 0);
    largest =
        std::isnan(scores[j]) || scores[j] > largest ? scores[j] : largest;
  }
  // With every key masked the weights are 0, and 0 times infinity is still NaN.
  bool isEmpty = largest == -HUGE_VAL;
  for (double &score : scores)
    sum += score = isEmpty ? 0 : std::exp(score - largest);
  sum = isEmpty ? 1 : sum;
  for (int64_t j = 0; j < shape.keys; ++j)
    for (int64_t d = 0; d < shape.valueDepth; ++d)
      result[d] += scores[j] / sum * values[j * shape.valueDepth + d];
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, AttentionOp op) {
  const Tensor &q = evaluation.get(op.getQ()), &k = evaluation.get(op.getK()),
               &v = evaluation.get(op.getV());
  int64_t rank = q.getRank();
  AttentionShape shape;
  shape.batches = countElements(q.getSizes().drop_back(2));
  shape.queries = q.getSizes()[rank - 2];
  shape.depth = q.getSizes()[rank - 1];
  shape.keys = k.getSizes()[rank - 2];
  shape.valueDepth = v.getSizes()[rank - 1];
  int64_t keyBatches = countElements(k.getSizes().drop_back(2));
  shape.ratio = keyBatches == 0 ? 1 : shape.batches / keyBatches;

  Sizes64 sizes(q.getSizes());
  sizes.back() = shape.valueDepth;
  Tensor result(q.getElementType(), sizes);
  Tensor mask;
  if (op.getMask()) {
    Sizes64 maskSizes(q.getSizes());
    maskSizes.back() = shape.keys;
    mask = evaluation.get(op.getMask());
    SmallVector<int64_t, 6> dims; // aligned at the last dimension
    for (int64_t dim = 0; dim < mask.getRank(); ++dim)
      dims.push_back(rank - mask.getRank() + dim);
    mask = broadcast(mask, dims, maskSizes);
  }
  bool addsMask = mask && mask.getKind() == ElementKind::Float;
  double scale = op.getScale().convertToDouble();
  parallelRanges(
      shape.batches * shape.queries, 1, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t batch = row / shape.queries, shared = batch / shape.ratio;
          int64_t keyLimit = op.getCausal()
                                 ? std::min(shape.keys, row % shape.queries + 1)
                                 : shape.keys;
          attendQuery(
              shape, q.data<double>() + row * shape.depth,
              k.data<double>() + shared * shape.keys * shape.depth,
              v.data<double>() + shared * shape.keys * shape.valueDepth, scale,
              keyLimit,
              addsMask ? mask.data<double>() + row * shape.keys : nullptr,
              mask && !addsMask ? mask.words() + row * shape.keys : nullptr,
              result.data<double>() + row * shape.valueDepth);
        }
      });
  return Tensors{evaluation.finish(result)};
}

} // namespace tc::reference
