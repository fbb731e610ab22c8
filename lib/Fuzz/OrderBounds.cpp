//===- OrderBounds.cpp - Error bounds of sorts and extremes ---------------===//

#include "OrderBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether rounding may change which elements of a line come first: some two
/// of them, not both exact, differ by no more than their errors.
static bool hasUnknownOrder(const Bounded &x, const Line &line) {
  if (!isFloatTensor(x.value)) {
    for (int64_t i = 0; i < line.length; ++i)
      if (x.error[line.at(i)] != 0)
        return true;
    return false;
  }
  SmallVector<std::pair<double, double>> sorted;
  double widest = 0;
  for (int64_t i = 0; i < line.length; ++i) {
    double value = x.value.floats()[line.at(i)];
    if (std::isinf(x.error[line.at(i)]))
      return true;
    widest = std::max(widest, x.error[line.at(i)]);
    sorted.push_back(
        {std::isnan(value) ? HUGE_VAL : value, x.error[line.at(i)]});
  }
  if (widest == 0)
    return false;
  llvm::sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first - sorted[i - 1].first <= 2 * widest &&
        (sorted[i].second > 0 || sorted[i - 1].second > 0))
      return true;
  return false;
}

/// The values change no more than one operand's; the indices are unknown in
/// lines of unknown order.
static ErrorVectors boundSorted(const AnalysedOp &op, int64_t dim) {
  ErrorVectors errors = boundByEnds(op);
  const Bounded &x = op.operands[0];
  auto from = getLines(x.value.getSizes(), dim);
  auto to = getLines(op.results[0].getSizes(), dim);
  for (auto [line, written] : llvm::zip_equal(from, to)) {
    bool isUnknown = false;
    for (int64_t i = 0; i < line.length; ++i)
      isUnknown |= std::isinf(x.error[line.at(i)]);
    bool isUnknownOrder = hasUnknownOrder(x, line);
    for (int64_t i = 0; i < written.length; ++i) {
      if (isUnknown)
        errors[0][written.at(i)] = HUGE_VAL;
      if (isUnknownOrder)
        errors[1][written.at(i)] = HUGE_VAL;
    }
  }
  return errors;
}

/// Whether another element than the extreme one may be it.
static bool hasUnknownExtreme(const Bounded &x, const Line &line,
                              int64_t extreme) {
  double value = x.value.getDouble(line.at(extreme));
  double error = x.error[line.at(extreme)];
  for (int64_t i = 0; i < line.length; ++i) {
    double other = x.error[line.at(i)];
    if (std::isinf(other))
      return true;
    if (i != extreme && error + other > 0 &&
        getDistance(x.value.getDouble(line.at(i)), value) <= error + other)
      return true;
  }
  return false;
}

static ErrorVectors boundArgReduce(const AnalysedOp &op, int64_t dim) {
  ErrorVectors errors = makeZeros(op);
  const Bounded &x = op.operands[0];
  for (auto [index, line] : llvm::enumerate(getLines(x.value.getSizes(), dim)))
    if (hasUnknownExtreme(x, line, op.results[0].signedIntegers()[index]))
      errors[0][index] = HUGE_VAL;
  return errors;
}

/// Windows overlap: the places are known only where nothing is rounded. Of
/// zeros of both signs either may be the largest.
static ErrorVectors boundMaxPool(const AnalysedOp &op) {
  ErrorVectors errors = boundByEnds(op);
  raiseWhereUnknown(errors, op);
  if (!op.operands[0].isExact())
    std::fill(errors[1].begin(), errors[1].end(), HUGE_VAL);
  for (size_t i = 0; isFloatTensor(op.results[0]) && i < errors[0].size(); ++i)
    if (op.results[0].floats()[i] == 0)
      errors[0][i] += 0x1p-1074;
  if (!isFloatTensor(op.results[0]) && !op.operands[0].isExact())
    std::fill(errors[0].begin(), errors[0].end(), HUGE_VAL);
  return errors;
}

ErrorVectors tc::fuzz::boundOrder(const AnalysedOp &op) {
  if (auto sort = dyn_cast<SortOp>(op.op))
    return boundSorted(op, sort.getDim());
  if (auto top = dyn_cast<TopKOp>(op.op))
    return boundSorted(op, top.getDim());
  if (auto extreme = dyn_cast<ArgReduceOp>(op.op))
    return boundArgReduce(op, extreme.getDim());
  return boundMaxPool(op);
}
