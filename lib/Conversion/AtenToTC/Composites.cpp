//===- Composites.cpp - special functions and other short formulas --------===//

#include "Elementwise.h"
#include "Promotion.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;
using namespace tc;

namespace tc::aten {

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Pattern: aten.isposinf(x) -> tc.eq x, inf; false for integers
template <bool isNegative> static LogicalResult convertIsInf(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!isa<FloatType>(elementOf(x)))
    return call.replace(
        call.fill(call.builder.getBoolAttr(false), call.getResultType()));
  return call.replace(call.binary<EqOp>(x, isNegative ? -infinity : infinity));
}

// Pattern: aten.heaviside(x, y) -> y where x is 0, else x > 0
static LogicalResult convertHeaviside(AtenCall &call) {
  return convertElementwise(
      call, {"self", "values"}, Promotion::Number, [&](ValueRange v) {
        Value isPositive =
            call.cast(call.binary<GtOp>(v[0], 0.0), elementOf(v[1]));
        return call.select(call.binary<EqOp>(v[0], 0.0), v[1], isPositive);
      });
}

// Pattern: aten.angle(x) -> pi where x < 0, else 0; NaN of NaN
static LogicalResult convertAngle(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value x = v[0];
        Value angle =
            call.select(call.binary<LtOp>(x, 0.0),
                        call.fill(std::numbers::pi, x), call.fill(0.0, x));
        return call.select(call.unary<IsNanOp>(x), x, angle);
      });
}

// Pattern: aten.float_power(x, y) -> tc.pow x, y in f64
static LogicalResult convertFloatPower(AtenCall &call) {
  Sizes sizes = getSizes(call.getResultType());
  Type wide = call.builder.getF64Type();
  Value x = call.materialize(call.getOperand("self"), wide, sizes),
        y = call.materialize(call.getOperand("exponent"), wide, sizes);
  return call.hasFailed() ? failure() : call.replace(call.binary<PowOp>(x, y));
}

// Pattern: aten.ldexp(x, n) -> x * 2^n
static LogicalResult convertLdexp(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Formula, [&](ValueRange v) {
        return call.binary<MulOp>(v[0], call.unary<Exp2Op>(v[1]));
      });
}

// Pattern: aten.logaddexp2(x, y) -> max(x, y) + log2(1 + 2^-|x - y|)
static LogicalResult convertLogAddExp2(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Formula, [&](ValueRange v) {
        Value larger = call.binary<MaximumOp>(v[0], v[1]);
        Value distance = call.unary<AbsOp>(call.binary<SubOp>(v[0], v[1]));
        Value tail = call.unary<Log1pOp>(
            call.unary<Exp2Op>(call.unary<NegOp>(distance)));
        tail = call.binary<MulOp>(tail, std::numbers::log2e);
        // Equal infinities have no difference.
        Value isInfinite = call.binary<BitwiseAndOp>(
            call.binary<EqOp>(v[0], v[1]), call.unary<IsInfOp>(v[0]));
        return call.select(isInfinite, v[0], call.binary<AddOp>(larger, tail));
      });
}

// Pattern: aten.sinc(x) -> sin(pi x) / (pi x), 1 at 0
static LogicalResult convertSinc(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value angle = call.binary<MulOp>(v[0], std::numbers::pi);
        Value quotient = call.binary<DivOp>(call.unary<SinOp>(angle), angle);
        return call.select(call.binary<EqOp>(v[0], 0.0),
                           call.fill(1.0, quotient), quotient);
      });
}

// Pattern: aten.special_ndtr(x) -> erfc(-x / sqrt(2)) / 2
static LogicalResult convertNormalDistribution(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value scaled = call.binary<MulOp>(v[0], -std::numbers::sqrt2 / 2);
        return call.binary<MulOp>(call.unary<ErfcOp>(scaled), 0.5);
      });
}

// Pattern: aten.special_entr(x) -> -x log(x), 0 at 0, -inf below
static LogicalResult convertEntropy(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value x = v[0];
        Value entropy =
            call.unary<NegOp>(call.binary<MulOp>(x, call.unary<LogOp>(x)));
        entropy =
            call.select(call.binary<EqOp>(x, 0.0), call.fill(0.0, x), entropy);
        return call.select(call.binary<LtOp>(x, 0.0), call.fill(-infinity, x),
                           entropy);
      });
}

// Pattern: aten.isreal(x) -> true
static LogicalResult convertIsReal(AtenCall &call) {
  if (isa<ComplexType>(elementOf(call.getTensor("self"))))
    return call.refuse("complex numbers");
  return call.replace(
      call.fill(call.builder.getBoolAttr(true), call.getResultType()));
}

