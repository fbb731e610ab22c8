//===- AccessBounds.cpp - Accesses that stay in their buffers -------------===//
//
// An index expression is a linear form over unknowns: dimensions of the domain,
// symbols, and what is not linear (a product of sizes, a `floordiv`), of which
// linear bounds are stated. That an index is in its buffer is then a question
// for the simplex method.
//
//===----------------------------------------------------------------------===//

#include "TC/Analysis/AccessBounds.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/LinearProver.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include <cmath>

using namespace mlir;
using namespace tc;

std::optional<SizeExpr> tc::toSize(KernelOp kernel, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr::constant(kernel.getContext(), constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return kernel.getSymbol(symbol.getPosition());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto left = toSize(kernel, binary.getLHS()),
       right = toSize(kernel, binary.getRHS());
  if (!left || !right)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left->add(*right);
  case AffineExprKind::Mul:
    return left->mul(*right);
  case AffineExprKind::FloorDiv:
    return left->floorDiv(*right);
  case AffineExprKind::Mod:
    return left->mod(*right);
  default:
    return std::nullopt;
  }
}

namespace {
/// Linear forms of the index expressions of one access, and their proofs.
class AccessProver : public SizeProver {
public:
  AccessProver(KernelOp kernel, const SizeFacts &facts);

  /// States that the point is in `set`.
  void addFacts(IntegerSet set);
  /// States that the domain has points along `dims`.
  void addPoints(const DimSet &dims);
  /// Whether 0 <= `index` < `size` at every point.
  bool isInside(AffineExpr index, SizeExpr size);
  /// Whether the values of `expr` certainly fit 64 bits.
  bool fits(AffineExpr expr) const;
  /// Whether `divisor` is certainly at least 1 where `expr` has a value.
  bool isPositive(AffineExpr divisor, AffineExpr expr);

private:
  using SizeProver::formOf;
  LinearForm formOf(AffineExpr expr);
  LinearForm divide(AffineBinaryOpExpr division);
  LinearForm addProduct(AffineBinaryOpExpr product);
  void addBounds(const LinearForm &form, std::optional<SizeExpr> low,
                 std::optional<SizeExpr> high);
  IndexRange rangeOf(SizeExpr symbol, const SizeRanges &ranges) const;
  std::optional<double> getMagnitude(AffineExpr expr) const;
  std::optional<SizeExpr> toSize(AffineExpr expr) const {
    return tc::toSize(kernel, expr);
  }
  std::optional<SizeExpr> boundOf(AffineExpr expr, bool isUpper) const;
  std::optional<SizeExpr> boundOfQuotient(AffineBinaryOpExpr division,
                                          bool isUpper) const;

  mutable KernelOp kernel; // its accessors are not const
  MLIRContext *context;
  llvm::DenseSet<Attribute> sizes; ///< of the domain and the operands
  /// Numeric ranges, of sizes that are no larger than kMostPoints.
  std::optional<IndexSimplifier> numeric;
};
} // namespace

/// Ranges in which no symbol of the function around `kernel` is larger than
/// kMostPoints: each is taken for a size.
static SizeRanges getRangesOfSizes(KernelOp kernel) {
  SmallVector<tc::SymbolAttr> symbols;
  for (Operation *op = kernel; op; op = op->getParentOp())
    for (tc::SymbolAttr symbol : getDeclaredSymbols(op))
      symbols.push_back(tc::SymbolAttr::get(
          kernel.getContext(), symbol.getName(),
          std::min(symbol.getMin(), kMostPoints),
          std::min(symbol.getMax(), kMostPoints), symbol.getDivisor()));
  return SizeRanges(symbols);
}

/// The range of what an affine symbol stands for. A minimum or maximum may be
/// no size: it may be negative, and have no end.
IndexRange AccessProver::rangeOf(SizeExpr symbol,
                                 const SizeRanges &ranges) const {
  SizeRange range = facts.getRanges().of(symbol);
  range = range.intersect(ranges.of(symbol)).value_or(range);
  bool isNamed = symbol.getKind() == SizeExprKind::Symbol;
  IndexRange known;
  if (isNamed && !isDataDependent(symbol))
    known.low = std::max<int64_t>(range.min, 0);
  else if (range.min != INT64_MIN)
    known.low = range.min;
  if (isNamed || sizes.contains(symbol))
    known.high = std::min(range.max, kMostPoints);
  else if (range.max != INT64_MAX)
    known.high = range.max;
  return known;
}

