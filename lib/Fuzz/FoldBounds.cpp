//===- FoldBounds.cpp - Error bounds of moves, folds and products ---------===//

#include "FoldBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Whether operand `index` says which elements move instead of being moved.
static bool isPosition(Operation *op, size_t index) {
  if (isa<GatherOp>(op))
    return index == 1;
  if (isa<ScatterOp>(op))
    return index == 1;
  if (isa<IndexOp>(op))
    return index > 0;
  if (isa<IndexPutOp>(op))
    return index > 0 && index + 1 < op->getNumOperands();
  return false;
}

static Tensor makeConstant(const Tensor &like, double value) {
  Tensor result(like.getElementType(), like.getSizes());
  for (int64_t i = 0; i < result.getElementCount(); ++i)
    if (isFloatTensor(result))
      result.data<double>()[i] = value;
    else
      result.words()[i] = value != 0;
  return result;
}

/// The bounds move as the elements do.
ErrorVectors tc::fuzz::boundMove(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  SmallVector<Tensor> marked, plain;
  bool isUnknown = false, isExact = true;
  for (auto [index, operand] : llvm::enumerate(op.operands)) {
    isExact &= operand.isExact();
    if (isPosition(op.op, index)) {
      isUnknown |= !operand.isExact();
      marked.push_back(operand.value);
      plain.push_back(operand.value);
      continue;
    }
    plain.push_back(makeConstant(operand.value, 0));
    marked.push_back(plain.back().clone());
    for (int64_t i = 0; i < operand.value.getElementCount(); ++i)
      if (isFloatTensor(operand.value))
        marked.back().data<double>()[i] = operand.error[i];
      else
        marked.back().words()[i] = operand.error[i] != 0;
  }
  if (isUnknown)
    std::fill(errors[0].begin(), errors[0].end(), HUGE_VAL);
  else if (!isExact)
    raiseToDistances(errors[0], op.run(marked)[0], op.run(plain)[0]);
  return errors;
}

//===----------------------------------------------------------------------===//
// Folds with a monoid
//===----------------------------------------------------------------------===//

/// Of integers and booleans: whether what may be anything decides the result.
static ErrorVectors boundDiscreteFold(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  bool isExact =
      llvm::all_of(op.operands, [](const Bounded &o) { return o.isExact(); });
  if (isExact)
    return errors;
  if (op.results[0].getKind() != ElementKind::Bool) {
    std::fill(errors[0].begin(), errors[0].end(), HUGE_VAL);
    return errors;
  }
  for (bool value : {false, true}) {
    SmallVector<Tensor> results = op.runOn([&](const Bounded &operand) {
      Tensor made = operand.value.clone();
      for (int64_t i = 0; i < made.getElementCount(); ++i)
        if (operand.error[i] != 0)
          made.words()[i] = value;
      return made;
    });
    raiseToDistances(errors[0], results[0], op.results[0]);
  }
  return errors;
}

/// The largest of some numbers changes by no more than one of them: both ends
/// of all bounds together are the ends of the result's.
static ErrorVectors boundExtreme(const AnalysedOp &op) {
  ErrorVectors errors = boundByEnds(op);
  raiseWhereUnknown(errors, op);
  return errors;
}

/// Elements folded into each result: the op on ones.
static Tensor countTerms(const AnalysedOp &op) {
  return op.runOn([&](const Bounded &operand) {
    return isFloatTensor(operand.value) ? makeConstant(operand.value, 1)
                                        : operand.value;
  })[0];
}

/// The errors of an op that is linear in its float operands: its own and those
/// that it passes on. `terms` is how many numbers one result sums up.
static ErrorVectors boundSum(const AnalysedOp &op, double unit,
                             function_ref<double(size_t)> terms) {
  ErrorVectors errors = makeZeros(op);
  Tensor magnitude = op.runOn(getMagnitudes)[0];
  Tensor passed = op.runOn(getErrors)[0];
  bool isExact =
      llvm::all_of(op.operands, [](const Bounded &o) { return o.isExact(); });
  Type type = op.elementType();
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i], total = magnitude.floats()[i];
    // A mean is the quotient of a sum, which may be too large.
    double sum = isa<ReduceOp, ScanOp>(op.op) ? total : total * terms(i);
    if (sum > getLargest(type) || (!std::isfinite(value) && !isExact))
      errors[0][i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[0][i] = passed.floats()[i] + (terms(i) + 3) * unit * total +
                     1.1 * getRounding(value, type);
  }
  return errors;
}

