//===- DiscontinuityBounds.cpp - Bounds over steps, poles and periods -----===//
//
// Over most functions the ends of an operand's bound show how far the result
// spreads. They do not where a step, a pole or a period is between them.
//
//===----------------------------------------------------------------------===//

#include "DiscontinuityBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {
/// An element of an operand and how far it may be off.
struct Element {
  double value, error;

  double low() const { return value - error; }
  double high() const { return value + error; }
  /// Whether some number is within both bounds.
  bool overlaps(const Element &other) const {
    return low() <= other.high() && other.low() <= high();
  }
  /// Whether an integer is within the bound.
  bool hasInteger() const { return std::floor(high()) >= std::ceil(low()); }
};
} // namespace

static Element getElement(const Bounded &operand, size_t i) {
  return {operand.value.floats()[i], operand.error[i]};
}

/// How far x / y may be off before it is rounded to an integer: by the
/// operands' bounds, and by `units` roundings of the quotient. Infinite where y
/// may be 0.
static double getQuotientError(Element x, Element y, double units) {
  double least = std::fabs(y.value) - y.error;
  double quotient = std::fabs(x.value / y.value);
  if (least <= 0)
    return HUGE_VAL;
  return (x.error + quotient * y.error) / least + units * quotient;
}

/// The quotient that is rounded to an integer may be on the other side of one:
/// that of trunc_div is rounded to the type of arithmetic before. That of
/// floor_div is made from an exact remainder.
static double boundStep(Operation *op, Element x, Element y, double unit) {
  double quotient = x.value / y.value;
  bool isTruncated = isa<TruncDivOp>(op);
  double error = getQuotientError(x, y, isTruncated ? 2 * unit : 0);
  auto round = [&](double value) {
    return isTruncated ? std::trunc(value) : std::floor(value);
  };
  return std::max(round(quotient + error) - round(quotient),
                  round(quotient) - round(quotient - error));
}

/// A remainder x - k y is as far off as its operands while k is the same, else
/// it may be anything between 0 and y; that of fmod, of either sign. By 0 it is
/// NaN.
static std::optional<double> boundRemainder(Operation *op, Element x,
                                            Element y) {
  double quotient = x.value / y.value, error = getQuotientError(x, y, 0);
  if (std::isinf(error))
    return HUGE_VAL;
  auto round = [&](double value) {
    return isa<FmodOp>(op) ? std::trunc(value) : std::floor(value);
  };
  if (error == 0 || round(quotient - error) == round(quotient + error))
    return std::nullopt;
  double largest = std::fabs(y.value) + y.error;
  return isa<FmodOp>(op) ? 2 * largest : largest;
}

/// Between two poles the tangent only rises.
static std::optional<double> boundTangent(Element x) {
  bool hasPole = x.error > 1.5 || std::tan(x.high()) < std::tan(x.low());
  return x.error > 0 && hasPole ? std::optional(HUGE_VAL) : std::nullopt;
}

std::optional<double> tc::fuzz::boundDiscontinuity(const AnalysedOp &op,
                                                   size_t i) {
  if (!isFloatTensor(op.operands[0].value))
    return std::nullopt;
  Element x = getElement(op.operands[0], i);
  if (!std::isfinite(x.value) || !std::isfinite(x.error))
    return std::nullopt;
  if (isa<TanOp>(op.op))
    return boundTangent(x);
  // More than a quarter of a period, which ends where it began.
  if (isa<SinOp, CosOp>(op.op))
    return x.error > 1.5 ? std::optional(2.0) : std::nullopt;
  // The logarithm of the gamma function has poles at 0, -1, -2 ...
  if (isa<LgammaOp>(op.op))
    return x.error > 0 && x.low() <= 0 && x.hasInteger()
               ? std::optional(HUGE_VAL)
               : std::nullopt;
  if (op.operands.size() < 2 || !isFloatTensor(op.operands[1].value))
    return std::nullopt;
  Element y = getElement(op.operands[1], i);
  if (!std::isfinite(y.value) || !std::isfinite(y.error))
    return std::nullopt;
  // Equal somewhere between the ends, not at them.
  if (isa<EqOp, NeOp>(op.op))
    return x.error + y.error > 0 && x.overlaps(y) ? std::optional(HUGE_VAL)
                                                  : std::nullopt;
  // Of a negative base the integer powers alone are no NaN.
  if (isa<PowOp>(op.op))
    return y.error > 0 && x.low() < 0 && y.hasInteger()
               ? std::optional(HUGE_VAL)
               : std::nullopt;
  if (y.value == 0)
    return std::nullopt;
  if (isa<TruncDivOp, FloorDivOp>(op.op))
    return boundStep(op.op, x, y, getComputeUnit(op.elementType()));
  if (isa<FmodOp, RemainderOp>(op.op))
    return boundRemainder(op.op, x, y);
  return std::nullopt;
}
