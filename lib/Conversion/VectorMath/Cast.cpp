//===- Cast.cpp - Conversions between element types -----------------------===//
//
// Floats of 8 bits go by way of f32. Conversions that the target lacks as an
// instruction (bf16, f16, floats of 8 bits) are integer arithmetic, which
// rounds to nearest even like the others.
//
//===----------------------------------------------------------------------===//

#include "Term.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;

namespace tc::vectormath {

namespace {
/// How a float of 8 or 16 bits is laid out.
struct SmallFloat {
  int exponentBits, mantissaBits, bias;
  /// Whether it has infinities; without them overflow gives the largest number,
  /// as in PyTorch.
  bool hasInfinity;

  int bits() const { return 1 + exponentBits + mantissaBits; }
  int64_t signBit() const { return int64_t(1) << (bits() - 1); }
  int64_t infinity() const {
    return ((int64_t(1) << exponentBits) - 1) << mantissaBits;
  }
  /// The largest magnitude that is no NaN but for infinity, and a quiet NaN.
  int64_t limit() const { return hasInfinity ? infinity() : signBit() - 1; }
  /// What is too large, infinity included, becomes this.
  int64_t overflow() const { return hasInfinity ? infinity() : limit() - 1; }
  int64_t quietNaN() const {
    return hasInfinity ? infinity() | int64_t(1) << (mantissaBits - 1)
                       : signBit() - 1;
  }
};
} // namespace

static std::optional<SmallFloat> getSmallFloat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return SmallFloat{4, 3, 7, false};
  if (isa<Float8E5M2Type>(type))
    return SmallFloat{5, 2, 15, true};
  if (type.isF16())
    return SmallFloat{5, 10, 15, true};
  return std::nullopt;
}

template <typename Op> static Term cast(Term x, Type element) {
  return x.with(
      Op::create(x.builder(), x.location(), x.withElements(element), Value(x)));
}

/// The upper half of an f32, rounded to nearest even; NaN stays NaN.
static Term roundToBF16(Term x) {
  OpBuilder &b = x.builder();
  Term pattern = bits(x);
  Term lowest = shiftRightUnsigned(pattern, 16) & pattern.integer(1);
  Term rounded = pattern + lowest + pattern.integer(0x7fff);
  // A quiet NaN whose payload is in the upper half.
  Term quiet = pattern | pattern.integer(0x400000);
  Term upper = shiftRightUnsigned(select(isNan(x), quiet, rounded), 16);
  Term narrow = truncateBits(upper, b.getI16Type());
  return cast<arith::BitcastOp>(narrow, b.getBF16Type());
}

static Term widenBF16(Term x) {
  OpBuilder &b = x.builder();
  Term pattern = cast<arith::BitcastOp>(x, b.getI16Type());
  return fromBits(shiftLeft(zeroExtend(pattern, b.getI32Type()), 16));
}

/// f32 to 8 or 16 bits.
static Term roundToSmall(Term x, const SmallFloat &format, Type type) {
  OpBuilder &b = x.builder();
  int dropped = 23 - format.mantissaBits;
  Term pattern = bits(x);
  Term magnitude = pattern & pattern.integer(0x7fffffff);
  // Normal results: round off the mantissa and rebias.
  Term lowest = shiftRightUnsigned(magnitude, dropped) & pattern.integer(1);
  Term rounded = magnitude + lowest + pattern.integer((1 << (dropped - 1)) - 1);
  Term normal = shiftRightUnsigned(
      rounded - pattern.integer(int64_t(127 - format.bias) << 23), dropped);
  // Denormal results: an addition that leaves the units in the low bits.
  int unit = 1 - format.bias - format.mantissaBits;
  double shift = std::ldexp(1.0, unit + 23);
  Term denormal = bits(abs(x) + shift) - bits(x.literal(shift));
  int64_t smallestNormal = int64_t(128 - format.bias) << 23;
  Term result =
      select(magnitude < pattern.integer(smallestNormal), denormal, normal);
  // Overflow, infinities and NaN.
  Term limit = pattern.integer(format.overflow());
  Term isLarge =
      (limit <= result) | (pattern.integer(int64_t(255) << 23) <= magnitude);
  result = select(isLarge, limit, result);
  result = select(isNan(x), pattern.integer(format.quietNaN()), result);
  Term sign = shiftRightUnsigned(pattern, 32 - format.bits()) &
              pattern.integer(format.signBit());
  Term narrow = truncateBits(result | sign, b.getIntegerType(format.bits()));
  return cast<arith::BitcastOp>(narrow, type);
}