/// The relative errors of factors add up. What the order of the factors decides
/// is unknown: whether a part of them is too large or too small.
static ErrorVectors boundFactors(const AnalysedOp &op, double unit) {
  ErrorVectors errors = makeZeros(op);
  auto runOnEach = [&](function_ref<double(double, double)> make) {
    return op.runOn(
        [&](const Bounded &operand) { return mapElements(operand, make); })[0];
  };
  auto finite = [](double value) {
    return std::isfinite(value) ? std::fabs(value) : 1;
  };
  Tensor above = runOnEach(
      [&](double value, double e) { return std::max(1.0, finite(value) + e); });
  Tensor below = runOnEach([&](double value, double) {
    return value == 0 ? 1 : std::min(1.0, finite(value));
  });
  Tensor widened =
      runOnEach([&](double value, double e) { return finite(value) + e; });
  Tensor magnitude =
      runOnEach([&](double value, double) { return finite(value); });
  bool isExact =
      llvm::all_of(op.operands, [](const Bounded &o) { return o.isExact(); });
  Type type = op.elementType();
  double smallest =
      APFloat::getSmallestNormalized(cast<FloatType>(type).getFloatSemantics())
          .convertToDouble();
  int64_t longest = 1;
  for (const Bounded &operand : op.operands)
    longest += operand.value.getElementCount();
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i];
    if (above.floats()[i] > getLargest(type) || below.floats()[i] < smallest ||
        (!std::isfinite(value) && !isExact))
      errors[0][i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[0][i] = getDistance(widened.floats()[i], magnitude.floats()[i]) +
                     longest * unit * magnitude.floats()[i] +
                     1.1 * getRounding(value, type);
  }
  return errors;
}

namespace {
enum class Fold { Sum, Product, Extreme };
} // namespace

static Fold getFold(Operation *op) {
  auto fromReduction = [](ReductionKind kind) {
    return kind == ReductionKind::Sum    ? Fold::Sum
           : kind == ReductionKind::Prod ? Fold::Product
                                         : Fold::Extreme;
  };
  auto fromCombine = [](CombineKind kind) {
    return kind == CombineKind::Sum    ? Fold::Sum
           : kind == CombineKind::Prod ? Fold::Product
                                       : Fold::Extreme;
  };
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return fromReduction(reduce.getKind());
  if (auto scan = dyn_cast<ScanOp>(op))
    return fromReduction(scan.getKind());
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return fromCombine(scatter.getCombine());
  if (auto put = dyn_cast<IndexPutOp>(op))
    return fromCombine(put.getCombine());
  return Fold::Sum;
}

/// How many elements of x go into a result of a pool or of a resampling, at
/// most, and how often their weights are rounded.
static double countWindowTerms(const AnalysedOp &op) {
  double terms = 1;
  if (auto pool = dyn_cast<AvgPoolOp>(op.op)) {
    for (int64_t size : pool.getKernel())
      terms *= double(size);
    return terms;
  }
  ArrayRef<int64_t> from = op.operands[0].value.getSizes().drop_front(2),
                    to = op.results[0].getSizes().drop_front(2);
  // From the floor of one multiple of from / to to the ceiling of the next.
  if (isa<AdaptiveAvgPoolOp>(op.op)) {
    for (auto [in, out] : llvm::zip_equal(from, to))
      terms *= std::min<double>(in, out == 0 ? 0 : in / out + 2);
    return terms;
  }
  // Two elements and two weights a dimension.
  double rank = double(from.size());
  return std::pow(2, rank) + 4 * rank;
}

