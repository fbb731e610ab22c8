//===- AttentionBounds.cpp - Error bounds of attention --------------------===//

#include "AttentionBounds.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

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

/// The logarithm of a sum of exponentials is off by as much as the scores, and
/// by the relative error of the sum, in which what is below the smallest normal
/// number may be lost.
static void boundLogSumExp(std::vector<double> &errors, const Tensor &sums,
                           double scores, double relative, bool isExact) {
  Type type = sums.getElementType();
  for (size_t i = 0; i < errors.size(); ++i) {
    double value = sums.floats()[i];
    if (!(scores <= 0.5) || (!std::isfinite(value) && !isExact))
      errors[i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[i] = scores + relative + 4 * getUnit(type) * std::fabs(value) +
                  getRounding(value, type);
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
  if (attention.getLogsumexp())
    boundLogSumExp(errors[1], op.results[1], scores, (keys + 16) * unit,
                   isExact);
  return errors;
}
