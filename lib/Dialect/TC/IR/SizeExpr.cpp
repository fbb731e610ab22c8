//===- SizeExpr.cpp - Integer expressions over symbols --------------------===//
//
// The canonical form is a sum of products. A product is an integer coefficient
// and a sorted list of atoms; an atom is a symbol, a floordiv, a mod, a min or
// a max. Products are sorted by their atoms' text, the constant comes last.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir;
using namespace tc;

namespace {
/// Atoms of one product, in canonical order.
using Atoms = SmallVector<SizeExpr, 2>;

/// Orders by text, so that the form does not depend on addresses.
struct AtomsLess {
  bool operator()(const Atoms &a, const Atoms &b) const {
    if (a.size() != b.size())
      return a.size() > b.size(); // higher degree first
    for (auto [x, y] : llvm::zip_equal(a, b))
      if (x != y)
        return x.str() < y.str();
    return false;
  }
};

/// A sum of products: coefficient by atoms. No atoms: the constant.
using Polynomial = std::map<Atoms, int64_t, AtomsLess>;
} // namespace

/// Constants beyond 64 bits stop at the end: what contains one is beyond 64
/// bits too and refused where its value is needed. The lower end is -INT64_MAX,
/// so that the negative of a constant is one.
static int64_t addConstants(int64_t a, int64_t b) {
  int64_t sum;
  if (!llvm::AddOverflow(a, b, sum))
    return std::max(sum, -INT64_MAX);
  return a < 0 ? -INT64_MAX : INT64_MAX;
}

static int64_t multiplyConstants(int64_t a, int64_t b) {
  int64_t product;
  if (!llvm::MulOverflow(a, b, product))
    return std::max(product, -INT64_MAX);
  return (a < 0) == (b < 0) ? INT64_MAX : -INT64_MAX;
}

/// `a` floordiv `b`, which is not 0; nothing beyond 64 bits.
static std::optional<int64_t> divideValues(int64_t a, int64_t b) {
  if (llvm::divideSignedWouldOverflow(a, b))
    return std::nullopt;
  return llvm::divideFloorSigned(a, b);
}

/// `a` mod `b`, which is not 0: of the sign of `b`.
static int64_t getRemainder(int64_t a, int64_t b) {
  int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static SizeExpr makeNode(MLIRContext *context, SizeExprKind kind, int64_t value,
                         ArrayRef<Attribute> operands) {
  return SizeExpr::get(context, kind, value, StringAttr::get(context),
                       operands);
}

static SizeExpr operandOf(SizeExpr expr, unsigned index) {
  return cast<SizeExpr>(expr.getOperands()[index]);
}

static void addTerm(Polynomial &sum, const Atoms &atoms, int64_t coefficient) {
  int64_t &held = sum[atoms];
  held = addConstants(held, coefficient);
}

/// Adds `expr * factor` to `sum`.
static void addTerms(Polynomial &sum, SizeExpr expr, int64_t factor) {
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
    addTerm(sum, {}, multiplyConstants(factor, expr.getValue()));
    return;
  case SizeExprKind::Sum:
    for (Attribute term : expr.getOperands())
      addTerms(sum, cast<SizeExpr>(term), factor);
    addTerm(sum, {}, multiplyConstants(factor, expr.getValue()));
    return;
  case SizeExprKind::Product: {
    Atoms atoms;
    for (Attribute atom : expr.getOperands())
      atoms.push_back(cast<SizeExpr>(atom));
    addTerm(sum, atoms, multiplyConstants(factor, expr.getValue()));
    return;
  }
  default:
    addTerm(sum, Atoms{expr}, factor);
  }
}

static SizeExpr makeProduct(MLIRContext *context, int64_t coefficient,
                            const Atoms &atoms) {
  if (atoms.empty())
    return SizeExpr::constant(context, coefficient);
  if (coefficient == 1 && atoms.size() == 1)
    return atoms.front();
  return makeNode(context, SizeExprKind::Product, coefficient,
                  SmallVector<Attribute>(atoms.begin(), atoms.end()));
}

