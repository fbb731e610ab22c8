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

Value tc::emitUniformDivision(KernelFrame &frame, Value dividend,
                              Value divisor) {
  if (!divisor.getType().isF32() || !isa<VectorType>(dividend.getType()))
    return {};
  vectormath::VectorMathBuilder &b = frame.builder;
  Location loc = frame.loc;
  Type scalar = divisor.getType();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(scalar, value));
  };
  auto spread = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, loc, dividend.getType(), value);
  };
  // All of this is the same in every iteration, and moves out of the loop.
  Value size = math::AbsFOp::create(b, loc, divisor);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                        number(kSmall));
  Value scale =
      arith::SelectOp::create(b, loc, isSmall, number(kScale), number(1.0));
  Value scaled = arith::MulFOp::create(b, loc, divisor, scale);
  Value reciprocal = spread(arith::DivFOp::create(b, loc, number(1.0), scaled));
  Value negated = spread(arith::NegFOp::create(b, loc, scaled));

  Value x = arith::MulFOp::create(b, loc, dividend, spread(scale));
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
