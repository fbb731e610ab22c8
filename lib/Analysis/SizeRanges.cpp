//===- SizeRanges.cpp - Between what ends a size lies ---------------------===//

#include "TC/Analysis/SizeRanges.h"
#include "mlir/IR/Operation.h"
#include <numeric>

using namespace mlir;
using namespace tc;

using Wide = __int128;

/// `value`, or the end that it lies beyond.
static int64_t clamp(Wide value) {
  return static_cast<int64_t>(
      std::min<Wide>(std::max<Wide>(value, INT64_MIN), INT64_MAX));
}

static bool isInfinite(int64_t end) {
  return end == INT64_MIN || end == INT64_MAX;
}

static int64_t add(int64_t a, int64_t b) {
  if (isInfinite(a) || isInfinite(b))
    return isInfinite(a) ? a : b;
  return clamp(Wide(a) + b);
}

static int64_t multiply(int64_t a, int64_t b) { return clamp(Wide(a) * b); }

static int64_t floorDivide(int64_t a, int64_t b) {
  if (isInfinite(a))
    return a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

SizeRange SizeRange::constant(int64_t value) {
  return {value, value,
          value == INT64_MIN ? 1 : std::max<int64_t>(std::abs(value), 1)};
}

std::optional<SizeRange> SizeRange::intersect(const SizeRange &other) const {
  SizeRange both{std::max(min, other.min), std::min(max, other.max),
                 std::max<int64_t>(
                     1, clamp(Wide(divisor) / std::gcd(divisor, other.divisor) *
                              other.divisor))};
  // Ends that are no multiples are not possible.
  if (!isInfinite(both.min))
    both.min =
        clamp(-Wide(floorDivide(-both.min, both.divisor)) * both.divisor);
  if (!isInfinite(both.max))
    both.max = multiply(floorDivide(both.max, both.divisor), both.divisor);
  if (both.min > both.max)
    return std::nullopt;
  return both;
}

bool SizeRange::isWithin(const SizeRange &other) const {
  bool isMultiple = divisor % other.divisor == 0 || (min == 0 && max == 0);
  return min >= other.min && max <= other.max && isMultiple;
}

std::string SizeRange::str() const {
  if (min == max)
    return std::to_string(min);
  std::string text;
  if (min != INT64_MIN && max != INT64_MAX)
    text = "in [" + std::to_string(min) + ", " + std::to_string(max) + "]";
  else if (min != INT64_MIN)
    text = "at least " + std::to_string(min);
  else if (max != INT64_MAX)
    text = "at most " + std::to_string(max);
  if (divisor > 1)
    text += (text.empty() ? "a multiple of " : ", a multiple of ") +
            std::to_string(divisor);
  return text.empty() ? "any integer" : text;
}

SizeRanges::SizeRanges(Operation *function) {
  if (auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    for (auto symbol : declared.getAsRange<tc::SymbolAttr>())
      facts[SizeExpr::named(function->getContext(), symbol.getName())] = {
          symbol.getMin(), symbol.getMax(), symbol.getDivisor()};
}

SizeRange SizeRanges::of(SizeExpr expr) const {
  if (std::optional<int64_t> value = expr.getConstant())
    return SizeRange::constant(*value);
  SizeRange computed = compute(expr);
  auto fact = facts.find(expr);
  if (fact == facts.end())
    return computed;
  return computed.intersect(fact->second).value_or(fact->second);
}

void SizeRanges::add(SizeExpr expr, const SizeRange &range) {
  facts[expr] = of(expr).intersect(range).value_or(range);
}

static SizeRange addRanges(const SizeRange &a, const SizeRange &b) {
  return {add(a.min, b.min), add(a.max, b.max), std::gcd(a.divisor, b.divisor)};
}

static SizeRange multiplyRanges(const SizeRange &a, const SizeRange &b) {
  int64_t ends[] = {multiply(a.min, b.min), multiply(a.min, b.max),
                    multiply(a.max, b.min), multiply(a.max, b.max)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4),
          std::max<int64_t>(1, multiply(a.divisor, b.divisor))};
}

SizeRange SizeRanges::compute(SizeExpr expr) const {
  auto operand = [&](unsigned index) {
    return of(cast<SizeExpr>(expr.getOperands()[index]));
  };
  auto foldOperands = [&](auto combine) {
    SizeRange result = operand(0);
    for (unsigned i = 1; i < expr.getOperands().size(); ++i)
      result = combine(result, operand(i));
    return result;
  };
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
    return SizeRange::constant(expr.getValue());
  case SizeExprKind::Symbol:
    return {};
  case SizeExprKind::Sum: { // the value is one more summand
    SizeRange sum = foldOperands(addRanges);
    return expr.getValue() == 0
               ? sum
               : addRanges(sum, SizeRange::constant(expr.getValue()));
  }
  case SizeExprKind::Product: // the value is one more factor
    return multiplyRanges(foldOperands(multiplyRanges),
                          SizeRange::constant(expr.getValue()));
  case SizeExprKind::FloorDiv: {
    SizeRange dividend = operand(0), divisor = operand(1);
    if (divisor.min != divisor.max || divisor.min < 1)
      return {};
    return {floorDivide(dividend.min, divisor.min),
            floorDivide(dividend.max, divisor.min), 1};
  }
  case SizeExprKind::Mod: {
    SizeRange dividend = operand(0), divisor = operand(1);
    if (divisor.min < 1)
      return {};
    if (divisor.min == divisor.max && dividend.divisor % divisor.min == 0)
      return SizeRange::constant(0);
    return {0, divisor.max == INT64_MAX ? INT64_MAX : divisor.max - 1, 1};
  }
  case SizeExprKind::Min:
    return foldOperands([](const SizeRange &a, const SizeRange &b) {
      return SizeRange{std::min(a.min, b.min), std::min(a.max, b.max),
                       std::gcd(a.divisor, b.divisor)};
    });
  case SizeExprKind::Max:
    return foldOperands([](const SizeRange &a, const SizeRange &b) {
      return SizeRange{std::max(a.min, b.min), std::max(a.max, b.max),
                       std::gcd(a.divisor, b.divisor)};
    });
  }
  return {};
}