static SizeExpr fromPolynomial(MLIRContext *context, const Polynomial &sum) {
  SmallVector<Attribute> terms;
  int64_t constant = 0;
  for (const auto &[atoms, coefficient] : sum) {
    if (coefficient == 0)
      continue;
    if (atoms.empty())
      constant = coefficient;
    else
      terms.push_back(makeProduct(context, coefficient, atoms));
  }
  if (terms.empty())
    return SizeExpr::constant(context, constant);
  if (terms.size() == 1 && constant == 0)
    return cast<SizeExpr>(terms.front());
  return makeNode(context, SizeExprKind::Sum, constant, terms);
}

SizeExpr SizeExprAttr::constant(MLIRContext *context, int64_t value) {
  return makeNode(context, SizeExprKind::Constant, value, {});
}

SizeExpr SizeExprAttr::named(MLIRContext *context, StringRef name) {
  return SizeExpr::get(context, SizeExprKind::Symbol, 0,
                       StringAttr::get(context, name), {});
}

SizeExpr SizeExprAttr::add(SizeExpr other) const {
  if (isConstant() && other.isConstant())
    return constant(getContext(), addConstants(getValue(), other.getValue()));
  Polynomial sum;
  addTerms(sum, *this, 1);
  addTerms(sum, other, 1);
  return fromPolynomial(getContext(), sum);
}

SizeExpr SizeExprAttr::sub(SizeExpr other) const { return add(other.mul(-1)); }

SizeExpr SizeExprAttr::mul(SizeExpr other) const {
  if (isConstant() && other.isConstant())
    return constant(getContext(),
                    multiplyConstants(getValue(), other.getValue()));
  Polynomial left, right, product;
  addTerms(left, *this, 1);
  addTerms(right, other, 1);
  for (const auto &[leftAtoms, leftCoefficient] : left)
    for (const auto &[rightAtoms, rightCoefficient] : right) {
      Atoms atoms(leftAtoms);
      atoms.append(rightAtoms.begin(), rightAtoms.end());
      llvm::sort(atoms,
                 [](SizeExpr a, SizeExpr b) { return a.str() < b.str(); });
      addTerm(product, atoms,
              multiplyConstants(leftCoefficient, rightCoefficient));
    }
  return fromPolynomial(getContext(), product);
}

SizeExpr SizeExprAttr::add(int64_t other) const {
  return add(constant(getContext(), other));
}
SizeExpr SizeExprAttr::mul(int64_t other) const {
  return mul(constant(getContext(), other));
}
SizeExpr SizeExprAttr::floorDiv(int64_t other) const {
  return floorDiv(constant(getContext(), other));
}

/// Splits `sum` into the products divisible by `divisor` (divided) and the
/// rest.
static void splitByDivisor(const Polynomial &sum, int64_t divisor,
                           Polynomial &quotient, Polynomial &rest) {
  for (const auto &[atoms, coefficient] : sum)
    if (coefficient % divisor == 0)
      quotient[atoms] += coefficient / divisor;
    else
      rest[atoms] += coefficient;
}

/// Divides every product of `expr` by the product `divisor`; fails if one is no
/// multiple.
static std::optional<SizeExpr> divideExactly(SizeExpr expr, SizeExpr divisor) {
  Polynomial sum, by, quotient;
  addTerms(sum, expr, 1);
  addTerms(by, divisor, 1);
  if (by.size() != 1 || by.begin()->second == 0)
    return std::nullopt;
  const auto &[divisorAtoms, divisorCoefficient] = *by.begin();
  for (const auto &[atoms, coefficient] : sum) {
    Atoms left(atoms);
    for (SizeExpr atom : divisorAtoms) {
      auto *found = llvm::find(left, atom);
      if (found == left.end())
        return std::nullopt;
      left.erase(found);
    }
    if (coefficient % divisorCoefficient != 0)
      return std::nullopt;
    quotient[left] += coefficient / divisorCoefficient;
  }
  return fromPolynomial(expr.getContext(), quotient);
}