// Pattern: aten.sgn(x) -> tc.sign x; aten.real(x) -> x
template <bool isSign> static LogicalResult convertOfReal(AtenCall &call) {
  Value x = call.getTensor("self");
  if (isa<ComplexType>(elementOf(x)))
    return call.refuse("complex numbers");
  bool isSame = !isSign || elementOf(x).isInteger(1);
  return call.replace(isSame ? x : call.unary<SignOp>(x));
}

// Pattern: aten.bucketize(x, boundaries) -> how many boundaries are below x
static LogicalResult convertBucketize(AtenCall &call) {
  bool isSearch = static_cast<bool>(call.getArgument("sorted_sequence"));
  Value boundaries =
      call.getTensor(isSearch ? "sorted_sequence" : "boundaries");
  Operand self = call.getOperand("self");
  bool isRight = call.getBool("right");
  if (isSearch && !call.isNone("side"))
    isRight |= call.getString("side") == "right";
  if (isSearch && !call.isNone("sorter"))
    return call.refuse("a sorter");
  Type element =
      promoteTypes(elementOf(boundaries), self.tensor ? elementOf(self.tensor)
                                                      : elementOf(boundaries));
  int64_t rank = rankOf(boundaries);
  Sizes sizes = getSizes(call.getResultType());
  if (call.hasFailed() || rank < 1 ||
      (rank > 1 && rank != static_cast<int64_t>(sizes.size())))
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  // The boundaries in a last dimension of their own.
  Value x = call.materialize(self, element, sizes);
  Sizes withOne = sizes, all = sizes, rows = sizesOf(boundaries);
  withOne.push_back(call.constant(1));
  all.push_back(rows.back());
  if (rank > 1)
    rows.insert(rows.end() - 1, call.constant(1));
  x = call.broadcast(call.reshape(x, withOne), all);
  Value ends =
      call.broadcast(call.reshape(call.cast(boundaries, element), rows), all);
  if (call.hasFailed())
    return failure();
  Value isAbove =
      isRight ? call.binary<GtOp>(ends, x) : call.binary<GeOp>(ends, x);
  Value isBelow =
      call.cast(call.unary<BitwiseNotOp>(isAbove), call.builder.getI64Type());
  return call.replace(call.reduce(ReductionKind::Sum, isBelow, sizes.size()));
}

// Pattern: aten.isin(x, y) -> whether any element of y is equal
static LogicalResult convertIsIn(AtenCall &call) {
  bool isNumber = static_cast<bool>(call.getArgument("element"));
  Operand x = call.getOperand(isNumber ? "element" : "elements"),
          y = call.getOperand(call.getArgument("test_element")
                                  ? "test_element"
                                  : "test_elements");
  bool inverts = call.getBool("invert");
  Type element = promoteOperands({x, y});
  Sizes sizes = getSizes(call.getResultType()), all = sizes, withOne = sizes;
  Value found = call.materialize(x, element, sizes);
  Value tests = y.tensor ? call.flatten(call.cast(y.tensor, element))
                         : call.materialize(y, element, call.constant(1));
  if (call.hasFailed())
    return failure();
  withOne.push_back(call.constant(1));
  all.push_back(sizesOf(tests)[0]);
  Value isEqual =
      call.binary<EqOp>(call.broadcast(call.reshape(found, withOne), all),
                        call.broadcast(tests, all));
  Value isIn = call.reduce(ReductionKind::Any, isEqual, sizes.size());
  return call.replace(inverts ? call.unary<BitwiseNotOp>(isIn) : isIn);
}

// Pattern: aten.trapezoid(y, x) -> sum of dx * (left + right) / 2
template <bool isRunning>
static LogicalResult convertTrapezoid(AtenCall &call) {
  Value y = call.getTensor("y");
  int64_t dim = call.getDim("dim", rankOf(y));
  Type element = call.getResultType().getElementType();
  if (call.hasFailed() || rankOf(y) == 0 || !isa<FloatType>(element))
    return call.hasFailed() ? failure()
                            : call.refuse("a 0-d tensor or integers");
  SizeExpr count = sizesOf(y)[dim].add(-1);
  if (count.isConstant() && count.getValue() < 0)
    return call.refuse("no elements");
  auto neighbours = [&](Value value, int64_t axis) {
    return std::pair(call.slice(value, axis, call.constant(0), count),
                     call.slice(value, axis, call.constant(1), count));
  };
  y = call.widen(call.cast(y, element));
  auto [left, right] = neighbours(y, dim);
  Value sum = call.binary<AddOp>(left, right);
  if (call.getArgument("x")) {
    Value x = call.widen(call.cast(call.getTensor("x"), element));
    if (rankOf(x) != 1 && rankOf(x) != rankOf(y))
      return call.refuse("x of rank " + Twine(rankOf(x)));
    int64_t axis = rankOf(x) == 1 ? 0 : dim;
    if (sizesOf(x)[axis] != sizesOf(y)[dim])
      return call.refuse("as many x as y expected");
    auto [before, after] = neighbours(x, axis);
    Value step = call.binary<SubOp>(after, before);
    if (rankOf(x) == 1) {
      Sizes sizes(rankOf(y), call.constant(1));
      sizes[dim] = count;
      step = call.reshape(step, sizes);
    }
    sum = call.binary<MulOp>(sum, call.broadcast(step, sizesOf(sum)));
  } else {
    sum =
        call.binary<MulOp>(sum, call.fill(call.getArgument("dx"), typeOf(sum)));
  }
  if (call.hasFailed())
    return failure();
  Value area = call.binary<MulOp>(sum, 0.5);
  if (!isRunning)
    return call.replace(call.reduce(ReductionKind::Sum, area, dim));
  return call.replace(ScanOp::create(call.builder, call.location,
                                     area.getType(), ReductionKind::Sum, area,
                                     dim));
}

