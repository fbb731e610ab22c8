//===- Arithmetic.cpp - elementwise arithmetic and comparisons ------------===//

#include "Elementwise.h"
#include "ElementwiseRows.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// x times alpha, where alpha is not 1.
static Value scale(AtenCall &call, Value x) {
  Attribute alpha = call.getArgument("alpha");
  auto integer = dyn_cast<IntegerAttr>(alpha);
  if (integer && integer.getValue().isOne())
    return x;
  return call.binary<MulOp>(x, call.fill(alpha, typeOf(x)));
}

// Pattern: aten.add(x, y, alpha) -> tc.add x, (tc.mul y, alpha)
static LogicalResult convertAdd(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Common, [&](ValueRange v) -> Value {
        if (elementOf(v[0]).isInteger(1)) // true + true is true
          return call.binary<BitwiseOrOp>(v[0], v[1]);
        return call.binary<AddOp>(v[0], scale(call, v[1]));
      });
}

// Pattern: aten.sub(x, y, alpha) -> tc.sub x, (tc.mul y, alpha)
static LogicalResult convertSub(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Number, [&](ValueRange v) {
        return call.binary<SubOp>(v[0], scale(call, v[1]));
      });
}

// Pattern: aten.rsub(x, y, alpha) -> tc.sub y, (tc.mul x, alpha)
static LogicalResult convertReverseSub(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Number, [&](ValueRange v) {
        return call.binary<SubOp>(v[1], scale(call, v[0]));
      });
}

// Pattern: aten.mul(x, y) -> tc.mul x, y; on bools tc.bitwise_and
static LogicalResult convertMul(AtenCall &call) {
  return convertElementwise(call, {"self", "other"}, Promotion::Common,
                            [&](ValueRange v) -> Value {
                              if (elementOf(v[0]).isInteger(1))
                                return call.binary<BitwiseAndOp>(v[0], v[1]);
                              return call.binary<MulOp>(v[0], v[1]);
                            });
}

// Pattern: aten.div(x, y) -> tc.div x, y on floats
static LogicalResult convertDiv(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Float,
      [&](ValueRange v) { return call.binary<DivOp>(v[0], v[1]); });
}

// Pattern: aten.floor_divide(x, y) -> tc.floor_div x, y
static LogicalResult convertFloorDivide(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Number,
      [&](ValueRange v) { return call.binary<FloorDivOp>(v[0], v[1]); });
}

// Pattern: aten.div(x, y, rounding_mode) -> tc.floor_div, tc.trunc_div or
// tc.div
static LogicalResult convertDivWithMode(AtenCall &call) {
  if (call.isNone("rounding_mode"))
    return convertDiv(call);
  StringRef mode = call.getString("rounding_mode");
  if (mode == "floor")
    return convertFloorDivide(call);
  if (mode != "trunc")
    return call.refuse("rounding_mode '" + mode +
                       "'; expected 'floor', 'trunc' or None");
  return convertElementwise(
      call, {"self", "other"}, Promotion::Number,
      [&](ValueRange v) { return call.binary<TruncDivOp>(v[0], v[1]); });
}

/// Small constant powers of floats, as PyTorch computes them.
static Value raiseToConstant(AtenCall &call, Value x, double exponent) {
  if (exponent == 1.0)
    return x;
  if (exponent == 2.0)
    return call.binary<MulOp>(x, x);
  if (exponent == 3.0)
    return call.binary<MulOp>(call.binary<MulOp>(x, x), x);
  if (!isa<FloatType>(elementOf(x)))
    return Value();
  if (exponent == 0.5)
    return call.unary<SqrtOp>(x);
  if (exponent == -0.5)
    return call.unary<RsqrtOp>(x);
  if (exponent == -1.0)
    return call.unary<ReciprocalOp>(x);
  if (exponent == -2.0)
    return call.unary<ReciprocalOp>(call.binary<MulOp>(x, x));
  return Value();
}

// Pattern: aten.pow(x, 2) -> tc.mul x, x; other exponents tc.pow
static LogicalResult convertPow(AtenCall &call) {
  Attribute number = call.getOperand("exponent").number;
  return convertElementwise(call, {"self", "exponent"}, Promotion::Number,
                            [&](ValueRange v) -> Value {
                              if (number && isa<FloatAttr, IntegerAttr>(number))
                                if (Value power = raiseToConstant(
                                        call, v[0], call.getReal("exponent")))
                                  return power;
                              return call.binary<PowOp>(v[0], v[1]);
                            });
}