AccessProver::AccessProver(KernelOp kernel, const SizeFacts &facts)
    : SizeProver(facts), kernel(kernel), context(kernel.getContext()) {
  auto cap = [](int64_t end) { return std::min(end, kMostPoints); };
  SmallVector<IndexRange> dims, symbols;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    SizeRange size = facts.getRanges().of(kernel.getDimSize(dim));
    dims.push_back({0, std::max<int64_t>(cap(size.max) - 1, 0)});
    sizes.insert(kernel.getDimSize(dim));
  }
  for (Type type : kernel.getOperandTypes())
    sizes.insert_range(getSizes(cast<ShapedType>(type)));
  SizeRanges ranges = getRangesOfSizes(kernel);
  for (SizeExpr symbol : kernel.getSymbols().getAsRange<SizeExpr>())
    symbols.push_back(rangeOf(symbol, ranges));
  numeric.emplace(context, dims, symbols);
}

//===----------------------------------------------------------------------===//
// Ends of index expressions, in symbols
//===----------------------------------------------------------------------===//

/// The quotient's end, by a divisor that is at least 1 wherever it is used.
std::optional<SizeExpr>
AccessProver::boundOfQuotient(AffineBinaryOpExpr division, bool isUpper) const {
  auto end = boundOf(division.getLHS(), isUpper),
       divisor = toSize(division.getRHS());
  if (!end || !divisor)
    return std::nullopt;
  if (!isUpper && end->isConstant(0))
    return end;
  if (!isUpper)
    return divisor->isConstant() ? std::optional(end->floorDiv(*divisor))
                                 : std::nullopt;
  // For x below n * c the quotient is below n.
  SizeExpr behind = end->add(1);
  if (behind.mod(*divisor).isConstant(0))
    return behind.floorDiv(*divisor).add(-1);
  return divisor->isConstant() ? std::optional(end->floorDiv(*divisor))
                               : std::nullopt;
}

std::optional<SizeExpr> AccessProver::boundOf(AffineExpr expr,
                                              bool isUpper) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= kernel.getNumDims())
      return std::nullopt;
    return isUpper ? kernel.getDimSize(dim.getPosition()).add(-1)
                   : SizeExpr::constant(context, 0);
  }
  if (auto size = toSize(expr))
    return size;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    auto left = boundOf(binary.getLHS(), isUpper),
         right = boundOf(binary.getRHS(), isUpper);
    return left && right ? std::optional(left->add(*right)) : std::nullopt;
  }
  case AffineExprKind::Mul: {
    auto factor = toSize(binary.getRHS());
    if (!factor)
      return std::nullopt;
    SizeRange range = facts.getRanges().of(*factor);
    if (range.min < 0 && range.max > 0)
      return std::nullopt;
    auto end = boundOf(binary.getLHS(), range.min >= 0 ? isUpper : !isUpper);
    return end ? std::optional(end->mul(*factor)) : std::nullopt;
  }
  case AffineExprKind::FloorDiv:
    return boundOfQuotient(binary, isUpper);
  case AffineExprKind::Mod: {
    auto divisor = toSize(binary.getRHS());
    if (!divisor)
      return std::nullopt;
    return isUpper ? divisor->add(-1) : SizeExpr::constant(context, 0);
  }
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

void AccessProver::addBounds(const LinearForm &form,
                             std::optional<SizeExpr> low,
                             std::optional<SizeExpr> high) {
  if (low)
    prover.addFact(form.plus(formOf(*low), -1));
  if (high)
    prover.addFact(formOf(*high).plus(form, -1));
}

/// What the magnitude of `expr` is at most; nothing where that is not known. A
/// size of the domain or of an operand is at most kMostPoints.
std::optional<double> AccessProver::getMagnitude(AffineExpr expr) const {
  IndexRange range = numeric->getRange(expr);
  if (range.low && range.high)
    return std::max(std::fabs(double(*range.low)),
                    std::fabs(double(*range.high)));
  if (auto size = toSize(expr)) {
    SizeRange known = facts.getRanges().of(*size);
    if (sizes.contains(*size) ||
        (known.min >= -kMostPoints && known.max <= kMostPoints))
      return double(kMostPoints);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Add &&
                  expr.getKind() != AffineExprKind::Mul))
    return std::nullopt;
  auto left = getMagnitude(binary.getLHS()),
       right = getMagnitude(binary.getRHS());
  if (!left || !right)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Add ? *left + *right
                                               : *left * *right;
}

