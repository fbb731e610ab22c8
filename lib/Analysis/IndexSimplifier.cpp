//===- IndexSimplifier.cpp - Affine expressions over bounded dims ---------===//

#include "TC/Analysis/IndexSimplifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// A bound that does not fit is no bound: symbols may reach the largest i64.
static std::optional<int64_t> add(std::optional<int64_t> a,
                                  std::optional<int64_t> b) {
  return a && b ? llvm::checkedAdd(*a, *b) : std::nullopt;
}

static std::optional<int64_t> multiply(std::optional<int64_t> a,
                                       std::optional<int64_t> b) {
  return a && b ? llvm::checkedMul(*a, *b) : std::nullopt;
}

static IndexRange operator+(IndexRange a, IndexRange b) {
  return {add(a.low, b.low), add(a.high, b.high)};
}

static IndexRange scale(IndexRange range, int64_t factor) {
  if (factor == 0)
    return IndexRange::point(0);
  if (factor < 0)
    std::swap(range.low, range.high);
  return {multiply(range.low, factor), multiply(range.high, factor)};
}

static IndexRange floorDiv(IndexRange range, int64_t divisor) {
  if (range.low)
    range.low = llvm::divideFloorSigned(*range.low, divisor);
  if (range.high)
    range.high = llvm::divideFloorSigned(*range.high, divisor);
  return range;
}

/// The range of the smaller of two values.
static IndexRange smaller(IndexRange a, IndexRange b) {
  if (a.low && b.low)
    a.low = std::min(*a.low, *b.low);
  else
    a.low = std::nullopt;
  if (!a.high || (b.high && *b.high < *a.high))
    a.high = b.high;
  return a;
}

/// What the functions around `op` declare of `symbol`; null where none does.
static SymbolAttr findSymbol(Operation *op, StringRef symbol) {
  for (; op; op = op->getParentOp()) {
    auto symbols = op->getAttrOfType<ArrayAttr>(kSymbolsAttr);
    if (!symbols)
      continue;
    for (Attribute attribute : symbols)
      if (auto declared = dyn_cast<SymbolAttr>(attribute);
          declared && declared.getName() == symbol)
        return declared;
  }
  return {};
}

IndexRange tc::getSymbolRange(Operation *op, StringRef symbol) {
  SymbolAttr declared = findSymbol(op, symbol);
  if (!declared)
    return {0, std::nullopt};
  return {declared.getMin() == INT64_MIN
              ? std::nullopt
              : std::optional<int64_t>(declared.getMin()),
          declared.getMax()};
}

std::optional<int64_t> tc::getLikelyValue(Operation *op, StringRef symbol) {
  SymbolAttr declared = findSymbol(op, symbol);
  if (!declared || declared.getLikely() == 0)
    return std::nullopt;
  return declared.getLikely();
}

