//===- AngleReduction.cpp - Angles modulo pi / 2 --------------------------===//
//
// Exact for every number. From small ones a multiple of pi / 2 is subtracted,
// which is kept to more bits than the number has (Cody and Waite, Software
// Manual for the Elementary Functions, 1980): for f32 in f64 and below 2^28,
// for f64 in three parts and below 2^32. Large ones take a branch, where a lane
// needs it. For f32, 1 / (2 pi) is cut there into parts by which x multiplies
// exactly in f64, and whole turns are dropped from each product. For f64, the
// 53 bits of x are multiplied by those 192 bits of 2 / pi that give no multiple
// of 4 and count (Payne and Hanek, Radian Reduction for Trigonometric
// Functions, SIGNUM Newsletter 18, 1983).
//
//===----------------------------------------------------------------------===//

#include "AngleReduction.h"
#include "Coefficients.h"
#include "Exponential.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <array>
#include <cmath>

using namespace mlir;

namespace tc::vectormath {

static constexpr double twoOverPi = 0.63661977236758134308;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Whether a condition holds in any lane.
static Value isAny(Term condition) {
  if (!isa<VectorType>(condition.type()))
    return condition;
  return vector::ReductionOp::create(condition.builder(), condition.location(),
                                     vector::CombiningKind::OR, condition);
}

/// `small`, and what `reduceLarge` gives for the magnitudes of the finite
/// numbers that are at least `limit`.
static ReducedAngle
reduceByBranch(Term x, ReducedAngle small, double limit,
               llvm::function_ref<ReducedAngle(Term)> reduceLarge) {
  VectorMathBuilder &b = x.builder();
  Location loc = x.location();
  Term magnitude = abs(x);
  Term isLarge = (magnitude >= limit) &
                 (magnitude != std::numeric_limits<double>::infinity());
  auto branch = scf::IfOp::create(
      b, loc, TypeRange{small.angle.type(), small.quadrant.type()},
      isAny(isLarge), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  ReducedAngle large = reduceLarge(magnitude);
  Term isNegative = bits(x) < bits(x).integer(0);
  Term angle = select(isLarge, timesSign(large.angle, x), small.angle);
  Term quadrant = select(isNegative, -large.quadrant, large.quadrant);
  quadrant = select(isLarge, quadrant, small.quadrant);
  scf::YieldOp::create(b, loc, ValueRange{angle, quadrant});
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, ValueRange{small.angle, small.quadrant});
  return {x.with(branch.getResult(0)), x.with(branch.getResult(1))};
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// By subtraction in f64, below 2^28.
static ReducedAngle reduceSmallF32(Term x) {
  OpBuilder &b = x.builder();
  Term wide = convert(x, b.getF64Type());
  RoundedInteger n = roundProduct(wide, twoOverPi);
  Term angle = fma(n.value, -halfPiParts[0], wide);
  angle = fma(n.value, -halfPiParts[1], angle);
  return {convert(angle, b.getF32Type()),
          truncateBits(bits(n.shifted), b.getI32Type())};
}

static ReducedAngle reduceLargeF32(Term x) {
  OpBuilder &b = x.builder();
  Term wide = convert(x, b.getF64Type());
  ArrayRef<double> parts(turnParts);
  // The fractions cancel, so that their sums' rounding errors count.
  TermPair turns = {wide.literal(0.0), wide.literal(0.0)};
  for (double part : parts.drop_back()) {
    Term product = wide * part;
    TermPair sum = exactSum(turns.high, product - roundEven(product));
    turns = {sum.high, turns.low + sum.low};
  }
  Term quarters = turns.high * 4.0;
  Term quadrant = roundEven(quarters);
  Term rest = fma(wide, parts.back(), turns.low) * 4.0;
  Term angle = ((quarters - quadrant) + rest) * halfPiParts[0];
  return {convert(angle, b.getF32Type()), toInteger(quadrant, b.getI32Type())};
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

/// By subtraction. No double below 2^32 is closer than 2^-60 to a multiple of
/// pi / 2 other than 0, and three parts leave an error of 2^-129.
static ReducedAngle reduceSmallF64(Term x) {
  RoundedInteger n = roundProduct(x, twoOverPi);
  Term quadrant = bits(n.shifted);
  // The remainder of x, as a sum whose second term is its rounding error.
  Term high = x, low = x.literal(0.0);
  for (double part : ArrayRef(halfPiParts).take_front(3)) {
    TermPair product = exactProduct(n.value, x.literal(-part));
    TermPair sum = exactSum(high, product.high);
    high = sum.high;
    low = low + sum.low + product.low;
    TermPair settled = exactSumOrdered(high, low);
    high = settled.high;
    low = settled.low;
  }
  return {high, quadrant};
}

/// Numbers of f64 from here on are reduced by their product with bits of
/// 2 / pi.
static constexpr int kLargeExponent = 32;

static Term lowHalf(Term x) { return x & x.integer(0xFFFFFFFF); }
static Term highHalf(Term x) { return shiftRightUnsigned(x, 32); }

/// An unsigned fraction of 192 bits, as 32 bits each, the lowest first.
using Fraction = std::array<Term, 6>;

/// The bits of 2 / pi from that of weight 2^(53 - exponent) down: what is above
/// is a multiple of 4 in the product with a number of 53 bits and of that
/// exponent, kLargeExponent to 1023.
static Fraction selectBits(Term exponent) {
  Term start = exponent - exponent.integer(kLargeExponent);
  SmallVector<Term> words;
  for (uint64_t word : twoOverPiWords)
    words.push_back(exponent.integer(static_cast<int64_t>(word)));
  // Words start / 64 to start / 64 + 3, one bit of that number after another.
  for (int bit = 3; bit >= 0; --bit) {
    size_t offset = size_t(1) << bit;
    Term mask = exponent.integer(int64_t(64) << bit);
    Term isSet = (start & mask) == mask;
    SmallVector<Term> selected;
    for (size_t index = 0; index < offset + 3; ++index)
      selected.push_back(select(isSet, words[index + offset], words[index]));
    words = selected;
  }
  Term count = start & start.integer(63);
  Term rest = start.integer(63) - count;
  auto shifted = [&](size_t index) {
    Term low = shiftRightUnsigned(words[index + 1], 1);
    return words[index].binary<arith::ShLIOp>(count) |
           low.binary<arith::ShRUIOp>(rest);
  };
  Term high = shifted(0), middle = shifted(1), low = shifted(2);
  return {lowHalf(low),     highHalf(low), lowHalf(middle),
          highHalf(middle), lowHalf(high), highHalf(high)};
}

/// `fraction` times an integer of 53 bits, modulo 2^192.
static Fraction multiply(const Fraction &fraction, Term integer) {
  Term factors[] = {lowHalf(integer), highHalf(integer)};
  Fraction result = fraction;
  Term carry = integer.integer(0);
  SmallVector<Term> highHalves; // of the products one place below
  for (size_t place = 0; place < fraction.size(); ++place) {
    Term sum = carry;
    for (Term high : highHalves)
      sum = sum + high;
    highHalves.clear();
    for (size_t index = 0; index < 2 && index <= place; ++index) {
      Term product = factors[index] * fraction[place - index];
      sum = sum + lowHalf(product);
      highHalves.push_back(highHalf(product));
    }
    result[place] = lowHalf(sum);
    carry = highHalf(sum);
  }
  return result;
}

/// A positive x of 2^32 or more.
static ReducedAngle reduceLargeF64(Term x) {
  Term word = bits(x);
  Term exponent = shiftRightUnsigned(word, 52) - word.integer(1023);
  // Lanes of small numbers, infinities and NaN select something all the same.
  exponent = exponent & exponent.integer(1023);
  Term significand = (word & word.integer((int64_t(1) << 52) - 1)) |
                     word.integer(int64_t(1) << 52);
  Fraction quarters = multiply(selectBits(exponent), significand);
  // Two bits of the quadrant and 190 of a fraction of it, from 0 to 1; then
  // from -1/2 to 1/2.
  Term top = shiftLeft(quarters[5], 32) | quarters[4];
  Term quadrant = shiftRightUnsigned(top + top.integer(int64_t(1) << 61), 62);
  Term sign = top.integer(64 - 32);
  auto place = [&](size_t index) {
    return lowHalf(shiftLeft(quarters[index], 2)) |
           shiftRightUnsigned(quarters[index - 1], 30);
  };
  Term first =
      place(5).binary<arith::ShLIOp>(sign).binary<arith::ShRSIOp>(sign);
  Type element = x.elementType();
  auto scaled = [&](Term part, int index) {
    return toFloat(part, element) * std::ldexp(1.0, -32 * index);
  };
  Term rest = scaled(place(3), 3) + (scaled(place(2), 4) + scaled(place(1), 5));
  TermPair start = exactSum(scaled(first, 1), scaled(place(4), 2));
  TermPair fraction = exactSumOrdered(start.high, start.low + rest);
  TermPair angle = exactProduct(fraction.high, x.literal(halfPiParts[0]));
  Term correction =
      fma(fraction.high, halfPiParts[1], fraction.low * halfPiParts[0]);
  return {angle.high + (angle.low + correction), quadrant};
}

ReducedAngle reduceAngle(Term x) {
  if (x.isF64())
    return reduceByBranch(x, reduceSmallF64(x), std::ldexp(1.0, kLargeExponent),
                          reduceLargeF64);
  return reduceByBranch(x, reduceSmallF32(x), 0x1p28, reduceLargeF32);
}

} // namespace tc::vectormath