bool AccessProver::fits(AffineExpr expr) const {
  std::optional<double> magnitude = getMagnitude(expr);
  return magnitude && *magnitude < 0x1.ffffp62;
}

/// `x floordiv c` as an unknown of its own.
LinearForm AccessProver::divide(AffineBinaryOpExpr division) {
  bool isNew;
  LinearForm quotient = unknownOf(AffineExpr(division).getImpl(), isNew);
  if (!isNew || !fits(division.getLHS()))
    return quotient;
  addBounds(quotient, boundOf(division, false), boundOf(division, true));
  auto divisor = dyn_cast<AffineConstantExpr>(division.getRHS());
  if (!divisor || divisor.getValue() <= 0)
    return quotient;
  addRange(formOf(division.getLHS()).plus(quotient, -divisor.getValue()), 0,
           divisor.getValue() - 1);
  // The quotient is an integer: numbers say more than the two above.
  IndexRange range = numeric->getRange(division);
  addRange(quotient, range.low, range.high);
  return quotient;
}

/// A dimension times a symbol.
LinearForm AccessProver::addProduct(AffineBinaryOpExpr product) {
  bool isNew;
  LinearForm form = unknownOf(AffineExpr(product).getImpl(), isNew);
  if (isNew)
    addBounds(form, boundOf(product, false), boundOf(product, true));
  return form;
}

LinearForm AccessProver::formOf(AffineExpr expr) {
  if (auto size = toSize(expr))
    return formOf(*size);
  bool isNew;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    LinearForm form = unknownOf(expr.getImpl(), isNew);
    if (isNew)
      addBounds(form, boundOf(expr, false), boundOf(expr, true));
    return form;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return formOf(binary.getLHS()).plus(formOf(binary.getRHS()));
  case AffineExprKind::Mul:
    return right ? formOf(binary.getLHS()).times(right.getValue())
                 : addProduct(binary);
  case AffineExprKind::FloorDiv:
    return divide(binary);
  case AffineExprKind::Mod: {
    auto quotient =
        dyn_cast<AffineBinaryOpExpr>(binary.getLHS().floorDiv(binary.getRHS()));
    if (right && right.getValue() > 0 && quotient && fits(binary.getLHS()))
      return formOf(binary.getLHS()).plus(formOf(quotient), -right.getValue());
    LinearForm rest = unknownOf(expr.getImpl(), isNew);
    if (isNew && fits(binary.getLHS()))
      addBounds(rest, boundOf(expr, false), boundOf(expr, true));
    return rest;
  }
  default:
    return unknownOf(expr.getImpl(), isNew);
  }
}

void AccessProver::addFacts(IntegerSet set) {
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    if (!fits(constraint))
      continue;
    LinearForm form = formOf(constraint);
    prover.addFact(form);
    if (isEquality)
      prover.addFact(form.times(-1));
  }
}

void AccessProver::addPoints(const DimSet &dims) {
  for (unsigned dim : dims.set_bits())
    addRange(formOf(kernel.getDimSize(dim)), 1, std::nullopt);
  addConditionalFacts();
}

bool AccessProver::isInside(AffineExpr index, SizeExpr size) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    if (kernel.getDimSize(dim.getPosition()) == size)
      return true;
  IndexRange range = numeric->getRange(index);
  if (auto count = size.getConstant(); count && range.isWithin(0, *count - 1))
    return true;
  for (AffineExpr expr : {index, numeric->simplify(index)}) {
    LinearForm form = formOf(expr), last = formOf(size).plus(-1);
    if (isNonNegative(form) && isNonNegative(last.plus(form, -1)))
      return true;
  }
  return false;
}

/// Whether a dimension that `expr` uses has no points unless `divisor` is at
/// least 1: one of the factors of its size.
static bool isFactorOfDomain(KernelOp kernel, AffineExpr expr,
                             SizeExpr divisor) {
  DimSet used = KernelDims::ofMap(
      AffineMap::get(kernel.getNumDims(), kernel.getSymbols().size(), expr),
      kernel.getNumDims());
  return llvm::any_of(used.set_bits(), [&](unsigned dim) {
    SizeExpr size = kernel.getDimSize(dim);
    return size.isConstant(0) || size.mod(divisor).isConstant(0);
  });
}

