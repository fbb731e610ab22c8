//===- UniformDivision.cpp - Vectors divided by one number ----------------===//
//
// A vector division takes as long as ten multiplications. Where all lanes, or
// on a GPU all points of a loop, have the same divisor s, its reciprocal r is
// computed once, and x / s is x * r with one correction by the remainder x - q
// * s, which a multiply-add gives exactly: correctly rounded but for quotients
// below the normal range. A GPU goes without the correction, for an error of a
// unit in the last place, where the quotient is rounded to 16 bits, and in a
// softmax, whose exponentials have that of two and which instructions bound.
//
//===----------------------------------------------------------------------===//

#include "UniformDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Divisors below 2^-64 are scaled by 2^64, and the dividend with them, so that
/// the reciprocal is finite. A dividend for which that overflows has an
/// infinite quotient.
static constexpr double kSmall = 0x1p-64, kScale = 0x1p64;

/// A number as a value of `type`, f32 or a vector of it.
static Value makeNumber(OpBuilder &b, Location loc, Type type, double value) {
  TypedAttr number = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, loc, number);
}

/// 1, or the scale of a small divisor.
static Value emitScale(OpBuilder &b, Location loc, Value divisor) {
  auto number = [&](double value) {
    return makeNumber(b, loc, divisor.getType(), value);
  };
  Value size = math::AbsFOp::create(b, loc, divisor);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                        number(kSmall));
  return arith::SelectOp::create(b, loc, isSmall, number(kScale), number(1.0));
}

Value tc::emitUniformDivision(KernelFrame &frame, Value dividend, Value divisor,
                              bool isModerate, bool roundsTo16Bits) {
  vectormath::VectorMathBuilder &b = frame.builder;
  const bool isOnGPU = b.options.hasSpecialFunctions,
             corrects = !isOnGPU || !(roundsTo16Bits || isModerate);
  Type type = dividend.getType();
  if (!getElementTypeOrSelf(type).isF32() ||
      (!isOnGPU && !isa<VectorType>(type)))
    return {};
  Location loc = frame.loc;
  auto spread = [&](Value value) -> Value {
    if (value.getType() == type)
      return value;
    return vector::BroadcastOp::create(b, loc, type, value);
  };
  // What is computed of the divisor is the same in every iteration, and moves
  // out of the loop.
  Value x = dividend;
  if (!isModerate) {
    Value scale = emitScale(b, loc, divisor);
    divisor = arith::MulFOp::create(b, loc, divisor, scale);
    x = arith::MulFOp::create(b, loc, dividend, spread(scale));
  }
  Value one = makeNumber(b, loc, divisor.getType(), 1.0);
  Value reciprocal = spread(arith::DivFOp::create(b, loc, one, divisor));
  Value quotient = arith::MulFOp::create(b, loc, x, reciprocal);
  if (!corrects)
    return quotient;
  Value negated = spread(arith::NegFOp::create(b, loc, divisor));
  Value rest = vectormath::emitFMA(b, loc, quotient, negated, x);
  Value corrected = vectormath::emitFMA(b, loc, rest, reciprocal, quotient);
  // Zeros keep their sign; infinities and NaN have no correction.
  Value isCorrect =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, corrected,
                            makeNumber(b, loc, type, 0.0));
  return arith::SelectOp::create(b, loc, isCorrect, corrected, quotient);
}