/// `rest` floordiv `divisor`, where no product is a multiple of the divisor and
/// the constant is in [0, divisor). A common factor goes: 2a + 1 div 4 is a div
/// 2. A division of a division is one: (a div 2 + 1) div 3 is a + 2 div 6.
static SizeExpr divideRest(MLIRContext *context, const Polynomial &rest,
                           int64_t divisor) {
  int64_t factor = divisor, constant = 0;
  for (const auto &[atoms, coefficient] : rest) {
    if (atoms.empty())
      constant = coefficient;
    else
      factor = std::gcd(factor, coefficient);
  }
  Polynomial reduced;
  for (const auto &[atoms, coefficient] : rest)
    reduced[atoms] = llvm::divideFloorSigned(coefficient, factor);
  constant /= factor;
  divisor /= factor;
  SizeExpr dividend = fromPolynomial(context, reduced);
  SizeExpr quotient = dividend.add(-constant);
  if (quotient.getKind() == SizeExprKind::FloorDiv) {
    SizeExpr inner = operandOf(quotient, 1);
    int64_t product;
    // `constant` is below `divisor`.
    if (inner.isConstant() && inner.getValue() > 0 &&
        !llvm::MulOverflow(divisor, inner.getValue(), product))
      return operandOf(quotient, 0)
          .add(constant * inner.getValue())
          .floorDiv(product);
  }
  return makeNode(context, SizeExprKind::FloorDiv, 0,
                  {dividend, SizeExpr::constant(context, divisor)});
}

SizeExpr SizeExprAttr::floorDiv(SizeExpr other) const {
  MLIRContext *context = getContext();
  if (other.isConstant(1))
    return *this;
  if (other.isConstant() && isConstant() && other.getValue() != 0)
    return constant(context,
                    llvm::divideFloorSigned(getValue(), other.getValue()));
  if (auto exact = divideExactly(*this, other); exact && !other.isConstant(0))
    return *exact;
  if (other.isConstant() && other.getValue() > 1) {
    Polynomial sum, quotient, rest;
    addTerms(sum, *this, 1);
    splitByDivisor(sum, other.getValue(), quotient, rest);
    // A constant rest keeps its remainder inside: (4a + 5) div 4 = a + 1 + 1
    // div 4.
    if (auto found = rest.find({}); found != rest.end()) {
      quotient[{}] += llvm::divideFloorSigned(found->second, other.getValue());
      found->second = getRemainder(found->second, other.getValue());
    }
    SizeExpr remainder = fromPolynomial(context, rest);
    SizeExpr outside = fromPolynomial(context, quotient);
    if (remainder.isConstant())
      return outside; // 0 <= remainder < divisor
    SizeExpr inner = divideRest(context, rest, other.getValue());
    return inner.add(outside);
  }
  return makeNode(context, SizeExprKind::FloorDiv, 0, {*this, other});
}

SizeExpr SizeExprAttr::ceilDiv(SizeExpr other) const {
  return mul(-1).floorDiv(other).mul(-1);
}

SizeExpr SizeExprAttr::mod(SizeExpr other) const {
  MLIRContext *context = getContext();
  if (other.isConstant(1))
    return constant(context, 0);
  if (other.isConstant() && isConstant() && other.getValue() > 0)
    return constant(context, llvm::mod(getValue(), other.getValue()));
  if (divideExactly(*this, other) && !other.isConstant(0))
    return constant(context, 0);
  if (other.isConstant() && other.getValue() > 1) {
    Polynomial sum, quotient, rest;
    addTerms(sum, *this, 1);
    splitByDivisor(sum, other.getValue(), quotient, rest);
    if (auto found = rest.find({}); found != rest.end())
      found->second = llvm::mod(found->second, other.getValue());
    SizeExpr remainder = fromPolynomial(context, rest);
    if (remainder.isConstant())
      return remainder;
    return makeNode(context, SizeExprKind::Mod, 0, {remainder, other});
  }
  return makeNode(context, SizeExprKind::Mod, 0, {*this, other});
}

