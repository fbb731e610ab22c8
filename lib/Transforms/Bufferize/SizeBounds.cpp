//===- SizeBounds.cpp - What the symbols' ranges say of sizes -------------===//

#include "TC/Transforms/Bufferize/SizeBounds.h"
#include "TC/Analysis/SizeRanges.h"
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

SizeBounds::SizeBounds(ArrayRef<tc::SymbolAttr> declared) : symbols(declared) {
  samples.resize(symbols.empty() ? 1 : 3);
  for (tc::SymbolAttr symbol : symbols) {
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

/// Whether an expression has no negative part, its symbols being at least 0.
static bool hasNoNegativePart(SizeExpr expr) {
  auto operand = [&](unsigned index) {
    return cast<SizeExpr>(expr.getOperands()[index]);
  };
  auto partsHaveNone = [&] {
    return llvm::all_of(expr.getOperands(), [](Attribute part) {
      return hasNoNegativePart(cast<SizeExpr>(part));
    });
  };
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
    return expr.getValue() >= 0;
  case SizeExprKind::Symbol:
    return true;
  case SizeExprKind::Sum:
  case SizeExprKind::Product:
    return expr.getValue() >= 0 && partsHaveNone();
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Min:
    return partsHaveNone();
  case SizeExprKind::Mod:
    return operand(1).isConstant() && operand(1).getValue() > 0;
  case SizeExprKind::Max:
    return hasNoNegativePart(operand(0)) || hasNoNegativePart(operand(1));
  }
  return false;
}

/// `expr >= 0` by taking each symbol from its smallest value up, then from its
/// largest value down: what is left must have no negative part.
bool SizeBounds::isNonNegativeInRange(SizeExpr expr) const {
  auto rangeOf = [&](StringRef name) -> std::pair<int64_t, int64_t> {
    for (tc::SymbolAttr symbol : symbols)
      if (symbol.getName() == name)
        return {std::max(symbol.getMin(), -kLargestSize), symbol.getMax()};
    return {0, kLargestSize};
  };
  MLIRContext *context = expr.getContext();
  SizeExpr upwards = expr.substitute([&](StringRef name) {
    return SizeExpr::named(context, name).add(rangeOf(name).first);
  });
  if (hasNoNegativePart(upwards))
    return true;
  bool bounded = true;
  SizeExpr downwards = expr.substitute([&](StringRef name) {
    int64_t largest = rangeOf(name).second;
    bounded &= largest < kLargestSize;
    return SizeExpr::named(context, name)
        .mul(-1)
        .add(std::min(largest, kLargestSize));
  });
  return bounded && hasNoNegativePart(downwards);
}

/// The terms of a sum, without its constant.
static SmallVector<SizeExpr> getTerms(SizeExpr expr) {
  SmallVector<SizeExpr> terms;
  if (expr.getKind() != SizeExprKind::Sum)
    return {expr};
  for (Attribute operand : expr.getOperands())
    terms.push_back(cast<SizeExpr>(operand));
  return terms;
}

bool SizeBounds::isNonNegative(SizeExpr expr, int64_t &budget) const {
  if (--budget < 0)
    return false;
  if (isNonNegativeInRange(expr))
    return true;
  for (SizeExpr term : getTerms(expr)) {
    bool scaled = term.getKind() == SizeExprKind::Product &&
                  term.getOperands().size() == 1;
    int64_t factor = scaled ? term.getValue() : 1;
    SizeExpr atom = scaled ? cast<SizeExpr>(term.getOperands()[0]) : term;
    bool isMax = atom.getKind() == SizeExprKind::Max;
    if (!isMax && atom.getKind() != SizeExprKind::Min &&
        atom.getKind() != SizeExprKind::FloorDiv)
      continue;
    SizeExpr rest = expr.sub(term),
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
