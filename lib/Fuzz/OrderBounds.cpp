//===- OrderBounds.cpp - Error bounds of sorts and attention --------------===//

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

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Largest of `get(value, error)` over finite elements.
static double getExtreme(const Bounded &operand,
                         function_ref<double(double, double)> get) {
  double largest = 0;
  for (int64_t i = 0; i < operand.value.getElementCount(); ++i)
    if (double value = operand.value.getDouble(i); std::isfinite(value))
      largest = std::max(largest, get(std::fabs(value), operand.error[i]));
  return largest;
}

/// Weights below 2^-100 may be computed as 0, as tiny exponentials are: times
/// an infinite element of V that is NaN. The keys go through one at a time,
/// with 1 for what is not finite in V and 0 elsewhere: an element of the result
/// then is the key's weight.
static void raiseWhereWeightMayBeZero(std::vector<double> &errors,
                                      const AnalysedOp &op,
                                      double smallestWeight,
                                      function_ref<Tensor(Tensor)> runOnV) {
  const Tensor &v = op.operands[2].value;
  for (int64_t key = 0; key < v.getSizes()[v.getRank() - 2]; ++key) {
    Tensor marked =
        mapElements(op.operands[2], [](double, double) { return 0; });
    bool hasInfinite = false;
    for (const Line &line : getLines(v.getSizes(), v.getRank() - 2))
      if (!std::isfinite(v.floats()[line.at(key)])) {
        marked.data<double>()[line.at(key)] = 1;
        hasInfinite = true;
      }
    if (!hasInfinite)
      continue;
    Tensor weights = runOnV(std::move(marked));
    for (size_t i = 0; i < errors.size(); ++i)
      if (weights.floats()[i] > 0 && weights.floats()[i] < smallestWeight)
        errors[i] = HUGE_VAL;
  }
}

/// The weights are off by the error of the scores, relatively, and by the
/// rounding of the weights themselves.
ErrorVectors tc::fuzz::boundAttention(const AnalysedOp &op) {
  auto attention = cast<AttentionOp>(op.op);
  Type type = op.elementType();
  double unit = getComputeUnit(type);
  const Bounded &q = op.operands[0], &k = op.operands[1], &v = op.operands[2];
  double depth = double(q.value.getSizes().back());
  double keys = double(k.value.getSizes()[k.value.getRank() - 2]);
  auto magnitude = [](double value, double) { return value; };
  auto error = [](double, double e) { return e; };
  double largestQ = getExtreme(q, magnitude),
         largestK = getExtreme(k, magnitude);
  double errorQ = getExtreme(q, error), errorK = getExtreme(k, error);
  double scale = std::fabs(attention.getScale().convertToDouble());
  // Numbers that instructions on bf16 pairs take as 0.
  double flushed = type.isBF16() ? 0x1p-126 * (largestQ + largestK) : 0;
  double scores = scale * depth *
                  (errorQ * (largestK + errorK) + errorK * largestQ + flushed +
                   (depth + 8) * unit * largestQ * largestK);
  bool isExact = q.isExact() && k.isExact() && v.isExact();
  if (attention.getMask()) {
    const Bounded &mask = op.operands[3];
    isExact &= mask.isExact();
    scores += getExtreme(mask, error) + 4 * unit * getExtreme(mask, magnitude);
    if (!isFloatTensor(mask.value) && !mask.isExact())
      scores = HUGE_VAL;
  }
  double weights =
      std::expm1(2 * scores) + 2 * getUnit(type) + (keys + 16) * unit;
  auto runOnV = [&](Tensor values) {
    SmallVector<Tensor> operands;
    for (const Bounded &operand : op.operands)
      operands.push_back(operand.value);
    operands[2] = std::move(values);
    return op.run(operands)[0];
  };
  Tensor sums = runOnV(getMagnitudes(v)), passed = runOnV(getErrors(v));
  double smallestWeight = type.isF64() ? 0x1p-1000 : 0x1p-100;
  double lost = keys * smallestWeight * std::max(1.0, getExtreme(v, magnitude));
  // Weights up to 1 are summed before they are divided by their sum, which is
  // at most the number of keys.
  double largest = type.isF64() ? std::numeric_limits<double>::max()
                                : std::numeric_limits<float>::max();
  ErrorVectors errors = makeZeros(op);
  if (type.isBF16())
    raiseWhereFlushed(errors, op);
  raiseWhereWeightMayBeZero(errors[0], op, smallestWeight, runOnV);
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i];
    // Where it is a NaN, the bounds themselves are too large.
    if (!(weights <= 0.5) || keys * sums.floats()[i] > largest ||
        (!std::isfinite(value) && !isExact))
      errors[0][i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[0][i] += (1 + weights) * passed.floats()[i] +
                      weights * sums.floats()[i] + lost +
                      1.3 * getRounding(value, type);
  }
  return errors;
}