/// Whether `a <= b` for all values of the symbols: their difference is
/// constant, or each has a quotient by one divisor, of dividends whose
/// difference is.
static bool isNeverAbove(SizeExpr a, SizeExpr b) {
  SizeExpr difference = a.sub(b);
  if (auto value = difference.getConstant())
    return *value <= 0;
  if (difference.getKind() != SizeExprKind::Sum ||
      difference.getOperands().size() != 2)
    return false;
  SizeExpr larger, smaller; // added, and taken away
  for (Attribute operand : difference.getOperands()) {
    auto term = cast<SizeExpr>(operand);
    if (term.getKind() == SizeExprKind::FloorDiv)
      larger = term;
    else if (term.mul(-1).getKind() == SizeExprKind::FloorDiv)
      smaller = term.mul(-1);
  }
  if (!larger || !smaller ||
      larger.getOperands()[1] != smaller.getOperands()[1])
    return false;
  std::optional<int64_t> divisor = operandOf(larger, 1).getConstant();
  if (!divisor || *divisor < 1)
    return false;
  // Quotients of x and y differ by at most (x - y) ceildiv divisor.
  std::optional<int64_t> gap =
      operandOf(larger, 0).sub(operandOf(smaller, 0)).getConstant();
  return gap &&
         llvm::divideCeilSigned(*gap, *divisor) + difference.getValue() <= 0;
}

/// min and max of two expressions: one of them where it is known which.
static SizeExpr makeExtreme(SizeExprKind kind, SizeExpr a, SizeExpr b) {
  if (isNeverAbove(a, b))
    return kind == SizeExprKind::Min ? a : b;
  if (isNeverAbove(b, a))
    return kind == SizeExprKind::Min ? b : a;
  if (b.str() < a.str())
    std::swap(a, b);
  return makeNode(a.getContext(), kind, 0, {a, b});
}

SizeExpr SizeExprAttr::min(SizeExpr other) const {
  return makeExtreme(SizeExprKind::Min, *this, other);
}
SizeExpr SizeExprAttr::max(SizeExpr other) const {
  return makeExtreme(SizeExprKind::Max, *this, other);
}

std::optional<int64_t> SizeExprAttr::getConstant() const {
  return isConstant() ? std::optional<int64_t>(getValue()) : std::nullopt;
}

std::optional<int64_t> SizeExprAttr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf) const {
  if (getKind() == SizeExprKind::Constant)
    return getValue();
  if (getKind() == SizeExprKind::Symbol)
    return valueOf(getSymbol().getValue());
  SmallVector<int64_t> values;
  for (Attribute operand : getOperands()) {
    auto value = cast<SizeExpr>(operand).evaluate(valueOf);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  int64_t result = getValue();
  switch (getKind()) {
  case SizeExprKind::Sum:
    for (int64_t value : values)
      if (llvm::AddOverflow(result, value, result))
        return std::nullopt;
    return result;
  case SizeExprKind::Product:
    for (int64_t value : values)
      if (llvm::MulOverflow(result, value, result))
        return std::nullopt;
    return result;
  case SizeExprKind::FloorDiv:
    return values[1] == 0 ? std::nullopt : divideValues(values[0], values[1]);
  case SizeExprKind::Mod:
    return values[1] == 0
               ? std::nullopt
               : std::optional<int64_t>(getRemainder(values[0], values[1]));
  case SizeExprKind::Min:
    return std::min(values[0], values[1]);
  case SizeExprKind::Max:
    return std::max(values[0], values[1]);
  default:
    return std::nullopt;
  }
}

SizeExpr SizeExprAttr::substitute(
    llvm::function_ref<SizeExpr(StringRef)> replacement) const {
  if (getKind() == SizeExprKind::Constant)
    return *this;
  if (getKind() == SizeExprKind::Symbol) {
    SizeExpr value = replacement(getSymbol().getValue());
    return value ? value : *this;
  }
  SmallVector<SizeExpr> operands;
  for (Attribute operand : getOperands())
    operands.push_back(cast<SizeExpr>(operand).substitute(replacement));
  return withOperands(*this, operands);
}

void SizeExprAttr::walkSymbols(
    llvm::function_ref<void(StringRef)> visit) const {
  if (getKind() == SizeExprKind::Symbol)
    visit(getSymbol().getValue());
  for (Attribute operand : getOperands())
    cast<SizeExpr>(operand).walkSymbols(visit);
}
