//===- NormBounds.cpp - Error bounds of norms and variances ---------------===//
//
// A norm is computed once more, each number with a bound of how far code that
// rounds after every operation may be from it: the running error analysis of
// Wilkinson ("Error analysis revisited", 1986). It knows where a bias cancels
// what it is added to, and where a number may round to 0 before it meets an
// infinity.
//
//===----------------------------------------------------------------------===//

#include "NormBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// A number and how far its computed value may be from it; infinite where it
/// may be anything. Infinities and NaN are known, with a bound of 0, or may be
/// anything.
struct Approximate {
  double value = 0, error = 0;

  bool isUnknown() const { return std::isinf(error); }
  bool isFinite() const { return std::isfinite(value) && !isUnknown(); }
  bool isNaN() const { return std::isnan(value) && !isUnknown(); }
  /// Whether it may be 0 or of either sign without being 0 for certain.
  bool hasUnknownSign() const {
    return error > 0 && !(std::fabs(value) > error);
  }
  /// No number within the bound has a smaller magnitude; may be negative.
  double getLeastMagnitude() const { return std::fabs(value) - error; }
};

/// Operations in the type that arithmetic on elements of `type` is done in.
class Arithmetic {
public:
  explicit Arithmetic(Type type) : unit(getComputeUnit(type)) {
    Type compute = type.isF64() ? type : Float32Type::get(type.getContext());
    largest = getLargest(compute);
    smallest =
        APFloat::getSmallest(cast<FloatType>(compute).getFloatSemantics())
            .convertToDouble();
  }

  /// A constant, rounded.
  Approximate constant(double value) const { return round(value, 0, 1); }

  Approximate add(Approximate x, Approximate y) const {
    if (x.isNaN() || y.isNaN())
      return {std::nan(""), 0};
    return round(x.value + y.value, overflow(x, y, x.value + y.value), 1);
  }
  Approximate sub(Approximate x, Approximate y) const {
    return add(x, {-y.value, y.error});
  }

  /// An infinity times what may have been rounded to 0 may be NaN.
  Approximate mul(Approximate x, Approximate y) const {
    if (x.isNaN() || y.isNaN())
      return {std::nan(""), 0};
    if (x.isUnknown() || y.isUnknown())
      return unknown();
    double product = x.value * y.value;
    if (!x.isFinite() || !y.isFinite())
      return x.hasUnknownSign() || y.hasUnknownSign() ? unknown()
                                                      : Approximate{product, 0};
    double passed = std::fabs(x.value) * y.error +
                    std::fabs(y.value) * x.error + x.error * y.error;
    bool isZero = x.value == 0 || y.value == 0;
    if (std::isinf(product) || (product == 0 && !isZero))
      passed = std::isinf(product) ? HUGE_VAL : passed + smallest;
    return round(product, passed, 1);
  }

  /// By the quotient or by the reciprocal and a product. A divisor that may be
  /// 0 gives any number.
  Approximate div(Approximate x, Approximate y) const {
    if (x.isNaN() || y.isNaN())
      return {std::nan(""), 0};
    double quotient = x.value / y.value;
    if (x.isUnknown() || y.hasUnknownSign())
      return unknown();
    if (!x.isFinite() || !y.isFinite() || y.value == 0)
      return y.value == 0 && x.hasUnknownSign() ? unknown()
                                                : Approximate{quotient, 0};
    double passed =
        (x.error + std::fabs(quotient) * y.error) / y.getLeastMagnitude();
    return round(quotient, std::isinf(quotient) ? HUGE_VAL : passed, 2);
  }

  /// Additions in any order: none rounds more than the sum of all magnitudes.
  Approximate sum(ArrayRef<Approximate> terms) const {
    double total = 0, magnitude = 0, passed = 0;
    bool hasInfinity = false;
    for (Approximate term : terms) {
      if (term.isNaN())
        return term;
      total += term.value;
      passed += term.error;
      hasInfinity |= std::isinf(term.value);
      if (std::isfinite(term.value))
        magnitude += std::fabs(term.value) + term.error;
    }
    if (std::isinf(passed) || magnitude > largest)
      return unknown();
    if (hasInfinity)
      return {total, 0};
    double additions = terms.empty() ? 0 : double(terms.size() - 1);
    return {total, passed + additions * unit * magnitude};
  }