// Pattern: aten.square(x) -> tc.mul x, x
static LogicalResult convertSquare(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Number,
      [&](ValueRange v) { return call.binary<MulOp>(v[0], v[0]); });
}

// Pattern: aten.remainder(number, y) -> tc.remainder (tc.full number), y
static LogicalResult convertRemainder(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Number,
      [&](ValueRange v) { return call.binary<RemainderOp>(v[0], v[1]); });
}

/// A truth value of every element.
static Value toBool(AtenCall &call, Value x) {
  return call.broadcast(call.cast(x, call.builder.getI1Type()),
                        getSizes(call.getResultType()));
}

// Pattern: aten.logical_and(x, y) -> tc.bitwise_and of x != 0 and y != 0
template <typename OpTy> static LogicalResult convertLogical(AtenCall &call) {
  Value x = toBool(call, call.getTensor("self"));
  Value y = toBool(call, call.getTensor("other"));
  if (call.hasFailed())
    return failure();
  return call.replace(call.binary<OpTy>(x, y));
}

// Pattern: aten.__and__(x, y) -> tc.bitwise_and x, y
template <typename OpTy> static LogicalResult convertBitwise(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Common,
      [&](ValueRange v) { return call.binary<OpTy>(v[0], v[1]); });
}

// Pattern: aten.isclose(x, y) -> |x - y| <= atol + rtol * |y|, or x == y
static LogicalResult convertIsClose(AtenCall &call) {
  double relative = call.getReal("rtol"), absolute = call.getReal("atol");
  bool equalNan = call.getBool("equal_nan");
  return convertElementwise(
      call, {"self", "other"}, Promotion::Formula, [&](ValueRange v) {
        Value allowed = call.binary<AddOp>(
            call.binary<MulOp>(call.unary<AbsOp>(v[1]), relative), absolute);
        Value error = call.unary<AbsOp>(call.binary<SubOp>(v[0], v[1]));
        Value near = call.binary<BitwiseAndOp>(
            call.unary<IsFiniteOp>(error), call.binary<LeOp>(error, allowed));
        Value close =
            call.binary<BitwiseOrOp>(near, call.binary<EqOp>(v[0], v[1]));
        if (!equalNan)
          return close;
        return call.binary<BitwiseOrOp>(
            close, call.binary<BitwiseAndOp>(call.unary<IsNanOp>(v[0]),
                                             call.unary<IsNanOp>(v[1])));
      });
}

// Pattern: aten.logical_not(x) -> tc.bitwise_not of x != 0
static LogicalResult convertLogicalNot(AtenCall &call) {
  Value x = toBool(call, call.getTensor("self"));
  if (call.hasFailed())
    return failure();
  return call.replace(call.unary<BitwiseNotOp>(x));
}

// Pattern: aten.addcmul(x, a, b, value) -> tc.add x, value * a * b
static LogicalResult convertAddcmul(AtenCall &call) {
  return convertElementwise(
      call, {"self", "tensor1", "tensor2"}, Promotion::Number,
      [&](ValueRange v) {
        Value product = call.binary<MulOp>(call.widen(v[1]), call.widen(v[2]));
        Value scaled = call.binary<MulOp>(
            product, call.fill(call.getArgument("value"), typeOf(product)));
        return call.binary<AddOp>(call.widen(v[0]), scaled);
      });
}

// Pattern: aten.addcdiv(x, a, b, value) -> tc.add x, value * a / b
static LogicalResult convertAddcdiv(AtenCall &call) {
  return convertElementwise(
      call, {"self", "tensor1", "tensor2"}, Promotion::Formula,
      [&](ValueRange v) {
        Value scaled = call.binary<MulOp>(
            v[1], call.fill(call.getArgument("value"), typeOf(v[1])));
        return call.binary<AddOp>(v[0], call.binary<DivOp>(scaled, v[2]));
      });
}