ErrorVectors tc::fuzz::boundFold(const AnalysedOp &op) {
  if (!isFloatTensor(op.results[0]))
    return boundDiscreteFold(op);
  for (const Bounded &operand : op.operands)
    if (!isFloatTensor(operand.value) && !operand.isExact()) {
      ErrorVectors errors = makeZeros(op);
      std::fill(errors[0].begin(), errors[0].end(), HUGE_VAL);
      return errors;
    }
  // Updates are folded into memory of the element type, one by one.
  bool isScatter = isa<ScatterOp, IndexPutOp>(op.op);
  double unit = isScatter ? std::max(getUnit(op.elementType()),
                                     getComputeUnit(op.elementType()))
                          : getComputeUnit(op.elementType());
  switch (getFold(op.op)) {
  case Fold::Extreme:
    return boundExtreme(op);
  case Fold::Product:
    return boundFactors(op, unit);
  case Fold::Sum:
    break;
  }
  auto windowTerms = [&](size_t) { return countWindowTerms(op); };
  if (isa<AvgPoolOp, AdaptiveAvgPoolOp>(op.op))
    return boundSum(op, unit, windowTerms);
  if (isa<ResampleOp>(op.op)) {
    // Weights are differences of coordinates, which are as large as the sizes.
    double sizes = 16;
    for (int64_t size : op.operands[0].value.getSizes())
      sizes += double(size);
    for (int64_t size : op.results[0].getSizes())
      sizes += double(size);
    double largest = 0;
    Tensor magnitudes = getMagnitudes(op.operands[0]);
    for (double value : magnitudes.floats())
      largest = std::max(largest, value);
    ErrorVectors errors = boundSum(op, unit, windowTerms);
    bool isLinear = cast<ResampleOp>(op.op).getMode() == ResampleMode::Linear;
    // Weights of 0 are no zeros where they are rounded.
    bool hasInfinite =
        llvm::any_of(op.operands[0].value.floats(),
                     [](double value) { return !std::isfinite(value); });
    for (double &error : errors[0])
      if (isLinear)
        error += hasInfinite ? HUGE_VAL : sizes * unit * largest;
    return errors;
  }
  Tensor terms = countTerms(op);
  return boundSum(op, unit, [&](size_t i) { return terms.floats()[i]; });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

ErrorVectors tc::fuzz::boundProduct(const AnalysedOp &op) {
  if (!isFloatTensor(op.results[0]))
    return boundDiscreteFold(op);
  const Bounded &lhs = op.operands[0], &rhs = op.operands[1];
  Type type = op.elementType();
  double unit = getComputeUnit(type);
  Tensor magnitude = op.runOn(getMagnitudes)[0], terms = countTerms(op);
  // The loss of the same instructions in finite sums.
  Tensor tiny = op.runOn([](const Bounded &operand) {
    return mapElements(operand, [](double, double) { return 0x1p-63; });
  })[0];
  ErrorVectors errors = makeZeros(op);
  if (type.isBF16())
    raiseWhereFlushed(errors, op);
  bool isExact = lhs.isExact() && rhs.isExact();
  std::vector<double> passed(errors[0].size(), 0);
  auto pass = [&](Tensor left, Tensor right) {
    Tensor product = op.run({left, right})[0];
    for (size_t i = 0; i < passed.size(); ++i)
      passed[i] += product.floats()[i];
  };
  if (!lhs.isExact())
    pass(getErrors(lhs), getMagnitudes(rhs));
  if (!rhs.isExact())
    pass(getMagnitudes(lhs), getErrors(rhs));
  if (!isExact)
    pass(getErrors(lhs), getErrors(rhs));
  double largest = 1;
  for (const Bounded *operand : {&lhs, &rhs})
    for (double value : operand->value.floats())
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < errors[0].size(); ++i) {
    double value = op.results[0].floats()[i], total = magnitude.floats()[i];
    if (total > getLargest(type) || (!std::isfinite(value) && !isExact))
      errors[0][i] = HUGE_VAL;
    else if (std::isfinite(value))
      errors[0][i] += passed[i] + (terms.floats()[i] + 3) * unit * total +
                      largest * tiny.floats()[i] * (type.isF64() ? 0 : 1) +
                      1.1 * getRounding(value, type);
  }
  return errors;
}
