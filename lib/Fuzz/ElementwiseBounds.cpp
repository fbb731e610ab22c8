//===- ElementwiseBounds.cpp - Error bounds of elementwise ops ------------===//

#include "ElementwiseBounds.h"
#include "DiscontinuityBounds.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::Tensor;

/// Whether the op gives a number of the operand's type without rounding.
static bool isUnrounded(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = getElementTypeOrSelf(cast.getX().getType()),
         to = getElementTypeOrSelf(cast.getResult().getType());
    if (from.isInteger(1) || !isa<FloatType>(to))
      return true;
    auto source = dyn_cast<FloatType>(from);
    auto target = llvm::cast<FloatType>(to);
    return source &&
           source.getFPMantissaWidth() <= target.getFPMantissaWidth() &&
           getLargest(source) <= getLargest(target);
  }
  return isa<NegOp, AbsOp, SignOp, ReluOp, FloorOp, CeilOp, TruncOp, RoundOp,
             MaximumOp, MinimumOp, FmaxOp, FminOp, CopysignOp, SelectOp>(op);
}

/// Roundings of the op's own arithmetic: twice what docs/vector-math.md
/// promises, as values are kept in other types inside a kernel.
static double getOwnError(Operation *op, double value, Type type) {
  if (!std::isfinite(value) || isUnrounded(op))
    return 0;
  double magnitude = std::fabs(value), units = 16;
  if (isa<AddOp, SubOp, MulOp, DivOp, SqrtOp, ReciprocalOp>(op))
    units = 3;
  if (isa<LgammaOp>(op)) {
    magnitude = std::max(1.0, magnitude);
    units = 32;
  }
  // In the tail a gelu is about exp(-x^2 / 2), which the rounding of x^2
  // changes by as many units as its logarithm says.
  if (isa<GeluOp, GeluTanhOp>(op) && magnitude > 0 && magnitude < 1)
    units -= 4 * std::log(magnitude);
  double error =
      units * getComputeUnit(type) * magnitude + 1.3 * getRounding(value, type);
  // x times a factor that is a multiple of the smallest number: it is 0 for x
  // below -2^10. Where the interpreter divides by the factor's reciprocal, that
  // is 0 in f64 for a factor below the normal numbers.
  if (isa<SigmoidOp>(op) && type.isF64())
    error += 0x1p-1022;
  else if (isa<GeluTanhOp, SiluOp>(op) && type.isF64())
    error += 0x1p10 * 0x1p-1022;
  else if (isa<GeluOp, GeluTanhOp, SiluOp>(op))
    error += 0x1p10 * (type.isF64() ? 0x1p-1074 : 0x1p-149);
  // Shorter forms of bf16 and f16 give 0 for tiny results.
  if (type.getIntOrFloatBitWidth() == 16)
    error += isa<GeluOp, GeluTanhOp, SiluOp>(op) ? 0x1p-28 : 0x1p-100;
  return error;
}

/// The same where operands' bounds move the value by up to `spread`: what is
/// rounded then may be larger.
static double getOwnErrorWithin(Operation *op, double value, double spread,
                                Type type) {
  return std::max(getOwnError(op, value, type),
                  getOwnError(op, std::fabs(value) + spread, type));
}

/// Whether a cast of this value to an integer type says nothing about the
/// result.
static bool isUnspecifiedCast(double value, double error, Type to) {
  auto integer = dyn_cast<IntegerType>(to);
  if (!integer || integer.getWidth() == 1)
    return false;
  bool isUnsigned = integer.isUnsigned();
  int bits = int(integer.getWidth()) - !isUnsigned;
  double high = std::ldexp(1.0, bits);
  double low = isUnsigned ? -1 : -high - (bits < 53);
  return !(value - error > low && value + error < high);
}

namespace {
/// Runs an elementwise op on operands within their bounds and collects how far
/// the results spread.
class Spread {
public:
  explicit Spread(const AnalysedOp &op)
      : op(op), full(op.results[0].getElementCount()), half(full) {
    for (auto [index, operand] : llvm::enumerate(op.operands))
      if (isFloatTensor(operand.value) && !operand.isExact() &&
          getFirst(index) == index)
        inexact.push_back(index);
  }

  /// Infinite where the ends of the bounds do not limit the values
  /// between them: at poles, and over many periods.
  std::vector<double> get() {
    SmallVector<Place> places(op.operands.size(), Place::Value);
    visit(0, places);
    if (!isFloatTensor(op.results[0]))
      return full;
    for (size_t i = 0; i < full.size(); ++i) {
      double value = std::fabs(op.results[0].floats()[i]);
      if (full[i] > 0.01 * (1 + value) && full[i] > 5 * half[i] && !isStep())
        full[i] = HUGE_VAL;
    }
    return full;
  }

private:
  bool isStep() const {
    return isa<FloorOp, CeilOp, TruncOp, RoundOp, SignOp, CopysignOp, SelectOp>(
        op.op);
  }

