//===- SizeProver.cpp - Inequalities between sizes ------------------------===//

#include "TC/Analysis/SizeProver.h"

using namespace mlir;
using namespace tc;

static std::optional<int64_t> finite(int64_t end) {
  return end == INT64_MIN || end == INT64_MAX ? std::nullopt
                                              : std::optional(end);
}

SizeProver::SizeProver(const SizeFacts &facts) : facts(facts) {
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

/// The ends that a condition gives its value less its bound.
static SizeRange rangeOf(SizeRelation relation) {
  switch (relation) {
  case SizeRelation::AtLeast:
    return {0, INT64_MAX, 1};
  case SizeRelation::AtMost:
    return {INT64_MIN, 0, 1};
  case SizeRelation::Equal:
    return SizeRange::constant(0);
  case SizeRelation::MultipleOf:
    return {};
  }
  llvm_unreachable("a relation without a range");
}

void SizeProver::addConditionalFacts() {
  for (const SizePrecondition &condition : facts.getConditional()) {
    // A product of sizes is at least 1 where each is.
    SmallVector<SizeExpr> factors{condition.where};
    if (condition.where.getKind() == SizeExprKind::Product &&
        condition.where.getValue() >= 1)
      factors = llvm::map_to_vector(
          condition.where.getOperands(),
          [](Attribute factor) { return cast<SizeExpr>(factor); });
    bool isAsked = llvm::all_of(factors, [&](SizeExpr factor) {
      return prover.isNonNegative(formOf(factor).plus(-1));
    });
    if (!isAsked)
      continue;
    SizeRange range = rangeOf(condition.relation);
    addRange(formOf(condition.value).plus(formOf(condition.bound), -1),
             finite(range.min), finite(range.max));
  }
}

LinearForm SizeProver::unknownOf(const void *key, bool &isNew) {
  auto [found, inserted] = unknowns.try_emplace(key, 0);
  isNew = inserted;
  if (inserted)
    found->second = prover.addUnknown();
  return LinearForm::unknown(found->second);
}

LinearForm SizeProver::formOf(SizeExpr size) {
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
  switch (atom.getKind()) {
  case SizeExprKind::Symbol:
    // A multiple of its divisor, by a number of its own.
    if (range.divisor > 1) {
      LinearForm same =
          form.plus(LinearForm::unknown(prover.addUnknown()), -range.divisor);
      addRange(same, 0, 0);
    }
    return;
  case SizeExprKind::Product:
    return addProductFacts(atom, form);
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Mod:
    return addQuotientFacts(atom, form);
  case SizeExprKind::Min:
  case SizeExprKind::Max:
    for (Attribute operand : atom.getOperands())
      prover.addFact(formOf(cast<SizeExpr>(operand))
                         .plus(form, -1)
                         .times(atom.getKind() == SizeExprKind::Min ? 1 : -1));
    return;
  default:
    return;
  }
}

/// c * (x floordiv c) <= x <= that + c - 1, and x mod c is the difference.
void SizeProver::addQuotientFacts(SizeExpr quotient, const LinearForm &form) {
  auto operand = cast<SizeExpr>(quotient.getOperands()[0]);
  auto divisor = cast<SizeExpr>(quotient.getOperands()[1]).getConstant();
  if (!divisor || *divisor <= 0)
    return;
  if (quotient.getKind() == SizeExprKind::FloorDiv)
    return addRange(formOf(operand).plus(form, -*divisor), 0, *divisor - 1);
  LinearForm whole = formOf(operand.floorDiv(*divisor)).times(*divisor);
  addRange(formOf(operand).plus(whole, -1).plus(form, -1), 0, 0);
}

/// A product lies between the others' product times an end of each factor.
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
    if (range.max < kMostPoints)
      prover.addFact(formOf(rest).times(range.max).plus(form, -1));
  }
}

bool SizeProver::isAtMost(SizeExpr a, SizeExpr b) {
  if (a == b)
    return true;
  // Below the smaller of two is below both; an end of each is among the facts.
  auto isForAll = [](SizeExpr extreme, auto check) {
    return llvm::all_of(extreme.getOperands(), [&](Attribute operand) {
      return check(cast<SizeExpr>(operand));
    });
  };
  if (b.getKind() == SizeExprKind::Min)
    return isForAll(b, [&](SizeExpr part) { return isAtMost(a, part); });
  if (a.getKind() == SizeExprKind::Max)
    return isForAll(a, [&](SizeExpr part) { return isAtMost(part, b); });
  return prover.isNonNegative(formOf(b).plus(formOf(a), -1));
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