/// 8 or 16 bits to f32.
static Term widenSmall(Term x, const SmallFloat &format) {
  OpBuilder &b = x.builder();
  Term narrow = cast<arith::BitcastOp>(x, b.getIntegerType(format.bits()));
  Term pattern = zeroExtend(narrow, b.getI32Type());
  Term magnitude = pattern & pattern.integer(format.signBit() - 1);
  // In an f32's places the value is off by a power of two, denormals included.
  Term placed = fromBits(shiftLeft(magnitude, 23 - format.mantissaBits)) *
                std::ldexp(1.0, 127 - format.bias);
  Term special = pattern.integer(format.limit());
  Term isSpecial = special <= magnitude;
  Term isInfinite = magnitude == special;
  Term infinite = placed.literal(std::numeric_limits<double>::infinity());
  Term nan = placed.literal(std::numeric_limits<double>::quiet_NaN());
  Term notFinite = format.hasInfinity ? select(isInfinite, infinite, nan) : nan;
  Term sign = shiftLeft(pattern & pattern.integer(format.signBit()),
                        32 - format.bits());
  Term value = select(isSpecial, notFinite, placed);
  return fromBits(bits(value) | sign);
}

/// Between floats, always by way of f32 where neither is f32, as PyTorch does.
static Term castFloat(Term x, Type from, Type to) {
  if (from == to)
    return x;
  VectorMathBuilder &b = x.builder();
  Type f32 = b.getF32Type();
  if (!from.isF32() && !to.isF32())
    return castFloat(castFloat(x, from, f32), f32, to);
  bool hasF16 = b.options.hasF16Conversion;
  if (auto format = getSmallFloat(from); format && !(from.isF16() && hasF16))
    return widenSmall(x, *format);
  if (auto format = getSmallFloat(to); format && !(to.isF16() && hasF16))
    return roundToSmall(x, *format, to);
  if (from.isBF16())
    return widenBF16(x);
  if (to.isBF16())
    return x.builder().options.hasBF16Rounding ? cast<arith::TruncFOp>(x, to)
                                               : roundToBF16(x);
  return convert(x, to);
}

/// Whether a float type is one that arith ops compute in here.
static bool isWide(Type type) { return type.isF32() || type.isF64(); }

static Term integerToFloat(Term x, Type from, Type to) {
  Type wide = isWide(to) ? to : x.builder().getF32Type();
  bool isUnsigned = from.isInteger(1) || from.isUnsignedInteger();
  Term value = isUnsigned ? cast<arith::UIToFPOp>(x, wide)
                          : cast<arith::SIToFPOp>(x, wide);
  return castFloat(value, wide, to);
}

/// Towards zero. By way of an integer that holds every value of a narrower
/// one, so that what is out of range wraps rather than being undefined.
static Term floatToInteger(Term x, Type from, Type to) {
  OpBuilder &b = x.builder();
  Type wide = isWide(from) ? from : b.getF32Type();
  Term value = castFloat(x, from, wide);
  unsigned width = to.getIntOrFloatBitWidth();
  Type signless = b.getIntegerType(width);
  if (width == 64)
    return to.isUnsignedInteger() ? cast<arith::FPToUIOp>(value, signless)
                                  : toInteger(value, signless);
  if (width == 32)
    return to.isUnsignedInteger()
               ? truncateBits(toInteger(value, b.getI64Type()), signless)
               : toInteger(value, signless);
  return truncateBits(toInteger(value, b.getI32Type()), signless);
}

static Term castInteger(Term x, Type from, Type to) {
  Type signless = x.builder().getIntegerType(to.getIntOrFloatBitWidth());
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == x.width())
    return x;
  if (width < x.width())
    return truncateBits(x, signless);
  bool isUnsigned = from.isInteger(1) || from.isUnsignedInteger();
  return isUnsigned ? zeroExtend(x, signless) : signExtend(x, signless);
}

static Term castToBool(Term x, Type from) {
  if (isa<IntegerType>(from))
    return from.isInteger(1) ? x : x != x.integer(0);
  Type wide = isWide(from) ? from : x.builder().getF32Type();
  return castFloat(x, from, wide) != 0.0;
}

Value emitCast(VectorMathBuilder &b, Location loc, Value value, Type from,
               Type to) {
  Term x(b, loc, value);
  if (to.isInteger(1))
    return castToBool(x, from);
  bool fromInteger = isa<IntegerType>(from), intoInteger = isa<IntegerType>(to);
  if (fromInteger && intoInteger)
    return castInteger(x, from, to);
  if (fromInteger)
    return integerToFloat(x, from, to);
  if (intoInteger)
    return floatToInteger(x, from, to);
  return castFloat(x, from, to);
}

} // namespace tc::vectormath
