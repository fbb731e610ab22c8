//===- LinearProver.cpp - Inequalities that follow from others ------------===//

#include "TC/Analysis/LinearProver.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/STLExtras.h"

using namespace tc;
using llvm::DynamicAPInt;
using mlir::presburger::IntegerPolyhedron;
using mlir::presburger::PresburgerSpace;

LinearForm LinearForm::of(int64_t constant) {
  LinearForm form;
  form.constant = DynamicAPInt(constant);
  return form;
}

LinearForm LinearForm::unknown(unsigned number) {
  LinearForm form = of(0);
  form.terms.emplace_back(number, DynamicAPInt(1));
  return form;
}

LinearForm LinearForm::plus(const LinearForm &other, int64_t factor) const {
  LinearForm sum = *this;
  sum.constant += other.constant * factor;
  for (const auto &[number, coefficient] : other.terms) {
    auto *known = llvm::find_if(sum.terms, [number = number](auto &term) {
      return term.first == number;
    });
    if (known == sum.terms.end())
      sum.terms.emplace_back(number, coefficient * factor);
    else
      known->second += coefficient * factor;
  }
  llvm::erase_if(sum.terms, [](auto &term) { return term.second == 0; });
  return sum;
}

LinearForm LinearForm::plus(int64_t value) const { return plus(of(value)); }

LinearForm LinearForm::times(int64_t factor) const {
  return of(0).plus(*this, factor);
}

/// `form` as a row of coefficients, the constant last.
static llvm::SmallVector<DynamicAPInt> toRow(const LinearForm &form,
                                             unsigned unknowns) {
  llvm::SmallVector<DynamicAPInt> row(unknowns + 1, DynamicAPInt(0));
  for (const auto &[number, coefficient] : form.terms)
    row[number] = coefficient;
  row[unknowns] = form.constant;
  return row;
}

/// The search for integers takes time that grows fast with their number.
static constexpr unsigned kMostIntegerUnknowns = 16;

bool LinearProver::isNonNegative(const LinearForm &form) const {
  if (form.terms.empty())
    return form.constant >= 0;
  // It follows when the facts and its opposite cannot be true together.
  mlir::presburger::Simplex simplex(unknowns);
  for (const LinearForm &fact : facts)
    simplex.addInequality(toRow(fact, unknowns));
  simplex.addInequality(toRow(form.times(-1).plus(-1), unknowns));
  if (simplex.isEmpty())
    return true;
  // Fractions may satisfy what no integers do: a quotient of at least 1/4.
  if (unknowns > kMostIntegerUnknowns)
    return false;
  IntegerPolyhedron points(PresburgerSpace::getSetSpace(unknowns));
  for (const LinearForm &fact : facts)
    points.addInequality(toRow(fact, unknowns));
  points.addInequality(toRow(form.times(-1).plus(-1), unknowns));
  return !points.findIntegerSample();
}