  /// The square root of a number that is not below `least` as it is computed
  /// either; NaN of a negative one.
  Approximate sqrt(Approximate x, double least) const {
    return applyMonotonic(x, least, 2, [](double v) { return std::sqrt(v); });
  }
  Approximate rsqrt(Approximate x, double least) const {
    return applyMonotonic(x, least, 4,
                          [](double v) { return 1 / std::sqrt(v); });
  }

  static Approximate unknown() { return {0, HUGE_VAL}; }

private:
  /// A result that is off by `passed` before it is rounded `times` times. A
  /// zero for certain stays one.
  Approximate round(double value, double passed, double times) const {
    if (!(passed < HUGE_VAL))
      return unknown();
    if (!std::isfinite(value) || (value == 0 && passed == 0))
      return {value, 0};
    double error =
        passed + times * (unit * (std::fabs(value) + passed) + smallest);
    return std::fabs(value) + error > largest ? unknown()
                                              : Approximate{value, error};
  }

  /// The error that finite operands pass on to their sum, infinite where that
  /// is not finite.
  static double overflow(Approximate x, Approximate y, double sum) {
    return x.isFinite() && y.isFinite() && !std::isfinite(sum)
               ? HUGE_VAL
               : x.error + y.error;
  }

  Approximate applyMonotonic(Approximate x, double least, double times,
                             function_ref<double(double)> apply) const {
    if (x.isUnknown() || x.isNaN())
      return x;
    if (x.value + x.error < 0)
      return {std::nan(""), 0};
    double value = apply(x.value), low = std::max(x.value - x.error, least);
    if (x.error > 0 && low < 0)
      return unknown();
    return round(value,
                 x.error == 0
                     ? 0
                     : std::max(getDistance(apply(low), value),
                                getDistance(apply(x.value + x.error), value)),
                 times);
  }

  double unit, smallest, largest;
};

/// Elements of an operand with their bounds; of an operand that is absent the
/// same number everywhere.
class Elements {
public:
  Elements(const AnalysedOp &op, Value operand, double otherwise)
      : otherwise{otherwise, 0} {
    for (auto [index, value] : llvm::enumerate(op.op->getOperands()))
      if (value == operand)
        bounded = &op.operands[index];
  }

  Approximate operator[](int64_t i) const {
    if (!bounded)
      return otherwise;
    return {bounded->value.floats()[i], bounded->error[i]};
  }

private:
  const Bounded *bounded = nullptr;
  Approximate otherwise;
};
} // namespace

//===----------------------------------------------------------------------===//
// Statistics of a row
//===----------------------------------------------------------------------===//

/// x - mean of a row. A deviation is off by the error of its own element less
/// that element's part of the mean, (1 - 1/n) e, by the others' parts of the
/// mean, and by the roundings.
static SmallVector<Approximate> getDeviations(const Arithmetic &a,
                                              ArrayRef<Approximate> row) {
  Approximate count{double(row.size()), 0};
  SmallVector<Approximate> result;
  bool isFinite = llvm::all_of(row, [](Approximate x) { return x.isFinite(); });
  if (!isFinite) {
    Approximate mean = a.div(a.sum(row), count);
    for (Approximate x : row)
      result.push_back(a.sub(x, mean));
    return result;
  }
  double passed = 0;
  SmallVector<Approximate> exact;
  for (Approximate x : row) {
    passed += x.error;
    exact.push_back({x.value, 0});
  }
  // The largest magnitudes decide whether the sum overflows.
  Approximate sum = a.sum(exact);
  bool mayOverflow = a.sum(row).isUnknown();
  Approximate mean = row.size() == 1 ? exact.front() : a.div(sum, count);
  for (auto [x, held] : llvm::zip_equal(row, exact)) {
    Approximate deviation =
        mayOverflow ? Arithmetic::unknown() : a.sub(held, mean);
    deviation.error +=
        ((count.value - 1) * x.error + (passed - x.error)) / count.value;
    result.push_back(deviation);
  }
  return result;
}