IndexRange tc::getSizeRange(Operation *op, SizeExprAttr size) {
  auto operand = [&](unsigned index) {
    return getSizeRange(op, cast<SizeExprAttr>(size.getOperands()[index]));
  };
  switch (size.getKind()) {
  case SizeExprKind::Constant:
    return IndexRange::point(size.getValue());
  case SizeExprKind::Symbol:
    return getSymbolRange(op, size.getSymbol().getValue());
  case SizeExprKind::Sum: {
    IndexRange sum = IndexRange::point(size.getValue());
    for (unsigned index = 0; index < size.getOperands().size(); ++index)
      sum = sum + operand(index);
    return sum;
  }
  case SizeExprKind::Product: {
    IndexRange product = IndexRange::point(1);
    for (unsigned index = 0; index < size.getOperands().size(); ++index) {
      IndexRange factor = operand(index);
      if (!factor.low || *factor.low < 0)
        return {};
      product.low = multiply(product.low, factor.low);
      product.high = multiply(product.high, factor.high);
    }
    return scale(product, size.getValue());
  }
  case SizeExprKind::FloorDiv:
    if (auto divisor = cast<SizeExprAttr>(size.getOperands()[1]).getConstant();
        divisor && *divisor > 0)
      return floorDiv(operand(0), *divisor);
    return {};
  case SizeExprKind::Mod:
    if (auto divisor = cast<SizeExprAttr>(size.getOperands()[1]).getConstant();
        divisor && *divisor > 0)
      return {0, *divisor - 1};
    return {};
  case SizeExprKind::Min:
    return smaller(operand(0), operand(1));
  case SizeExprKind::Max: // minus the minimum of what is negated
    return scale(smaller(scale(operand(0), -1), scale(operand(1), -1)), -1);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Linear forms
//===----------------------------------------------------------------------===//

/// A sum of products of an integer and an atom: a dimension, a symbol, or a
/// `floordiv`, `mod` or product that does not simplify.
struct IndexSimplifier::Linear {
  SmallVector<std::pair<AffineExpr, int64_t>, 4> terms;
  int64_t constant = 0;

  void add(AffineExpr atom, int64_t factor) {
    for (auto &[known, coefficient] : terms)
      if (known == atom) {
        coefficient += factor;
        if (coefficient == 0)
          llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
        return;
      }
    if (factor != 0)
      terms.emplace_back(atom, factor);
  }
  void add(const Linear &other, int64_t factor) {
    for (auto [atom, coefficient] : other.terms)
      add(atom, coefficient * factor);
    constant += other.constant * factor;
  }
  /// The terms whose coefficient is a multiple of `divisor`, divided by it;
  /// they and the constant's multiple leave this form.
  Linear takeMultiples(int64_t divisor) {
    Linear multiples;
    for (auto [atom, coefficient] : terms)
      if (coefficient % divisor == 0)
        multiples.terms.emplace_back(atom, coefficient / divisor);
    llvm::erase_if(terms,
                   [&](auto &term) { return term.second % divisor == 0; });
    multiples.constant = llvm::divideFloorSigned(constant, divisor);
    constant -= multiples.constant * divisor;
    return multiples;
  }
  /// `x` and `a` where this form is nothing but `x kind a` with a constant a.
  std::optional<std::pair<AffineExpr, int64_t>>
  getOperands(AffineExprKind kind) const {
    if (terms.size() != 1 || terms[0].second != 1 || constant != 0)
      return std::nullopt;
    auto atom = dyn_cast<AffineBinaryOpExpr>(terms[0].first);
    if (!atom || atom.getKind() != kind)
      return std::nullopt;
    auto right = dyn_cast<AffineConstantExpr>(atom.getRHS());
    if (!right)
      return std::nullopt;
    return std::pair(atom.getLHS(), right.getValue());
  }
};

/// A form as base * high + low with low in [0, base).
struct IndexSimplifier::Digits {
  Linear high, low;
  int64_t base;
};

IndexSimplifier::IndexSimplifier(MLIRContext *context,
                                 ArrayRef<IndexRange> dimRanges,
                                 ArrayRef<IndexRange> symbolRanges)
    : context(context), dimRanges(dimRanges), symbolRanges(symbolRanges) {}

IndexSimplifier::IndexSimplifier(KernelOp kernel)
    : context(kernel.getContext()) {
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    IndexRange size = getSizeRange(kernel, kernel.getDimSize(dim));
    IndexRange range{0, std::nullopt};
    // A dimension without points must not vanish from maps as one of a single
    // point does, nor what it is divided by.
    if (size.high && size.low && *size.low > 0)
      range.high = *size.high - 1;
    dimRanges.push_back(range);
  }
  for (Attribute symbol : kernel.getSymbols())
    symbolRanges.push_back(getSizeRange(kernel, cast<SizeExprAttr>(symbol)));
}

IndexRange IndexSimplifier::getRange(const Linear &linear) const {
  IndexRange range = IndexRange::point(linear.constant);
  for (auto [atom, coefficient] : linear.terms)
    range = range + scale(getRange(atom), coefficient);
  return range;
}

IndexRange IndexSimplifier::getRange(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexRange::point(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() < dimRanges.size() ? dimRanges[dim.getPosition()]
                                                : IndexRange();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < symbolRanges.size()
               ? symbolRanges[symbol.getPosition()]
               : IndexRange();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return getRange(binary.getLHS()) + getRange(binary.getRHS());
  case AffineExprKind::Mul:
    return right ? scale(getRange(binary.getLHS()), right.getValue())
                 : IndexRange();
  case AffineExprKind::FloorDiv:
    return right && right.getValue() > 0
               ? floorDiv(getRange(binary.getLHS()), right.getValue())
               : IndexRange();
  case AffineExprKind::Mod:
    return right && right.getValue() > 0 ? IndexRange{0, right.getValue() - 1}
                                         : IndexRange{0, std::nullopt};
  default:
    return {};
  }
}

/// The digits of `dividend` for a base that divides `divisor`, if there are.
std::optional<IndexSimplifier::Digits>
IndexSimplifier::splitDigits(const Linear &dividend, int64_t divisor) const {
  for (auto [atom, coefficient] : dividend.terms) {
    if (coefficient <= 1 || divisor % coefficient != 0)
      continue;
    Linear low = dividend;
    Linear high = low.takeMultiples(coefficient);
    if (getRange(low).isWithin(0, coefficient - 1))
      return Digits{high, low, coefficient};
  }
  return std::nullopt;
}

/// (w * m + r) floordiv m -> w + r floordiv m, and smaller where it can be.
IndexSimplifier::Linear
IndexSimplifier::flattenFloorDiv(Linear dividend, int64_t divisor) const {
  Linear quotient = dividend.takeMultiples(divisor);
  IndexRange range = getRange(dividend);
  if (range.low && range.high &&
      llvm::divideFloorSigned(*range.low, divisor) ==
          llvm::divideFloorSigned(*range.high, divisor)) {
    quotient.constant += llvm::divideFloorSigned(*range.low, divisor);
    return quotient;
  }
  // (g * x + y) floordiv m -> x floordiv (m / g) for g that divides m and y in
  // [0, g).
  if (auto digits = splitDigits(dividend, divisor)) {
    quotient.add(flattenFloorDiv(digits->high, divisor / digits->base), 1);
    return quotient;
  }
  // (x floordiv a) floordiv b -> x floordiv (a * b).
  if (auto inner = dividend.getOperands(AffineExprKind::FloorDiv);
      inner && inner->second > 0) {
    quotient.add(build(flatten(inner->first)).floorDiv(inner->second * divisor),
                 1);
    return quotient;
  }
  quotient.add(build(dividend).floorDiv(divisor), 1);
  return quotient;
}

/// (w * m + r) mod m -> r mod m, and smaller where it can be.
IndexSimplifier::Linear IndexSimplifier::flattenMod(Linear dividend,
                                                    int64_t divisor) const {
  dividend.takeMultiples(divisor);
  IndexRange range = getRange(dividend);
  if (range.low && range.high) {
    int64_t quotient = llvm::divideFloorSigned(*range.low, divisor);
    if (quotient == llvm::divideFloorSigned(*range.high, divisor)) {
      dividend.constant -= quotient * divisor;
      return dividend;
    }
  }
  // (g * x + y) mod m -> g * (x mod (m / g)) + y for g that divides m and y in
  // [0, g).
  if (auto digits = splitDigits(dividend, divisor)) {
    Linear result = digits->low;
    result.add(flattenMod(digits->high, divisor / digits->base), digits->base);
    return result;
  }
  // (x mod a) mod b -> x mod b for b that divides a.
  if (auto inner = dividend.getOperands(AffineExprKind::Mod);
      inner && inner->second % divisor == 0)
    return flattenMod(flatten(inner->first), divisor);
  Linear result;
  result.add(build(dividend) % divisor, 1);
  return result;
}

/// c * m * (e floordiv m) + c * (e mod m) -> c * e.
void IndexSimplifier::recombine(Linear &linear) const {
  for (size_t index = 0; index < linear.terms.size(); ++index) {
    auto [atom, coefficient] = linear.terms[index];
    auto remainder = dyn_cast<AffineBinaryOpExpr>(atom);
    if (!remainder || remainder.getKind() != AffineExprKind::Mod)
      continue;
    auto divisor = dyn_cast<AffineConstantExpr>(remainder.getRHS());
    if (!divisor || divisor.getValue() <= 0) // of an empty dimension
      continue;
    Linear quotient =
        flattenFloorDiv(flatten(remainder.getLHS()), divisor.getValue());
    if (quotient.terms.size() != 1 || quotient.terms[0].second != 1)
      continue;
    auto *found = llvm::find_if(linear.terms, [&](auto &term) {
      return term.first == quotient.terms[0].first &&
             term.second == coefficient * divisor.getValue();
    });
    if (found == linear.terms.end())
      continue;
    Linear whole = flatten(remainder.getLHS());
    whole.constant -= quotient.constant * divisor.getValue();
    AffineExpr quotientAtom = found->first;
    linear.add(quotientAtom, -coefficient * divisor.getValue());
    linear.add(atom, -coefficient);
    linear.add(whole, coefficient);
    return recombine(linear);
  }
}

IndexSimplifier::Linear IndexSimplifier::flatten(AffineExpr expr) const {
  Linear linear;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant = constant.getValue();
    return linear;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    // A dimension of size one is always at its only point.
    if (getRange(expr).isWithin(0, 0))
      return linear;
    linear.add(expr, 1);
    return linear;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    linear.add(expr, 1);
    return linear;
  }
  Linear left = flatten(binary.getLHS()), right = flatten(binary.getRHS());
  bool isRightConstant = right.terms.empty();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    linear = left;
    linear.add(right, 1);
    recombine(linear);
    return linear;
  case AffineExprKind::Mul:
    if (isRightConstant)
      linear.add(left, right.constant);
    else if (left.terms.empty())
      linear.add(right, left.constant);
    else
      linear.add(build(left) * build(right), 1);
    return linear;
  case AffineExprKind::FloorDiv:
    if (isRightConstant && right.constant > 0)
      return flattenFloorDiv(left, right.constant);
    linear.add(build(left).floorDiv(build(right)), 1);
    return linear;
  case AffineExprKind::Mod:
    if (isRightConstant && right.constant > 0)
      return flattenMod(left, right.constant);
    linear.add(build(left) % build(right), 1);
    return linear;
  default:
    linear.add(expr, 1);
    return linear;
  }
}

