//===- SoftmaxBounds.cpp - Error bounds of softmax and its logarithm ------===//

#include "SoftmaxBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {
/// Bounds of the logarithms of a row's weights.
class RowBounds {
public:
  RowBounds(const AnalysedOp &op, const Line &line)
      : x(op.operands[0]), line(line), unit(getComputeUnit(op.elementType())) {
    for (int64_t i = 0; i < line.length; ++i) {
      double value = x.value.floats()[line.at(i)];
      largest = std::isnan(value) ? value : std::fmax(largest, value);
      if (std::isnan(value))
        break;
    }
    if (!std::isfinite(largest))
      return;
    // The sum with every term at the upper end of its bound; its
    // additions are rounded.
    sumLogarithm = getSumLogarithm([](int64_t) { return 0; });
    sumError = getSumLogarithm([&](int64_t j) { return getTermError(j); }) -
               sumLogarithm + double(line.length + 8) * unit;
  }

  /// Whether the row has numbers as results.
  bool isDefined() const { return std::isfinite(largest); }

  /// Of the logarithm of weight `i`.
  double getError(int64_t i) const { return getTermError(i) + sumError; }

  /// The logarithm of weight `i`, of exact operands.
  double getLogarithm(int64_t i) const {
    return -getDifferenceToLargest(i) - sumLogarithm;
  }

  /// The largest error from rounding the logarithm's own sum.
  double getLogarithmError(int64_t i) const {
    return 4 * unit * (getDifferenceToLargest(i) + sumLogarithm + 1);
  }

private:
  /// log of the sum of exp(x_j - largest + raise(j)).
  double getSumLogarithm(function_ref<double(int64_t)> raise) const {
    SmallVector<double> terms;
    for (int64_t j = 0; j < line.length; ++j)
      terms.push_back(raise(j) - getDifferenceToLargest(j));
    double most = *llvm::max_element(terms), sum = 0;
    for (double term : terms)
      sum += std::exp(term - most);
    return most + std::log(sum);
  }

  /// Infinite of a weight of 0, exactly.
  double getDifferenceToLargest(int64_t i) const {
    return largest - x.value.floats()[line.at(i)];
  }

  /// An exponential is as far off as its argument, which is rounded after the
  /// largest element is subtracted, and by its own few units.
  double getTermError(int64_t i) const {
    double difference = getDifferenceToLargest(i);
    return std::isinf(difference)
               ? 0
               : x.error[line.at(i)] + unit * (2 * difference + 16);
  }

  const Bounded &x;
  Line line;
  double unit, largest = -HUGE_VAL, sumError = 0, sumLogarithm = 0;
};
} // namespace

/// A weight exp(x_i) / sum of exp(x_j) changes, relatively, by what x_i and the
/// sum of the others change: log-softmax by at most e_i + log of the mean of
/// exp(e_j), which is weighted with the softmax.
ErrorVectors tc::fuzz::boundSoftmax(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  auto softmax = dyn_cast<SoftmaxOp>(op.op);
  int64_t dim = softmax ? softmax.getDim() : cast<LogSoftmaxOp>(op.op).getDim();
  const Tensor &result = op.results[0];
  Type type = op.elementType();
  for (const Line &line : getLines(result.getSizes(), dim)) {
    RowBounds row(op, line);
    for (int64_t i = 0; row.isDefined() && i < line.length; ++i) {
      double value = result.floats()[line.at(i)];
      if (!std::isfinite(value))
        continue;
      double change = row.getError(i), error = change;
      if (softmax) {
        double most = std::exp(std::min(0.0, row.getLogarithm(i) + change));
        error = std::max(most - value, -value * std::expm1(-change));
      } else {
        error += row.getLogarithmError(i);
      }
      // Tiny exponentials may be 0.
      errors[0][line.at(i)] = error + 1.3 * getRounding(value, type) +
                              (type.isF64() ? 0 : 0x1p-100);
    }
  }
  raiseWhereUnknown(errors, op);
  return errors;
}
