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

LinearProver::Row LinearProver::toRow(const LinearForm &form) const {
  Row row(unknowns + 1, DynamicAPInt(0));
  for (const auto &[number, coefficient] : form.terms)
    row[number] = coefficient;
  row.back() = form.constant;
  return row;
}

void LinearProver::addFact(const LinearForm &form) {
  if (!form.terms.empty())
    facts.push_back(toRow(form));
  else if (form.constant < 0)
    isImpossible = true;
}

/// The search for integers takes time that grows fast with their number.
static constexpr unsigned kMostIntegerUnknowns = 16;

bool LinearProver::isNonNegative(const LinearForm &form) {
  if (isImpossible || (form.terms.empty() && form.constant >= 0))
    return true;
  // Facts from before an unknown was added do not have it.
  for (Row &row : facts)
    row.insert(std::prev(row.end()), unknowns + 1 - row.size(),
               DynamicAPInt(0));
  // It follows when the facts and its opposite cannot be true together.
  Row opposite = toRow(form.times(-1).plus(-1));
  mlir::presburger::Simplex simplex(unknowns);
  for (const Row &row : facts)
    simplex.addInequality(row);
  simplex.addInequality(opposite);
  if (simplex.isEmpty())
    return true;
  // Fractions may satisfy what no integers do: a quotient of at least 1/4.
  if (unknowns > kMostIntegerUnknowns)
    return false;
  IntegerPolyhedron points(PresburgerSpace::getSetSpace(unknowns));
  for (const Row &row : facts)
    points.addInequality(row);
  points.addInequality(opposite);
  return !points.findIntegerSample();
}
