//===- OrderBounds.cpp - Error bounds of sorts, norms and attention -------===//

#include "BoundRules.h"
#include "TC/Fuzz/Sampler.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <functional>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether rounding may change which elements of a line come first: some two
/// of them, not both exact, are no further apart than their errors.
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
// Norms
//===----------------------------------------------------------------------===//

/// The operands, with what is too large to be squared in the type that
/// arithmetic is done in taken as unknown.
static SmallVector<Bounded> markTooLarge(const AnalysedOp &op) {
  SmallVector<Bounded> operands(op.operands);
  double large = op.elementType().isF64() ? 1e150 : 1e17;
  for (Bounded &operand : operands)
    for (auto [value, error] :
         llvm::zip_equal(operand.value.floats(), operand.error))
      if (std::isfinite(value) && std::fabs(value) > large)
        error = HUGE_VAL;
  return operands;
}

/// Signs of errors, for all elements of all operands: all up, all down, by
/// each bit of the elements' numbers, so that any two of them are changed in
/// opposite directions once, and random ones.
static SmallVector<std::function<double(uint64_t)>>
getPatterns(uint64_t count, Random &random) {
  SmallVector<std::function<double(uint64_t)>> patterns{
      [](uint64_t) { return 1; }, [](uint64_t) { return -1; }};
  for (unsigned bit = 0; bit < llvm::Log2_64_Ceil(count); ++bit)
    patterns.push_back(
        [=](uint64_t number) { return number >> bit & 1 ? 1 : -1; });
  for (int i = 0; i < 8; ++i)
    patterns.push_back([&](uint64_t) { return random.chance(50) ? 1 : -1; });
  return patterns;
}

/// Runs the op on operands within their bounds, each element on its own, and
/// with what their sums round counted to the operands. Three times the largest
/// change is taken for the bound; where it is a large part of the result, the
/// changes say nothing about what lies between.
ErrorVectors tc::fuzz::boundNorm(const AnalysedOp &given) {
  SmallVector<Bounded> operands = markTooLarge(given);
  AnalysedOp op{given.op, operands, given.results, given.evaluator};
  ErrorVectors errors = makeZeros(op);
  Type type = op.elementType();
  double unit = getComputeUnit(type);
  Random random(uint64_t(op.results[0].getElementCount()) + 1);
  uint64_t count = 1;
  for (const Bounded &operand : operands)
    count += uint64_t(operand.value.getElementCount());
  for (const auto &getSign : getPatterns(count, random)) {
    uint64_t number = 0;
    SmallVector<Tensor> results = op.runOn([&](const Bounded &operand) {
      return mapElements(operand, [&](double value, double error) {
        double sign = getSign(number++), size = std::isinf(error) ? 0 : error;
        if (std::isfinite(value))
          size += 16 * unit * std::fabs(value);
        return size == 0 ? value : value + sign * size;
      });
    });
    raiseToDistances(errors[0], results[0], op.results[0]);
  }
  double largest = 0;
  for (double value : op.results[0].floats())
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i], &error = errors[0][i];
    error *= 3;
    if (error > 0.1 * (std::fabs(value) + largest))
      error = HUGE_VAL;
    if (std::isfinite(value))
      error += 32 * unit * std::fabs(value) + 1.3 * getRounding(value, type) +
               (type.isF64() ? 0 : 0x1p-100);
  }
  raiseWhereUnknown(errors, op);
  return errors;
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
  double scores = scale * depth *
                  (errorQ * (largestK + errorK) + errorK * largestQ +
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
  ErrorVectors errors = makeZeros(op);
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i];
    if (weights > 0.5 || (!std::isfinite(value) && !isExact))
      errors[0][i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[0][i] = (1 + weights) * passed.floats()[i] +
                     weights * sums.floats()[i] +
                     1.3 * getRounding(value, type) + 0x1p-100;
  }
  return errors;
}
