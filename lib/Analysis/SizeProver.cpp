//===- SizeProver.cpp - Inequalities between sizes ------------------------===//

#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"

using namespace mlir;
using namespace tc;

static std::optional<int64_t> finite(int64_t end) {
  return end == INT64_MIN || end == INT64_MAX ? std::nullopt
                                              : std::optional(end);
}

SizeProver::SizeProver(const SizeFacts &facts) : facts(facts) {
  if (facts.areImpossible())
    prover.addFact(LinearForm::of(-1));
  for (auto [expr, range] : facts.getGuarded())
    addRange(formOf(expr), finite(range.min), finite(range.max));
}

void SizeProver::addRange(const LinearForm &form, std::optional<int64_t> low,
                          std::optional<int64_t> high) {
  if (low)
    prover.addFact(form.plus(LinearForm::of(*low), -1));
  if (high)
    prover.addFact(LinearForm::of(*high).plus(form, -1));
}

void SizeProver::addConditionalFacts() {
  for (const SizePrecondition &condition : facts.getConditional()) {
    bool isAsked =
        llvm::all_of(getFactors(condition.where), [&](SizeExpr factor) {
          return isNonNegative(formOf(factor).plus(-1));
        });
    if (!isAsked || condition.relation == SizeRelation::MultipleOf)
      continue;
    LinearForm difference =
        formOf(condition.value).plus(formOf(condition.bound), -1);
    if (condition.relation != SizeRelation::AtMost)
      prover.addFact(difference);
    if (condition.relation != SizeRelation::AtLeast)
      prover.addFact(difference.times(-1));
  }
}

LinearForm SizeProver::unknownOf(const void *key, bool &isNew) {
  auto [found, inserted] = unknowns.try_emplace(key, 0);
  isNew = inserted;
  if (inserted)
    found->second = prover.addUnknown();
  return LinearForm::unknown(found->second);
}

LinearForm SizeProver::formOf(SizeExpr expr) {
  SizeExpr size = facts.normalize(expr);
  if (size.isConstant())
    return LinearForm::of(size.getValue());
  if (size.getKind() == SizeExprKind::Sum) {
    LinearForm sum = LinearForm::of(size.getValue());
    for (Attribute term : size.getOperands())
      sum = sum.plus(formOf(cast<SizeExpr>(term)));
    return sum;
  }
  if (size.getKind() == SizeExprKind::Product && size.getValue() != 1) {
    SizeExpr atoms = SizeExpr::constant(size.getContext(), 1);
    for (Attribute factor : size.getOperands())
      atoms = atoms.mul(cast<SizeExpr>(factor));
    return formOf(atoms).times(size.getValue());
  }
  bool isNew;
  LinearForm form = unknownOf(size.getAsOpaquePointer(), isNew);
  if (isNew)
    addSizeFacts(size, form);
  return form;
}

void SizeProver::addSizeFacts(SizeExpr atom, const LinearForm &form) {
  SizeRange range = facts.getRanges().of(atom);
  addRange(form, finite(range.min), finite(range.max));
  // A multiple of its divisor, by a number of its own.
  if (range.divisor > 1)
    addRange(
        form.plus(LinearForm::unknown(prover.addUnknown()), -range.divisor), 0,
        0);
  switch (atom.getKind()) {
  case SizeExprKind::Product:
    return addProductFacts(atom, form);
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Mod:
    return addQuotientFacts(atom, form);
  case SizeExprKind::Min:
  case SizeExprKind::Max:
    return addFoldFacts(atom, form);
  default:
    return;
  }
}

/// A minimum is at most each operand, a maximum at least.
void SizeProver::addFoldFacts(SizeExpr fold, const LinearForm &form) {
  Fold known{form.terms.front().first, {}};
  for (Attribute operand : fold.getOperands()) {
    known.operands.push_back(formOf(cast<SizeExpr>(operand)));
    LinearForm difference = known.operands.back().plus(form, -1);
    prover.addFact(
        difference.times(fold.getKind() == SizeExprKind::Min ? 1 : -1));
  }
  folds.push_back(std::move(known));
}

/// c * (x floordiv c) <= x <= that + c - 1, and x mod c is the difference. By a
/// divisor that is no constant, which is checked to be at least 1 before, what
/// is not negative becomes no larger, and not negative.
void SizeProver::addQuotientFacts(SizeExpr quotient, const LinearForm &form) {
  auto operand = cast<SizeExpr>(quotient.getOperands()[0]);
  auto by = cast<SizeExpr>(quotient.getOperands()[1]);
  std::optional<int64_t> divisor = by.getConstant();
  if (!divisor && facts.getRanges().of(operand).min >= 0 &&
      facts.getRanges().of(by).min >= 0) {
    addRange(form, 0, std::nullopt);
    prover.addFact(formOf(operand).plus(form, -1));
    if (quotient.getKind() == SizeExprKind::Mod)
      prover.addFact(formOf(by).plus(-1).plus(form, -1));
    return;
  }
  if (!divisor || *divisor <= 0)
    return;
  if (quotient.getKind() == SizeExprKind::FloorDiv)
    return addRange(formOf(operand).plus(form, -*divisor), 0, *divisor - 1);
  LinearForm whole = formOf(operand.floorDiv(*divisor)).times(*divisor);
  addRange(formOf(operand).plus(whole, -1).plus(form, -1), 0, 0);
}

