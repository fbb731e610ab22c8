//===- SizeBounds.cpp - What the symbols' ranges say of sizes -------------===//

#include "TC/Transforms/Bufferize/SizeBounds.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include <cmath>

using namespace mlir;
using namespace tc;

/// A range's end beyond this is no size but the lack of a bound.
static constexpr int64_t kLargestSize = int64_t(1) << 31;
/// Where an unbounded symbol is looked at, relative to its smallest value.
static constexpr int64_t kTypicalSize = 1024;

static int64_t roundToDivisor(int64_t value, tc::SymbolAttr symbol) {
  int64_t divisor = std::max<int64_t>(symbol.getDivisor(), 1);
  int64_t rounded = value / divisor * divisor;
  return rounded < symbol.getMin() ? rounded + divisor : rounded;
}

SizeBounds::SizeBounds(Operation *function)
    : SizeBounds(getDeclaredSymbols(function)) {}

SizeBounds::SizeBounds(ArrayRef<tc::SymbolAttr> symbols)
    : ranges(symbols), steps(ArrayRef<tc::SymbolAttr>()) {
  samples.resize(symbols.empty() ? 1 : 3);
  for (tc::SymbolAttr symbol : symbols) {
    steps.add(SizeExpr::named(symbol.getContext(), symbol.getName()),
              {/*min=*/0, INT64_MAX, /*divisor=*/1});
    int64_t smallest = std::max<int64_t>(symbol.getMin(), 0);
    int64_t largest = symbol.getMax();
    if (largest >= kLargestSize)
      largest = std::max(smallest, kTypicalSize);
    auto middle = static_cast<int64_t>(
        std::sqrt(double(std::max<int64_t>(smallest, 1)) * double(largest)));
    int64_t values[] = {smallest, middle, largest};
    for (auto [sample, value] : llvm::zip_equal(samples, values))
      sample[symbol.getName()] = roundToDivisor(value, symbol);
  }
}

std::optional<int64_t> SizeBounds::evaluate(SizeExpr expr,
                                            unsigned sample) const {
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto found = samples[sample].find(name);
    if (found == samples[sample].end())
      return std::nullopt;
    return found->second;
  });
}

bool SizeBounds::isNonNegativeInRange(SizeExpr expr) const {
  MLIRContext *context = expr.getContext();
  SizeExpr upwards = expr.substitute([&](StringRef name) {
    SizeExpr symbol = SizeExpr::named(context, name);
    return symbol.add(std::max(ranges.of(symbol).min, -kLargestSize));
  });
  if (steps.of(upwards).min >= 0)
    return true;
  bool isBounded = true;
  SizeExpr downwards = expr.substitute([&](StringRef name) {
    SizeExpr symbol = SizeExpr::named(context, name);
    int64_t largest = ranges.of(symbol).max;
    isBounded &= largest < kLargestSize;
    return symbol.mul(-1).add(std::min(largest, kLargestSize));
  });
  return isBounded && steps.of(downwards).min >= 0;
}

bool SizeBounds::isNonNegative(SizeExpr expr, int64_t &budget) const {
  if (--budget < 0)
    return false;
  if (isNonNegativeInRange(expr))
    return true;
  for (auto [atom, factor] : getTerms(expr)) {
    bool isMax = atom.getKind() == SizeExprKind::Max;
    if (!isMax && atom.getKind() != SizeExprKind::Min &&
        atom.getKind() != SizeExprKind::FloorDiv)
      continue;
    SizeExpr rest = expr.sub(atom.mul(factor)),
             first = cast<SizeExpr>(atom.getOperands()[0]),
             second = cast<SizeExpr>(atom.getOperands()[1]);
    if (atom.getKind() == SizeExprKind::FloorDiv) {
      int64_t divisor = second.getConstant().value_or(0);
      if (divisor <= 0 || factor % divisor != 0)
        return false;
      // (a - (d - 1)) / d <= a floordiv d <= a / d
      SizeExpr bound = factor > 0 ? first.add(1 - divisor) : first;
      return isNonNegative(rest.add(bound.mul(factor / divisor)), budget);
    }
    // A maximum that is added is at least either operand; one that is taken
    // away may be either.
    bool either = isMax == (factor > 0);
    bool withFirst = isNonNegative(rest.add(first.mul(factor)), budget);
    if (withFirst == either)
      return either;
    return isNonNegative(rest.add(second.mul(factor)), budget);
  }
  return false;
}

bool SizeBounds::isAtMost(SizeExpr a, SizeExpr b) {
  if (a == b)
    return true;
  SizeExpr difference = b.sub(a);
  if (std::optional<int64_t> value = difference.getConstant())
    return *value >= 0;
  auto [found, isNew] = known.try_emplace({a, b}, false);
  if (!isNew)
    return found->second;
  int64_t budget = 32;
  return found->second = isNonNegative(difference, budget);
}

SizeExpr tc::getBytes(MemRefType type) {
  return getElementCount(getSizes(type), type.getContext())
      .mul(getElementBytes(type.getElementType()));
}

SizeExpr tc::getAlignedBytes(MemRefType type) {
  return getBytes(type).add(63).floorDiv(64).mul(64);
}