bool AccessProver::isPositive(AffineExpr divisor, AffineExpr expr) {
  auto size = toSize(divisor);
  if (!size)
    return false;
  if (auto value = size->getConstant(); value && *value > 0)
    return true;
  if (isNonNegative(formOf(*size).plus(-1)))
    return true;
  return facts.getRanges().of(*size).min >= 0 &&
         isFactorOfDomain(kernel, expr, *size);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string toText(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

/// Checks the divisions of an expression: no divisor below 1, and a dividend of
/// 64 bits unless it is a dynamic index.
static LogicalResult verifyDivisions(Operation *op, AffineExpr expr,
                                     AccessProver &prover) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return success();
  if (failed(verifyDivisions(op, binary.getLHS(), prover)) ||
      failed(verifyDivisions(op, binary.getRHS(), prover)))
    return failure();
  if (expr.getKind() == AffineExprKind::Add ||
      expr.getKind() == AffineExprKind::Mul ||
      prover.isPositive(binary.getRHS(), expr))
    return success();
  return op->emitOpError("divides by ")
         << toText(binary.getRHS())
         << ", which is not proved to be at least 1 at every point of the "
            "kernel's domain; expected a positive constant or a symbol of "
            "which tc.symbols says so";
}

static LogicalResult verifyDivisions(Operation *op, ArrayRef<AffineExpr> exprs,
                                     AccessProver &prover) {
  return success(llvm::all_of(exprs, [&](AffineExpr expr) {
    return succeeded(verifyDivisions(op, expr, prover));
  }));
}

/// Whether a set has no points, as one of its constraints holds nowhere.
static bool isEmpty(IntegerSet set) {
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags()))
    if (auto value = dyn_cast<AffineConstantExpr>(constraint))
      if (value.getValue() < 0 || (isEquality && value.getValue() != 0))
        return true;
  return false;
}

/// The dimensions without which an access is not made: emitters may do it ahead
/// of loops over the others, which may have no points.
static DimSet getDimsOfAccess(KernelOp kernel, Operation *op) {
  KernelDims dims(kernel);
  if (auto write = dyn_cast<WriteOp>(op))
    return dims.ofWrite(write);
  return dims.of(op->getResult(0));
}

static LogicalResult verifyAccess(Operation *op, const KernelAccess &access,
                                  KernelOp kernel, AccessProver &prover) {
  if (access.within && isEmpty(*access.within))
    return success();
  if (failed(verifyDivisions(op, access.map.getResults(), prover)))
    return failure();
  if (access.within) {
    if (failed(verifyDivisions(op, access.within->getConstraints(), prover)))
      return failure();
    prover.addFacts(*access.within);
  }
  Sizes sizes = getSizes(access.getType());
  bool hasPoints = false;
  for (auto [position, index] : llvm::enumerate(access.map.getResults())) {
    bool isDynamic = false;
    for (unsigned i = 0; i < access.indices.size(); ++i)
      isDynamic |= index.isFunctionOfDim(kernel.getNumDims() + i);
    if (isDynamic || prover.isInside(index, sizes[position]))
      continue;
    if (!hasPoints) {
      hasPoints = true;
      prover.addPoints(getDimsOfAccess(kernel, op));
      if (prover.isInside(index, sizes[position]))
        continue;
    }
    return op->emitOpError("has index ")
           << toText(index) << " for dimension " << position
           << " of a buffer, of size " << sizes[position].str()
           << ", which is not proved to be at least 0 and below the size at "
              "every point of the kernel's domain"
           << (access.within ? " within its set" : "")
           << "; change the map, the domain or the buffer's sizes";
  }
  return success();
}

LogicalResult tc::verifyAccessBounds(KernelOp kernel, const SizeFacts &facts) {
  for (Operation &op : kernel.getBodyBlock()) {
    ArrayRef<AffineExpr> exprs;
    auto access = getAccess(op);
    if (auto index = dyn_cast<DimIndexOp>(op))
      exprs = index.getMap().getResults();
    else if (auto within = dyn_cast<WithinOp>(op))
      exprs = within.getSet().getConstraints();
    else if (!access)
      continue;
    AccessProver prover(kernel, facts);
    if (failed(access ? verifyAccess(&op, *access, kernel, prover)
                      : verifyDivisions(&op, exprs, prover)))
      return failure();
  }
  return success();
}
