//===- Integer.cpp - Integer functions ------------------------------------===//
//
// Divisors that would trap are replaced by 1 first, and the result by what the
// table defines.
//
//===----------------------------------------------------------------------===//

#include "Term.h"

using namespace mlir;

namespace tc::vectormath {

static Term zero(Term x) { return x.integer(0); }
static Term one(Term x) { return x.integer(1); }

Value emitNegInteger(VectorMathBuilder &b, Location loc, Value x) {
  return -Term(b, loc, x);
}

Value emitSignSigned(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  Term positive = select(zero(x) < x, one(x), zero(x));
  return select(x < zero(x), x.integer(-1), positive);
}

Value emitSignUnsigned(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  return select(x != zero(x), one(x), zero(x));
}

Value emitReluSigned(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  return x.binary<arith::MaxSIOp>(zero(x));
}

Value emitBitwiseNot(VectorMathBuilder &b, Location loc, Value x) {
  return !Term(b, loc, x);
}

namespace {
/// The quotient towards zero and its remainder; both 0 for a divisor of 0.
struct Division {
  Term quotient, remainder;
};
} // namespace

static Division divideSigned(Term x, Term y) {
  // -1 would overflow with the smallest integer: a negation, which wraps.
  Term isZero = y == zero(y), isMinusOne = y == y.integer(-1);
  Term divisor = select(isZero | isMinusOne, one(y), y);
  Term quotient = x.binary<arith::DivSIOp>(divisor);
  Term remainder = x - quotient * divisor;
  quotient = select(isMinusOne, -x, quotient);
  return {select(isZero, zero(x), quotient), remainder};
}

Value emitTruncDivSigned(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return divideSigned(Term(b, loc, x), Term(b, loc, y)).quotient;
}

Value emitFmodSigned(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return divideSigned(Term(b, loc, x), Term(b, loc, y)).remainder;
}

/// Whether a remainder is not 0 and differs from the divisor in sign.
static Term needsAdjustment(Term remainder, Term y) {
  return (remainder != zero(y)) & ((remainder ^ y) < zero(y));
}

Value emitFloorDivSigned(VectorMathBuilder &b, Location loc, Value xValue,
                         Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  auto [quotient, remainder] = divideSigned(x, y);
  Term below = quotient - one(x);
  return select(needsAdjustment(remainder, y) & (y != zero(y)), below,
                quotient);
}

Value emitRemainderSigned(VectorMathBuilder &b, Location loc, Value xValue,
                          Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term remainder = divideSigned(x, y).remainder;
  return select(needsAdjustment(remainder, y), remainder + y, remainder);
}

Value emitDivUnsigned(VectorMathBuilder &b, Location loc, Value xValue,
                      Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term isZero = y == zero(y);
  Term quotient = x.binary<arith::DivUIOp>(select(isZero, one(y), y));
  return select(isZero, zero(x), quotient);
}

Value emitRemUnsigned(VectorMathBuilder &b, Location loc, Value xValue,
                      Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  // Modulo 1 is 0, as wanted for a divisor of 0.
  Term divisor = select(y == zero(y), one(y), y);
  return x.binary<arith::RemUIOp>(divisor);
}

/// x^y modulo 2^width, y unsigned.
static Term powWrapping(Term x, Term y) {
  Term result = one(x), power = x;
  unsigned width = x.width();
  for (unsigned bit = 0; bit < width; ++bit) {
    Term isSet = (y & y.integer(int64_t(1) << bit)) != zero(y);
    result = select(isSet, result * power, result);
    if (bit + 1 < width)
      power = power * power;
  }
  return result;
}

Value emitPowUnsigned(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return powWrapping(Term(b, loc, x), Term(b, loc, y));
}

Value emitPowSigned(VectorMathBuilder &b, Location loc, Value xValue,
                    Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term result = powWrapping(x, y);
  // Negative exponents: 1 / x^-y towards zero. For a base of -1 the lowest bit
  // of y decides, as for positive exponents.
  Term isUnit = (x == one(x)) | (x == x.integer(-1));
  return select((y < zero(y)) & !isUnit, zero(x), result);
}

/// Whether a shift count is below the width, negative ones not.
static Term isCount(Term y) {
  return y.compare(arith::CmpIPredicate::ult, y.integer(y.width()));
}

Value emitShiftLeft(VectorMathBuilder &b, Location loc, Value xValue,
                    Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term count = select(isCount(y), y, zero(y));
  return select(isCount(y), x.binary<arith::ShLIOp>(count), zero(x));
}

Value emitShiftRightUnsigned(VectorMathBuilder &b, Location loc, Value xValue,
                             Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term count = select(isCount(y), y, zero(y));
  return select(isCount(y), x.binary<arith::ShRUIOp>(count), zero(x));
}

Value emitShiftRightSigned(VectorMathBuilder &b, Location loc, Value xValue,
                           Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  // Shifting everything out leaves the sign.
  Term count = select(isCount(y), y, y.integer(y.width() - 1));
  return x.binary<arith::ShRSIOp>(count);
}

} // namespace tc::vectormath