static Approximate getSumOfSquares(const Arithmetic &a,
                                   ArrayRef<Approximate> row) {
  SmallVector<Approximate> squares;
  for (Approximate x : row)
    squares.push_back(a.mul(x, x));
  return a.sum(squares);
}

/// Each number of a row over the root of the mean of their squares plus eps.
/// That mean is a sum of squares as it is computed too, and not negative.
static SmallVector<Approximate>
scaleToUnit(const Arithmetic &a, ArrayRef<Approximate> row, double eps) {
  Approximate mean = a.div(getSumOfSquares(a, row), {double(row.size()), 0});
  Approximate epsilon = a.constant(eps);
  Approximate scale =
      a.rsqrt(a.add(mean, epsilon), epsilon.getLeastMagnitude());
  SmallVector<Approximate> result;
  for (Approximate x : row)
    result.push_back(a.mul(x, scale));
  return result;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// The bound of an element that is computed as `made`.
static double getBound(const AnalysedOp &op, int64_t i, Approximate made) {
  double value = op.results[0].floats()[i];
  // The interpreter's own arithmetic overflows elsewhere.
  if (std::isfinite(value) != std::isfinite(made.value))
    return HUGE_VAL;
  return made.error + 1.3 * getRounding(value, op.elementType());
}

namespace {
/// A norm over rows that follow each other in memory. `parameterOf` gives the
/// element of the weight and the bias for element `i` of row `row`.
struct RowNorm {
  Value x, weight, bias;
  int64_t length;
  bool isCentered;
  double eps;
  std::function<int64_t(int64_t row, int64_t i)> parameterOf;
};
} // namespace

static ErrorVectors boundRowNorm(const AnalysedOp &op, const RowNorm &norm) {
  ErrorVectors errors = makeZeros(op);
  Arithmetic a(op.elementType());
  Elements x(op, norm.x, 0), weight(op, norm.weight, 1), bias(op, norm.bias, 0);
  for (int64_t begin = 0, row = 0; begin < int64_t(errors[0].size());
       begin += norm.length, ++row) {
    SmallVector<Approximate> values;
    for (int64_t i = 0; i < norm.length; ++i)
      values.push_back(x[begin + i]);
    if (norm.isCentered)
      values = getDeviations(a, values);
    values = scaleToUnit(a, values, norm.eps);
    for (auto [i, value] : llvm::enumerate(values)) {
      int64_t parameter = norm.parameterOf(row, i);
      if (norm.weight)
        value = a.mul(value, weight[parameter]);
      if (norm.bias)
        value = a.add(value, bias[parameter]);
      errors[0][begin + i] = getBound(op, begin + i, value);
    }
  }
  return errors;
}

static int64_t countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

static ErrorVectors boundGroupNorm(const AnalysedOp &op, GroupNormOp norm) {
  ArrayRef<int64_t> sizes = op.results[0].getSizes();
  int64_t groups = norm.getGroups(),
          spatial = countElements(sizes.drop_front(2));
  int64_t channels = groups == 0 ? 0 : sizes[1] / groups;
  return boundRowNorm(op, {norm.getX(), norm.getWeight(), norm.getBias(),
                           channels * spatial,
                           /*isCentered=*/true, norm.getEps().convertToDouble(),
                           [=](int64_t row, int64_t i) {
                             return row % groups * channels + i / spatial;
                           }});
}

/// x * scale + shift, both of a channel. A convolution before may have taken
/// the scale into its weights: an infinite one shows elsewhere there.
static ErrorVectors boundBatchNorm(const AnalysedOp &op, BatchNormOp norm) {
  ErrorVectors errors = makeZeros(op);
  Arithmetic a(op.elementType());
  Elements x(op, norm.getX(), 0), mean(op, norm.getMean(), 0),
      variance(op, norm.getVariance(), 0), weight(op, norm.getWeight(), 1),
      bias(op, norm.getBias(), 0);
  ArrayRef<int64_t> sizes = op.results[0].getSizes();
  int64_t spatial = countElements(sizes.drop_front(2));
  Approximate eps = a.constant(norm.getEps().convertToDouble());
  for (int64_t i = 0; i < int64_t(errors[0].size()); ++i) {
    int64_t channel = i / spatial % sizes[1];
    Approximate root =
        a.sqrt(a.add(variance[channel], eps), /*least=*/-HUGE_VAL);
    Approximate scale = a.div(weight[channel], root);
    Approximate shift = a.sub(bias[channel], a.mul(mean[channel], scale));
    Approximate result = a.add(a.mul(x[i], scale), shift);
    if (!scale.isFinite() && x[i].error > 0)
      result = Arithmetic::unknown();
    errors[0][i] = getBound(op, i, result);
  }
  return errors;
}

//===----------------------------------------------------------------------===//
// Variance
//===----------------------------------------------------------------------===//

/// The elements of `sizes` that are folded over `dims` into each result.
static std::vector<SmallVector<int64_t>>
getFoldedElements(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dims,
                  int64_t resultCount) {
  std::vector<SmallVector<int64_t>> rows(resultCount);
  for (int64_t i = 0; i < countElements(sizes); ++i) {
    int64_t row = 0, scale = 1, rest = i;
    for (int64_t dim = int64_t(sizes.size()) - 1; dim >= 0; --dim) {
      if (!llvm::is_contained(dims, dim)) {
        row += rest % sizes[dim] * scale;
        scale *= sizes[dim];
      }
      rest /= sizes[dim];
    }
    rows[row].push_back(i);
  }
  return rows;
}

static ErrorVectors boundVariance(const AnalysedOp &op, VarianceOp variance) {
  ErrorVectors errors = makeZeros(op);
  Arithmetic a(op.elementType());
  Elements x(op, variance.getX(), 0);
  double correction = variance.getCorrection().convertToDouble();
  auto rows = getFoldedElements(op.operands[0].value.getSizes(),
                                variance.getDims(), errors[0].size());
  for (auto [i, indices] : llvm::enumerate(rows)) {
    SmallVector<Approximate> row;
    for (int64_t index : indices)
      row.push_back(x[index]);
    // Integers are exact.
    Approximate count{double(row.size()), 0};
    Approximate divisor = std::trunc(correction) == correction
                              ? Approximate{count.value - correction, 0}
                              : a.sub(count, a.constant(correction));
    if (divisor.value + divisor.error < 0)
      divisor = {0, 0};
    errors[0][i] = getBound(
        op, i, a.div(getSumOfSquares(a, getDeviations(a, row)), divisor));
  }
  return errors;
}

ErrorVectors tc::fuzz::boundNorm(const AnalysedOp &op) {
  if (auto group = dyn_cast<GroupNormOp>(op.op))
    return boundGroupNorm(op, group);
  if (auto batch = dyn_cast<BatchNormOp>(op.op))
    return boundBatchNorm(op, batch);
  if (auto variance = dyn_cast<VarianceOp>(op.op))
    return boundVariance(op, variance);
  auto isElement = [](int64_t, int64_t i) { return i; };
  auto getLength = [&](int64_t rank) {
    return countElements(op.results[0].getSizes().take_back(rank));
  };
  if (auto layer = dyn_cast<LayerNormOp>(op.op))
    return boundRowNorm(op, {layer.getX(), layer.getWeight(), layer.getBias(),
                             getLength(layer.getRank()), /*isCentered=*/true,
                             layer.getEps().convertToDouble(), isElement});
  auto rms = cast<RmsNormOp>(op.op);
  return boundRowNorm(op, {rms.getX(), rms.getWeight(), Value(),
                           getLength(rms.getRank()), /*isCentered=*/false,
                           rms.getEps().convertToDouble(), isElement});
}