// Pattern: aten.lerp(x, end, w) -> x + w * (end - x), from the nearer end
static LogicalResult convertLerp(AtenCall &call) {
  return convertElementwise(
      call, {"self", "end", "weight"}, Promotion::Formula, [&](ValueRange v) {
        Value x = v[0], end = v[1], weight = v[2];
        Value span = call.binary<SubOp>(end, x);
        Value fromStart =
            call.binary<AddOp>(x, call.binary<MulOp>(weight, span));
        Value rest = call.binary<SubOp>(call.fill(1.0, weight), weight);
        Value fromEnd = call.binary<SubOp>(end, call.binary<MulOp>(span, rest));
        Value isNear = call.binary<LtOp>(call.unary<AbsOp>(weight), 0.5);
        return call.select(isNear, fromStart, fromEnd);
      });
}

// Pattern: aten.xlogy(x, y) -> x * log(y), 0 where x is 0
// Pattern: aten.special_xlog1py(x, y) -> x * log(1 + y), 0 where x is 0
template <typename LogarithmOp>
static LogicalResult convertTimesLogarithm(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Formula, [&](ValueRange v) {
        Value product = call.binary<MulOp>(v[0], call.unary<LogarithmOp>(v[1]));
        Value isZero = call.binary<EqOp>(v[0], 0.0);
        Value value = call.select(isZero, call.fill(0.0, product), product);
        return call.select(call.unary<IsNanOp>(v[1]), v[1], value);
      });
}

// Pattern: aten.logaddexp(x, y) -> max(x, y) + log1p(exp(-|x - y|))
static LogicalResult convertLogAddExp(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Formula, [&](ValueRange v) {
        Value larger = call.binary<MaximumOp>(v[0], v[1]);
        Value distance = call.unary<AbsOp>(call.binary<SubOp>(v[0], v[1]));
        Value tail =
            call.unary<Log1pOp>(call.unary<ExpOp>(call.unary<NegOp>(distance)));
        // Equal infinities have no difference.
        Value isEqual = call.binary<EqOp>(v[0], v[1]);
        Value isInfinite =
            call.binary<BitwiseAndOp>(isEqual, call.unary<IsInfOp>(v[0]));
        return call.select(isInfinite, v[0], call.binary<AddOp>(larger, tail));
      });
}

// Pattern: aten.frac(x) -> x - trunc(x)
static LogicalResult convertFrac(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Common, [&](ValueRange v) {
        return call.binary<SubOp>(v[0], call.unary<TruncOp>(v[0]));
      });
}

// Pattern: aten.fmax(x, y) of integers -> tc.maximum; of floats the op of the
// table
template <typename OpTy>
static LogicalResult convertNumberExtremum(AtenCall &call) {
  Type element =
      promoteOperands({call.getOperand("self"), call.getOperand("other")});
  if (!isa<IntegerType>(element))
    return convertRow(call);
  return convertElementwise(
      call, {"self", "other"}, Promotion::Common,
      [&](ValueRange v) { return call.binary<OpTy>(v[0], v[1]); });
}

// Pattern: aten.floor(integer) -> the integer; of floats the op of the table
static LogicalResult convertRounding(AtenCall &call) {
  Value x = call.getTensor("self");
  return isa<IntegerType>(elementOf(x)) ? call.replace(x) : convertRow(call);
}

// Pattern: aten.round(x, decimals) -> round(x * 10^decimals) / 10^decimals
static LogicalResult convertRoundToDecimals(AtenCall &call) {
  double power = std::pow(10.0, call.getInteger("decimals"));
  return convertElementwise(
      call, {"self"}, Promotion::Common, [&](ValueRange v) {
        Value scaled = call.binary<MulOp>(call.widen(v[0]), power);
        Value rounded = call.unary<RoundOp>(scaled);
        return call.binary<DivOp>(rounded, power);
      });
}

// Pattern: aten.deg2rad(x) -> tc.mul x, pi / 180
template <bool ToRadians> static LogicalResult convertDegrees(AtenCall &call) {
  constexpr double pi = 3.14159265358979323846;
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        return call.binary<MulOp>(v[0], ToRadians ? pi / 180 : 180 / pi);
      });
}

