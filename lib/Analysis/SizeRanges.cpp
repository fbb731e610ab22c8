//===- SizeRanges.cpp - Least and largest values of sizes -----------------===//

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include <numeric>

using namespace mlir;
using namespace tc;

using Wide = __int128;

/// `value`, or the bound that it is beyond.
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

std::optional<SizeFact> tc::getSizeFact(GuardOp guard) {
  auto optional = [](std::optional<uint64_t> value, int64_t otherwise) {
    return value ? static_cast<int64_t>(*value) : otherwise;
  };
  SizeRange range{optional(guard.getMin(), INT64_MIN),
                  optional(guard.getMax(), INT64_MAX), 1};
  if (guard.getInputs().empty()) {
    if (guard.getKind() != GuardKind::Scalar || !guard.getExpr())
      return std::nullopt;
    return SizeFact{*guard.getExpr(), range};
  }
  auto type = dyn_cast<ShapedType>(guard.getInputs().front().getType());
  if (!type)
    return std::nullopt;
  auto size = [&] { return getSizes(type)[*guard.getDim()]; };
  switch (guard.getKind()) {
  case GuardKind::SizeEqual:
    if (std::optional<int64_t> value = guard.getExpr()->getConstant())
      return SizeFact{size(), SizeRange::constant(*value)};
    return SizeFact{size().sub(*guard.getExpr()), SizeRange::constant(0)};
  case GuardKind::SizeRange:
    return SizeFact{size(), range};
  case GuardKind::SizeMultiple:
    return SizeFact{size(),
                    {INT64_MIN, INT64_MAX, optional(guard.getDivisor(), 1)}};
  default:
    return std::nullopt;
  }
}

SmallVector<tc::SymbolAttr> tc::getDeclaredSymbols(Operation *function) {
  auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  return declared ? llvm::to_vector(declared.getAsRange<tc::SymbolAttr>())
                  : SmallVector<tc::SymbolAttr>();
}

SizeRanges::SizeRanges(ArrayRef<tc::SymbolAttr> symbols) {
  for (tc::SymbolAttr symbol : symbols)
    facts[SizeExpr::named(symbol.getContext(), symbol.getName())] = {
        symbol.getMin(), symbol.getMax(), symbol.getDivisor()};
}

static SizeRange addRanges(const SizeRange &a, const SizeRange &b) {
  return {add(a.min, b.min), add(a.max, b.max), std::gcd(a.divisor, b.divisor)};
}

/// The range of minus a value.
static SizeRange negate(const SizeRange &range) {
  auto opposite = [](int64_t end) {
    return end == INT64_MIN ? INT64_MAX : end == INT64_MAX ? INT64_MIN : -end;
  };
  return {opposite(range.max), opposite(range.min), range.divisor};
}

/// The range of a value with `constant` added.
static SizeRange shift(const SizeRange &range, int64_t constant) {
  return constant == 0 ? range
                       : addRanges(range, SizeRange::constant(constant));
}

/// What facts say of `expr`, or of a sum that differs by a constant or a sign.
SizeRange SizeRanges::lookUp(SizeExpr expr) const {
  if (auto fact = facts.find(expr); fact != facts.end())
    return fact->second;
  if (!hasFactsOfSums || expr.getKind() != SizeExprKind::Sum)
    return {};
  int64_t constant = expr.getValue();
  SizeExpr base = expr.add(-constant);
  if (auto fact = facts.find(base); fact != facts.end())
    return shift(fact->second, constant);
  if (auto fact = facts.find(base.mul(-1)); fact != facts.end())
    return shift(negate(fact->second), constant);
  return {};
}

SizeRange SizeRanges::of(SizeExpr expr) const {
  if (std::optional<int64_t> value = expr.getConstant())
    return SizeRange::constant(*value);
  SizeRange fact = lookUp(expr);
  return compute(expr).intersect(fact).value_or(fact);
}

void SizeRanges::add(SizeExpr expr, const SizeRange &range) {
  SizeRange known = range;
  if (expr.getKind() == SizeExprKind::Sum && expr.getValue() != 0) {
    known = shift(range, -expr.getValue());
    expr = expr.add(-expr.getValue());
  }
  if (expr.getKind() == SizeExprKind::Product && expr.getValue() != 1) {
    int64_t factor = expr.getValue();
    if (factor < 0)
      known = negate(known);
    expr = expr.floorDiv(factor);
    factor = std::abs(factor);
    known = {isInfinite(known.min) ? known.min
                                   : -floorDivide(-known.min, factor),
             floorDivide(known.max, factor),
             known.divisor / std::gcd(known.divisor, factor)};
  }
  hasFactsOfSums |= expr.getKind() == SizeExprKind::Sum;
  facts[expr] = of(expr).intersect(known).value_or(known);
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
    // A divisor is checked to be at least 1 before.
    if (divisor.min != divisor.max && dividend.min >= 0 && divisor.min >= 0)
      return {0, dividend.max, 1};
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
