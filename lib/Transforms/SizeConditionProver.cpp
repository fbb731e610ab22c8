//===- SizeConditionProver.cpp - Which conditions on sizes always hold
//-------------===//

#include "TC/Transforms/SizeConditionProver.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include <numeric>

using namespace mlir;
using namespace tc;

/// The divisor that a guard gives a symbol: `s0 mod 4` is 0, or a range of
/// multiples.
static std::optional<std::pair<StringRef, int64_t>>
getDivisorFact(const SizeFact &fact) {
  SizeExpr subject = fact.subject;
  int64_t divisor = fact.range.divisor;
  if (subject.getKind() == SizeExprKind::Mod && fact.range.min == 0 &&
      fact.range.max == 0) {
    divisor =
        cast<SizeExpr>(subject.getOperands()[1]).getConstant().value_or(1);
    subject = cast<SizeExpr>(subject.getOperands()[0]);
  }
  if (divisor <= 1 || subject.getKind() != SizeExprKind::Symbol)
    return std::nullopt;
  return std::pair(subject.getSymbol().getValue(), divisor);
}

static void addFacts(Region &region, SmallVectorImpl<SizeFact> &facts) {
  for (auto guard : region.getOps<GuardOp>())
    if (std::optional<SizeFact> fact = getSizeFact(guard))
      facts.push_back(*fact);
}

/// What guards say of the function's sizes: its own, and where it is a version
/// those of its dispatch and of the one case that runs it.
static SmallVector<SizeFact> getGuardFacts(Operation *function) {
  SmallVector<SizeFact> facts;
  addFacts(function->getRegion(0), facts);
  auto of = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
  auto dispatch =
      of ? SymbolTable::lookupNearestSymbolFrom<DispatchOp>(function, of)
         : DispatchOp();
  if (!dispatch)
    return facts;
  addFacts(dispatch.getBody(), facts);
  StringRef name = SymbolTable::getSymbolName(function);
  if (llvm::count(dispatch.getVersions(), name) == 1)
    for (auto version : dispatch.getBody().getOps<CaseOp>())
      if (version.getVersion() == name)
        addFacts(version.getGuards(), facts);
  return facts;
}

/// The declared symbols with the divisors that guards give them.
static SmallVector<tc::SymbolAttr> getSymbols(Operation *function) {
  SmallVector<tc::SymbolAttr> symbols = getDeclaredSymbols(function);
  for (const SizeFact &fact : getGuardFacts(function)) {
    auto divisorFact = getDivisorFact(fact);
    if (!divisorFact)
      continue;
    for (tc::SymbolAttr &symbol : symbols)
      if (symbol.getName() == divisorFact->first)
        symbol = tc::SymbolAttr::get(
            symbol.getContext(), symbol.getName(), symbol.getMin(),
            symbol.getMax(),
            std::lcm(symbol.getDivisor(), divisorFact->second));
  }
  return symbols;
}

/// The symbols whose multiples by their divisors the given ones are; those
/// without a divisor are themselves.
static SmallVector<tc::SymbolAttr>
divideSymbols(ArrayRef<tc::SymbolAttr> symbols) {
  return llvm::map_to_vector(symbols, [](tc::SymbolAttr symbol) {
    int64_t divisor = symbol.getDivisor();
    if (divisor == 1)
      return symbol;
    int64_t max = symbol.getMax(), min = symbol.getMin();
    return tc::SymbolAttr::get(
        symbol.getContext(), symbol.getName(),
        std::min(min / divisor + (min % divisor != 0), max / divisor),
        max == INT64_MAX ? max : max / divisor, 1);
  });
}

SizeConditionProver::SizeConditionProver(Operation *function)
    : ranges(divideSymbols(getSymbols(function))),
      bounds(divideSymbols(getSymbols(function))) {
  for (tc::SymbolAttr symbol : getSymbols(function))
    if (symbol.getDivisor() > 1)
      multiples[symbol.getName()] =
          SizeExpr::named(symbol.getContext(), symbol.getName())
              .mul(symbol.getDivisor());
  for (const SizeFact &fact : getGuardFacts(function))
    addFact(normalize(fact.subject), fact.range);
}

SizeExpr SizeConditionProver::normalize(SizeExpr expr) const {
  return multiples.empty() ? expr : expr.substitute([&](StringRef name) {
    return multiples.lookup(name);
  });
}

void SizeConditionProver::addFact(SizeExpr expr, const SizeRange &range) {
  if (!expr.isConstant())
    ranges.add(expr, range);
}

bool SizeConditionProver::isNonNegative(SizeExpr expr) {
  return ranges.of(expr).min >= 0 ||
         bounds.isAtMost(SizeExpr::constant(expr.getContext(), 0), expr);
}

bool SizeConditionProver::proves(const SizePrecondition &condition) {
  SizePrecondition known = condition;
  known.value = normalize(known.value);
  known.bound = normalize(known.bound);
  if (known.where)
    known.where = normalize(known.where);
  if (std::optional<bool> decided = known.decide())
    return *decided;
  auto key =
      std::pair(std::pair<Attribute, Attribute>(known.value, known.bound),
                std::pair<Attribute, int>(known.where, int(known.relation)));
  if (held.contains(key))
    return true;
  SizeExpr difference = known.value.sub(known.bound);
  auto isProved = [&] {
    switch (known.relation) {
    case SizeRelation::AtLeast:
      return isNonNegative(difference);
    case SizeRelation::AtMost:
      return isNonNegative(difference.mul(-1));
    case SizeRelation::Equal:
      return isNonNegative(difference) && isNonNegative(difference.mul(-1));
    case SizeRelation::MultipleOf:
      return known.bound.isConstant() && known.bound.getValue() != 0 &&
             ranges.of(known.value).divisor % known.bound.getValue() == 0;
    }
    llvm_unreachable("a relation without a proof");
  };
  if (!known.where)
    return isProved();
  // Where nothing is asked for, nothing has to hold.
  SizeRanges before = ranges;
  addFact(known.where.add(-1), {0, INT64_MAX, 1});
  bool proved = isProved();
  ranges = std::move(before);
  return proved;
}

void SizeConditionProver::assume(const SizePrecondition &condition) {
  SizeExpr value = normalize(condition.value),
           bound = normalize(condition.bound);
  SizeExpr where = condition.where ? normalize(condition.where) : SizeExpr();
  held.insert({{value, bound}, {where, int(condition.relation)}});
  if (where)
    return;
  switch (condition.relation) {
  case SizeRelation::AtLeast:
    return addFact(value.sub(bound), {0, INT64_MAX, 1});
  case SizeRelation::AtMost:
    return addFact(bound.sub(value), {0, INT64_MAX, 1});
  case SizeRelation::Equal:
    return addFact(value.sub(bound), SizeRange::constant(0));
  case SizeRelation::MultipleOf:
    if (bound.isConstant() && bound.getValue() > 0)
      addFact(value, {INT64_MIN, INT64_MAX, bound.getValue()});
  }
}