// Pattern: aten.logit(x, eps) -> log(x / (1 - x)), x in [eps, 1 - eps]
static LogicalResult convertLogit(AtenCall &call) {
  bool clamps = !call.isNone("eps");
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value x = v[0];
        if (clamps) {
          double eps = call.getReal("eps");
          x = call.binary<MaximumOp>(x, eps);
          x = call.binary<MinimumOp>(x, 1.0 - eps);
        }
        Value rest = call.binary<SubOp>(call.fill(1.0, x), x);
        return call.unary<LogOp>(call.binary<DivOp>(x, rest));
      });
}

// Pattern: aten.positive(x) -> x
static LogicalResult convertIdentity(AtenCall &call) {
  return call.replace(call.getTensor("self"));
}

void addArithmetic(AtenTable &table) {
  table.add({"add.Tensor", "add.Scalar"}, convertAdd);
  table.add({"sub.Tensor", "sub.Scalar", "subtract.Tensor", "subtract.Scalar"},
            convertSub);
  table.add({"rsub.Tensor", "rsub.Scalar"}, convertReverseSub);
  table.addOverRow({"mul.Tensor", "mul.Scalar"}, convertMul);
  table.add({"multiply.Tensor", "multiply.Scalar"}, convertMul);
  table.add({"div.Tensor", "div.Scalar", "divide.Tensor", "divide.Scalar",
             "true_divide.Tensor", "true_divide.Scalar"},
            convertDiv);
  table.add({"div.Tensor_mode", "div.Scalar_mode", "divide.Tensor_mode",
             "divide.Scalar_mode"},
            convertDivWithMode);
  table.add({"floor_divide.default", "floor_divide.Scalar"},
            convertFloorDivide);
  table.addOverRow({"pow.Tensor_Scalar", "pow.Tensor_Tensor"}, convertPow);
  table.add({"pow.Scalar"}, convertPow);
  table.add({"square.default"}, convertSquare);
  table.add({"remainder.Scalar_Tensor"}, convertRemainder);
  table.add({"logical_and.default"}, convertLogical<BitwiseAndOp>);
  table.add({"logical_or.default"}, convertLogical<BitwiseOrOp>);
  table.add({"logical_xor.default"}, convertLogical<BitwiseXorOp>);
  table.add({"logical_not.default"}, convertLogicalNot);
  table.add({"__and__.Scalar"}, convertBitwise<BitwiseAndOp>);
  table.add({"__or__.Scalar"}, convertBitwise<BitwiseOrOp>);
  table.add({"__xor__.Scalar"}, convertBitwise<BitwiseXorOp>);
  table.add(
      {"bitwise_left_shift.Tensor_Scalar", "bitwise_left_shift.Scalar_Tensor"},
      convertBitwise<ShiftLeftOp>);
  table.add({"bitwise_right_shift.Tensor_Scalar",
             "bitwise_right_shift.Scalar_Tensor"},
            convertBitwise<ShiftRightOp>);
  table.add({"isclose.default"}, convertIsClose);
  table.add({"addcmul.default"}, convertAddcmul);
  table.add({"addcdiv.default"}, convertAddcdiv);
  table.add({"lerp.Scalar", "lerp.Tensor"}, convertLerp);
  table.add({"xlogy.Tensor", "xlogy.Scalar_Other", "xlogy.Scalar_Self",
             "special_xlogy.default", "special_xlogy.other_scalar",
             "special_xlogy.self_scalar"},
            convertTimesLogarithm<LogOp>);
  table.add({"special_xlog1py.default", "special_xlog1py.other_scalar",
             "special_xlog1py.self_scalar"},
            convertTimesLogarithm<Log1pOp>);
  table.add({"logaddexp.default"}, convertLogAddExp);
  table.add({"frac.default"}, convertFrac);
  table.addOverRow(
      {"floor.default", "ceil.default", "trunc.default", "round.default"},
      convertRounding);
  table.addOverRow({"fmax.default"}, convertNumberExtremum<MaximumOp>);
  table.addOverRow({"fmin.default"}, convertNumberExtremum<MinimumOp>);
  table.add({"round.decimals", "special_round.default"},
            convertRoundToDecimals);
  table.add({"deg2rad.default"}, convertDegrees<true>);
  table.add({"rad2deg.default"}, convertDegrees<false>);
  table.add({"logit.default"}, convertLogit);
  table.add({"positive.default"}, convertIdentity);
}

} // namespace tc::aten