/// What guards say of a number without an end, times sizes: s * (u + 4) is at
/// least 0 where u + 4 is.
void SizeProver::addMultipliedFacts(SizeExpr factor, SizeExpr sizes) {
  for (auto [expr, range] : facts.getGuarded()) {
    bool isAbout = llvm::any_of(
        getTerms(facts.normalize(expr)),
        [factor](const auto &term) { return term.first == factor; });
    if (!isAbout || !multiplied.insert({expr, sizes}).second)
      continue;
    LinearForm product = formOf(expr.mul(sizes)), once = formOf(sizes);
    if (std::optional<int64_t> low = finite(range.min))
      prover.addFact(product.plus(once, -*low));
    if (std::optional<int64_t> high = finite(range.max))
      prover.addFact(once.times(*high).plus(product, -1));
  }
}

/// A product is between the others' product times an end of each factor.
void SizeProver::addProductFacts(SizeExpr product, const LinearForm &form) {
  for (auto [index, factor] : llvm::enumerate(product.getOperands())) {
    SizeExpr rest = SizeExpr::constant(product.getContext(), 1);
    for (auto [other, operand] : llvm::enumerate(product.getOperands()))
      if (other != index)
        rest = rest.mul(cast<SizeExpr>(operand));
    SizeRange range = facts.getRanges().of(cast<SizeExpr>(factor));
    if (facts.getRanges().of(rest).min < 0)
      continue;
    if (range.min != INT64_MIN)
      prover.addFact(form.plus(formOf(rest), -range.min));
    else
      addMultipliedFacts(cast<SizeExpr>(factor), rest);
    if (range.max < kMostPoints)
      prover.addFact(formOf(rest).times(range.max).plus(form, -1));
  }
}

/// `form >= 0`, which the facts of `prover` alone do not say, in each of the
/// cases that a minimum or maximum is one of its operands.
bool SizeProver::isNonNegative(LinearProver prover, const LinearForm &form,
                               ArrayRef<const Fold *> cases) {
  if (cases.empty())
    return false;
  const Fold &fold = *cases.front();
  return llvm::all_of(fold.operands, [&](const LinearForm &operand) {
    LinearProver known = prover;
    LinearForm difference = LinearForm::unknown(fold.unknown).plus(operand, -1);
    known.addFact(difference);
    known.addFact(difference.times(-1));
    return known.isNonNegative(form) ||
           isNonNegative(std::move(known), form, cases.drop_front());
  });
}

/// Each may double the number of proofs.
static constexpr unsigned kMostSplits = 4;

bool SizeProver::isNonNegative(const LinearForm &form) {
  if (prover.isNonNegative(form))
    return true;
  auto isInForm = [&](const Fold &fold) {
    return llvm::any_of(form.terms, [&](const auto &term) {
      return term.first == fold.unknown;
    });
  };
  // Those that the form has say most.
  SmallVector<const Fold *> cases;
  for (bool isFirst : {true, false})
    for (const Fold &fold : folds)
      if (isInForm(fold) == isFirst)
        cases.push_back(&fold);
  if (cases.size() > kMostSplits)
    cases.truncate(kMostSplits);
  return isNonNegative(prover, form, cases);
}

bool SizeProver::isAtMost(SizeExpr a, SizeExpr b) {
  SizeExpr difference = b.sub(a);
  return facts.getRanges().of(difference).min >= 0 ||
         isNonNegative(formOf(difference));
}

bool SizeProver::proves(const SizePrecondition &condition) {
  SizePrecondition known = condition;
  known.value = facts.normalize(known.value);
  known.bound = facts.normalize(known.bound);
  if (known.where)
    known.where = facts.normalize(known.where);
  // What is false for all sizes may still not be asked for under the facts.
  if (known.decide() == true || facts.areImpossible() ||
      facts.states(condition))
    return true;
  if (known.where) {
    // Where nothing is asked for, nothing has to hold.
    SizeFacts asked = facts;
    asked.assumeAsked(condition.where);
    known = condition;
    known.where = {};
    return SizeProver(asked).proves(known);
  }
  switch (condition.relation) {
  case SizeRelation::AtLeast:
    return isAtMost(known.bound, known.value);
  case SizeRelation::AtMost:
    return isAtMost(known.value, known.bound);
  case SizeRelation::Equal:
    return isAtMost(known.bound, known.value) &&
           isAtMost(known.value, known.bound);
  case SizeRelation::MultipleOf:
    return known.bound.isConstant() && known.bound.getValue() != 0 &&
           facts.getRanges().of(known.value).divisor % known.bound.getValue() ==
               0;
  }
  llvm_unreachable("a relation without a proof");
}

/// The sizes that are no constants, and the bytes of the rest.
static std::pair<Sizes, SizeExpr> splitFactors(MemRefType type) {
  Sizes symbolic;
  SizeExpr bytes = SizeExpr::constant(type.getContext(),
                                      getElementBytes(type.getElementType()));
  for (SizeExpr size : getSizes(type))
    if (size.isConstant())
      bytes = bytes.mul(size);
    else
      symbolic.push_back(size);
  return {symbolic, bytes};
}

bool SizeProver::hasAtMostBytesOf(MemRefType a, MemRefType b) {
  auto [aSizes, aBytes] = splitFactors(a);
  auto [bSizes, bBytes] = splitFactors(b);
  SizeExpr aAll = aBytes, bAll = bBytes;
  for (SizeExpr size : aSizes)
    aAll = aAll.mul(size);
  for (SizeExpr size : bSizes)
    bAll = bAll.mul(size);
  if (isAtMost(aAll, bAll))
    return true;
  // A product whose factors are each at most the other's.
  return aSizes.size() == bSizes.size() && isAtMost(aBytes, bBytes) &&
         llvm::all_of(llvm::zip_equal(aSizes, bSizes), [&](auto sizes) {
           auto [aSize, bSize] = sizes;
           return isAtMost(aSize, bSize);
         });
}
