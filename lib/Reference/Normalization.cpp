//===- Normalization.cpp - Softmax and norms ------------------------------===//

#include "Normalization.h"
#include <cmath>

using namespace mlir;

namespace tc::reference {

/// Rows are computed in double in both precisions and rounded once.
using RowFunction =
    function_ref<void(const double *from, double *to, int64_t row)>;

static Tensor mapRows(const Rows &rows, RowFunction function) {
  Tensor result(rows.values.getElementType(), rows.values.getSizes());
  parallelRanges(rows.count, 1 + (1 << 12) / (rows.length + 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row)
                     function(rows.values.data<double>() + row * rows.length,
                              result.data<double>() + row * rows.length, row);
                 });
  return result;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Largest element (NaN wins) and the sum of exponentials relative to it.
static std::pair<double, double> sumExponentials(const double *row,
                                                 int64_t length) {
  double largest = -HUGE_VAL, sum = 0;
  for (int64_t i = 0; i < length; ++i)
    largest = std::isnan(row[i]) || row[i] > largest ? row[i] : largest;
  for (int64_t i = 0; i < length; ++i)
    sum += std::exp(row[i] - largest);
  return {largest, sum};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SoftmaxOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  Tensor result = mapRows(rows, [&](const double *from, double *to, int64_t) {
    auto [largest, sum] = sumExponentials(from, rows.length);
    for (int64_t i = 0; i < rows.length; ++i)
      to[i] = std::exp(from[i] - largest) / sum;
  });
  return Tensors{evaluation.finish(restoreDims(result, rows.permutation))};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, LogSoftmaxOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  Tensor result = mapRows(rows, [&](const double *from, double *to, int64_t) {
    auto [largest, sum] = sumExponentials(from, rows.length);
    double logarithm = std::log(sum);
    for (int64_t i = 0; i < rows.length; ++i)
      to[i] = from[i] - largest - logarithm;
  });
  return Tensors{evaluation.finish(restoreDims(result, rows.permutation))};
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// (x - mean) / sqrt(variance + eps), times weight, plus bias.
static void normalizeRow(const double *from, double *to, int64_t length,
                         double eps) {
  double mean = 0, variance = 0;
  for (int64_t i = 0; i < length; ++i)
    mean += from[i];
  mean /= double(length);
  for (int64_t i = 0; i < length; ++i)
    variance += (from[i] - mean) * (from[i] - mean);
  variance /= double(length);
  for (int64_t i = 0; i < length; ++i)
    to[i] = (from[i] - mean) / std::sqrt(variance + eps);
}

/// The elements of an optional operand, or null.
static const double *getOptional(Evaluation &evaluation, Value value) {
  return value ? evaluation.get(value).data<double>() : nullptr;
}

static SmallVector<int64_t, 6> getLastDims(const Tensor &x, int64_t count) {
  SmallVector<int64_t, 6> dims;
  for (int64_t dim = x.getRank() - count; dim < x.getRank(); ++dim)
    dims.push_back(dim);
  return dims;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, LayerNormOp op) {
  const Tensor &x = evaluation.get(op.getX());
  Rows rows = arrangeRows(x, getLastDims(x, op.getRank()));
  const double *weight = getOptional(evaluation, op.getWeight()),
               *bias = getOptional(evaluation, op.getBias());
  double eps = op.getEps().convertToDouble();
  return Tensors{evaluation.finish(
      mapRows(rows, [&](const double *from, double *to, int64_t) {
        normalizeRow(from, to, rows.length, eps);
        for (int64_t i = 0; i < rows.length; ++i)
          to[i] = to[i] * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
      }))};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, RmsNormOp op) {
  const Tensor &x = evaluation.get(op.getX());
  Rows rows = arrangeRows(x, getLastDims(x, op.getRank()));
  const double *weight = getOptional(evaluation, op.getWeight());
  double eps = op.getEps().convertToDouble();
  return Tensors{evaluation.finish(
      mapRows(rows, [&](const double *from, double *to, int64_t) {
        double squares = 0;
        for (int64_t i = 0; i < rows.length; ++i)
          squares += from[i] * from[i];
        double scale = 1 / std::sqrt(squares / double(rows.length) + eps);
        for (int64_t i = 0; i < rows.length; ++i)
          to[i] = from[i] * scale * (weight ? weight[i] : 1);
      }))};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, GroupNormOp op) {
  const Tensor &x = evaluation.get(op.getX());
  int64_t batch = x.getSizes()[0], channels = x.getSizes()[1],
          groups = op.getGroups();
  int64_t spatial = countElements(x.getSizes().drop_front(2));
  Rows rows = arrangeRows(
      x.reshaped({batch, groups, channels / groups * spatial}), {2});
  const double *weight = getOptional(evaluation, op.getWeight()),
               *bias = getOptional(evaluation, op.getBias());
  double eps = op.getEps().convertToDouble();
  Tensor result =
      mapRows(rows, [&](const double *from, double *to, int64_t row) {
        normalizeRow(from, to, rows.length, eps);
        for (int64_t i = 0; i < rows.length; ++i) {
          int64_t channel = row % groups * (channels / groups) + i / spatial;
          to[i] = to[i] * (weight ? weight[channel] : 1) +
                  (bias ? bias[channel] : 0);
        }
      });
  return Tensors{evaluation.finish(result.reshaped(x.getSizes()))};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, BatchNormOp op) {
  const Tensor &x = evaluation.get(op.getX());
  int64_t channels = x.getSizes()[1];
  Rows rows =
      arrangeRows(x.reshaped({x.getSizes()[0], channels,
                              countElements(x.getSizes().drop_front(2))}),
                  {2});
  const double *mean = evaluation.get(op.getMean()).data<double>();
  const double *variance = evaluation.get(op.getVariance()).data<double>();
  const double *weight = getOptional(evaluation, op.getWeight()),
               *bias = getOptional(evaluation, op.getBias());
  double eps = op.getEps().convertToDouble();
  Tensor result =
      mapRows(rows, [&](const double *from, double *to, int64_t row) {
        int64_t channel = row % channels;
        double scale =
            (weight ? weight[channel] : 1) / std::sqrt(variance[channel] + eps);
        // As PyTorch does: it shows where a statistic is infinite.
        double shift = (bias ? bias[channel] : 0) - mean[channel] * scale;
        for (int64_t i = 0; i < rows.length; ++i)
          to[i] = from[i] * scale + shift;
      });
  return Tensors{evaluation.finish(result.reshaped(x.getSizes()))};
}

} // namespace tc::reference