// Pattern: aten.cross(x, y) -> x1 y2 - x2 y1 of the dimension's rotations
static LogicalResult convertCross(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("other");
  Type element = promoteTypes(elementOf(x), elementOf(y));
  Sizes sizes = getSizes(call.getResultType());
  std::optional<int64_t> dim;
  if (call.isNone("dim")) {
    for (auto [index, size] : llvm::enumerate(sizes))
      if (!dim && size.isConstant(3))
        dim = index;
  } else {
    dim = call.getDim("dim", sizes.size());
  }
  if (call.hasFailed() || !dim || sizes.empty() || !sizes[*dim].isConstant(3))
    return call.hasFailed() ? failure() : call.refuse("no dimension of size 3");
  x = call.broadcast(call.cast(x, element), sizes);
  y = call.broadcast(call.cast(y, element), sizes);
  if (call.hasFailed())
    return failure();
  auto rotate = [&](Value value, int64_t by) {
    return call.concat(
        {call.slice(value, *dim, call.constant(by), call.constant(3 - by)),
         call.slice(value, *dim, call.constant(0), call.constant(by))},
        *dim);
  };
  Value forward = call.binary<MulOp>(rotate(x, 1), rotate(y, 2)),
        back = call.binary<MulOp>(rotate(x, 2), rotate(y, 1));
  return call.replace(call.binary<SubOp>(forward, back));
}

// Pattern: aten.kron(x, y) -> tc.mul of x and y with dimensions interleaved
static LogicalResult convertKron(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("other");
  Type element = promoteTypes(elementOf(x), elementOf(y));
  if (element.isInteger(1) || isa<ComplexType>(element))
    return call.refuse("bools or complex numbers");
  Sizes xSizes = sizesOf(x), ySizes = sizesOf(y);
  size_t rank = std::max(xSizes.size(), ySizes.size());
  xSizes.insert(xSizes.begin(), rank - xSizes.size(), call.constant(1));
  ySizes.insert(ySizes.begin(), rank - ySizes.size(), call.constant(1));
  Sizes left, right, all;
  for (auto [own, other] : llvm::zip(xSizes, ySizes)) {
    left.append({own, call.constant(1)});
    right.append({call.constant(1), other});
    all.append({own, other});
  }
  x = call.broadcast(call.reshape(call.cast(x, element), left), all);
  y = call.broadcast(call.reshape(call.cast(y, element), right), all);
  if (call.hasFailed())
    return failure();
  return call.replace(
      call.reshape(call.binary<MulOp>(x, y), getSizes(call.getResultType())));
}

void addComposites(AtenTable &table) {
  table.add({"isposinf.default"}, convertIsInf<false>);
  table.add({"isneginf.default"}, convertIsInf<true>);
  table.add({"heaviside.default"}, convertHeaviside);
  table.add({"angle.default"}, convertAngle);
  table.add({"float_power.Tensor_Tensor", "float_power.Tensor_Scalar",
             "float_power.Scalar"},
            convertFloatPower);
  table.add({"ldexp.Tensor"}, convertLdexp);
  table.add({"logaddexp2.default"}, convertLogAddExp2);
  table.add({"sinc.default", "special_sinc.default"}, convertSinc);
  table.add({"special_ndtr.default"}, convertNormalDistribution);
  table.add({"special_entr.default"}, convertEntropy);
  table.add({"isreal.default"}, convertIsReal);
  table.add({"sgn.default"}, convertOfReal<true>);
  table.add({"real.default", "conj_physical.default"}, convertOfReal<false>);
  table.add({"bucketize.Tensor", "bucketize.Scalar", "searchsorted.Tensor",
             "searchsorted.Scalar"},
            convertBucketize);
  table.add({"isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor"},
            convertIsIn);
  table.add({"trapezoid.x", "trapezoid.dx"}, convertTrapezoid<false>);
  table.add({"cumulative_trapezoid.x", "cumulative_trapezoid.dx"},
            convertTrapezoid<true>);
  table.add({"cross.default", "linalg_cross.default"}, convertCross);
  table.add({"kron.default"}, convertKron);
}

} // namespace tc::aten