AffineExpr IndexSimplifier::build(const Linear &linear) const {
  // Dimensions by number, symbols by number, then the rest in its own order.
  auto orderOf = [](AffineExpr atom, size_t index) {
    if (auto dim = dyn_cast<AffineDimExpr>(atom))
      return std::pair<size_t, size_t>(0, dim.getPosition());
    if (auto symbol = dyn_cast<AffineSymbolExpr>(atom))
      return std::pair<size_t, size_t>(1, symbol.getPosition());
    return std::pair<size_t, size_t>(2, index);
  };
  SmallVector<std::pair<std::pair<size_t, size_t>, size_t>> order;
  for (auto [index, term] : llvm::enumerate(linear.terms))
    order.emplace_back(orderOf(term.first, index), index);
  llvm::sort(order);
  AffineExpr sum;
  for (auto [position, index] : order) {
    AffineExpr term = linear.terms[index].first * linear.terms[index].second;
    sum = sum ? sum + term : term;
  }
  return sum ? sum + linear.constant
             : getAffineConstantExpr(linear.constant, context);
}

AffineExpr IndexSimplifier::simplify(AffineExpr expr) const {
  if (isa<AffineConstantExpr, AffineSymbolExpr>(expr) ||
      (isa<AffineDimExpr>(expr) && !getRange(expr).isWithin(0, 0)))
    return expr;
  return build(flatten(expr));
}

AffineMap IndexSimplifier::simplify(AffineMap map) const {
  SmallVector<AffineExpr> results = llvm::map_to_vector(
      map.getResults(), [&](AffineExpr expr) { return simplify(expr); });
  if (map.getResults() == ArrayRef(results))
    return map;
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        context);
}

std::optional<IntegerSet> IndexSimplifier::simplify(IntegerSet set) const {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    AffineExpr simplified = simplify(constraint);
    IndexRange range = getRange(simplified);
    if (isEquality ? range.isWithin(0, 0) : range.low && *range.low >= 0)
      continue;
    bool isKnown = false;
    for (auto [other, flag] : llvm::zip_equal(constraints, equalities))
      isKnown |= other == simplified && flag == isEquality;
    if (isKnown)
      continue;
    constraints.push_back(simplified);
    equalities.push_back(isEquality);
  }
  if (constraints.empty())
    return std::nullopt;
  return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints,
                         equalities);
}