  /// The first operand that is the same value as operand `index`: the op reads
  /// it once.
  size_t getFirst(size_t index) const {
    auto operands = op.op->getOperands();
    return std::distance(operands.begin(),
                         llvm::find(operands, operands[index]));
  }

  /// Where within its bound an operand is taken.
  enum class Place { Low, Value, High, Zero };

  void visit(size_t at, SmallVectorImpl<Place> &places) {
    if (at == inexact.size()) {
      if (llvm::any_of(places, [](Place p) { return p != Place::Value; })) {
        sample(places, 1, full);
        sample(places, 0.5, half);
      }
      return;
    }
    for (Place place : {Place::Low, Place::Value, Place::High, Place::Zero}) {
      if (place == Place::Zero && !mayBeZero(op.operands[inexact[at]]))
        continue;
      places[inexact[at]] = place;
      visit(at + 1, places);
    }
    places[inexact[at]] = Place::Value;
  }

  static bool isZeroWithin(double value, double error) {
    return std::isfinite(error) && std::fabs(value) <= error;
  }
  static bool mayBeZero(const Bounded &operand) {
    for (auto [value, error] :
         llvm::zip_equal(operand.value.floats(), operand.error))
      if (error > 0 && isZeroWithin(value, error))
        return true;
    return false;
  }

  /// Zero is between the ends, and quotients and logarithms have their
  /// poles there.
  static Tensor take(const Bounded &operand, Place place, double scale) {
    switch (place) {
    case Place::Low:
      return shift(operand, -scale);
    case Place::Value:
      return operand.value;
    case Place::High:
      return shift(operand, scale);
    case Place::Zero:
      return mapElements(operand, [](double value, double error) {
        return isZeroWithin(value, error) ? 0 : value;
      });
    }
    llvm_unreachable("all places are listed");
  }

  void sample(ArrayRef<Place> places, double scale,
              std::vector<double> &errors) {
    SmallVector<Tensor> values;
    for (auto [index, operand] : llvm::enumerate(op.operands))
      values.push_back(take(operand, places[getFirst(index)], scale));
    Tensor result = op.run(values)[0];
    raiseToDistances(errors, result, op.results[0]);
    if (&errors == &half)
      raiseToDistances(full, result, op.results[0]);
  }

  const AnalysedOp &op;
  SmallVector<size_t> inexact;
  std::vector<double> full, half;
};
} // namespace

/// The sign of a NaN, and of a zero that is computed, is not specified: that of
/// a numerator that `isComputed` decides between angles a whole turn from each
/// other.
static bool readsUnspecifiedSign(const AnalysedOp &op, bool isComputed,
                                 size_t i) {
  if (isa<Atan2Op>(op.op)) {
    const Bounded &y = op.operands[0], &x = op.operands[1];
    return isComputed && std::fabs(y.value.floats()[i]) <= y.error[i] &&
           x.value.floats()[i] - x.error[i] <= 0;
  }
  if (!isa<SignbitOp, CopysignOp>(op.op))
    return false;
  const Bounded &operand = op.operands.back();
  double value = operand.value.floats()[i], error = operand.error[i];
  return std::isnan(value) || (error > 0 && std::fabs(value) <= error);
}

static std::vector<double> boundSelect(const AnalysedOp &op) {
  std::vector<double> errors(op.results[0].getElementCount());
  const Bounded &condition = op.operands[0];
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] = condition.error[i] > 0       ? HUGE_VAL
                : condition.value.words()[i] ? op.operands[1].error[i]
                                             : op.operands[2].error[i];
  return errors;
}

ErrorVectors tc::fuzz::boundElementwise(const AnalysedOp &op) {
  if (isa<SelectOp>(op.op))
    return {boundSelect(op)};
  const Tensor &result = op.results[0];
  Type type = result.getElementType();
  std::vector<double> errors = Spread(op).get();
  const Bounded &last = op.operands.back();
  bool isComputed = !op.operands.front().isExact();
  for (size_t i = 0; i < errors.size(); ++i) {
    if (auto error = boundDiscontinuity(op, i))
      errors[i] = *error;
    if (isFloatTensor(result))
      errors[i] +=
          getOwnErrorWithin(op.op, result.floats()[i], errors[i], type);
    for (const Bounded &operand : op.operands)
      if (std::isinf(operand.error[i]))
        errors[i] = HUGE_VAL;
    // Of -0 it gives 0 or -0.
    if (isa<ReluOp>(op.op) && isFloatTensor(result) && result.floats()[i] == 0)
      errors[i] += 0x1p-1074;
    if (readsUnspecifiedSign(op, isComputed, i))
      errors[i] = HUGE_VAL;
    if (isa<CastOp>(op.op) && isFloatTensor(last.value) &&
        isUnspecifiedCast(last.value.floats()[i], last.error[i], type))
      errors[i] = HUGE_VAL;
  }
  return {errors};
}
