//===- UniformDivision.cpp - Vectors divided by one number ----------------===//
//
// A vector division takes as long as ten multiplications. Where all lanes have
// the same divisor s, its reciprocal r is computed once, and x / s is x * r
// with one correction by the remainder x - q * s, which a multiply-add gives
// exactly: correctly rounded but for quotients below the normal range. A GPU
// goes without the correction, for an error of a unit in the last place.
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

/// 1, or the scale of a small divisor.
static Value emitScale(OpBuilder &b, Location loc, Value divisor) {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(divisor.getType(), value));
  };
  Value size = math::AbsFOp::create(b, loc, divisor);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                        number(kSmall));
  return arith::SelectOp::create(b, loc, isSmall, number(kScale), number(1.0));
}

Value tc::emitUniformDivision(KernelFrame &frame, Value dividend, Value divisor,
                              bool isModerate) {
  if (!divisor.getType().isF32() || !isa<VectorType>(dividend.getType()))
    return {};
  vectormath::VectorMathBuilder &b = frame.builder;
  Location loc = frame.loc;
  auto spread = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, loc, dividend.getType(), value);
  };
  // What is computed of the divisor is the same in every iteration, and moves
  // out of the loop.
  Value x = dividend;
  if (!isModerate) {
    Value scale = emitScale(b, loc, divisor);
    divisor = arith::MulFOp::create(b, loc, divisor, scale);
    x = arith::MulFOp::create(b, loc, dividend, spread(scale));
  }
  Value one =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(divisor.getType(), 1.0));
  Value reciprocal = spread(arith::DivFOp::create(b, loc, one, divisor));
  Value negated = spread(arith::NegFOp::create(b, loc, divisor));

  Value quotient = arith::MulFOp::create(b, loc, x, reciprocal);
  if (b.options.hasSpecialFunctions)
    return quotient;
  Value rest = vectormath::emitFMA(b, loc, quotient, negated, x);
  Value corrected = vectormath::emitFMA(b, loc, rest, reciprocal, quotient);
  // Zeros keep their sign; infinities and NaN have no correction.
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(dividend.getType()));
  Value isCorrect =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, corrected, zero);
  return arith::SelectOp::create(b, loc, isCorrect, corrected, quotient);
}
