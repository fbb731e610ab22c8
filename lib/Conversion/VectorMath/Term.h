//===- Term.h - Arithmetic on values with operators -------------*- C++ -*-===//
//
// A value of float, integer or i1 type, scalar or vector, whose operators emit
// arith and math ops. Literals take the type of the term they meet.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_TERM_H
#define TC_LIB_CONVERSION_VECTORMATH_TERM_H

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

namespace tc::vectormath {

class Term {
public:
  Term(VectorMathBuilder &b, mlir::Location loc, mlir::Value value)
      : b(&b), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }
  VectorMathBuilder &builder() const { return *b; }
  mlir::Location location() const { return loc; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type elementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType()); }
  bool isF64() const { return elementType().isF64(); }
  /// Bits of an element.
  unsigned width() const { return elementType().getIntOrFloatBitWidth(); }

  /// A constant of this term's type.
  Term literal(double constant) const;
  Term integer(int64_t constant) const;
  Term with(mlir::Value other) const { return Term(*b, loc, other); }
  /// This term's shape with another element type.
  mlir::Type withElements(mlir::Type element) const;

  template <typename Op> Term unary() const {
    return with(Op::create(*b, loc, value));
  }
  template <typename Op> Term binary(Term other) const {
    return with(Op::create(*b, loc, value, other.value));
  }
  Term compare(mlir::arith::CmpFPredicate predicate, Term other) const {
    return with(mlir::arith::CmpFOp::create(*b, loc, predicate, value, other));
  }
  Term compare(mlir::arith::CmpIPredicate predicate, Term other) const {
    return with(mlir::arith::CmpIOp::create(*b, loc, predicate, value, other));
  }

private:
  VectorMathBuilder *b;
  mlir::Location loc;
  mlir::Value value;
};

// Arithmetic on floats or on integers, by the operands' type.
Term operator+(Term x, Term y);
Term operator-(Term x, Term y);
Term operator*(Term x, Term y);
/// Floats only.
Term operator/(Term x, Term y);
Term operator-(Term x);
inline Term operator+(Term x, double y) { return x + x.literal(y); }
inline Term operator-(Term x, double y) { return x - x.literal(y); }
inline Term operator*(Term x, double y) { return x * x.literal(y); }
inline Term operator-(double x, Term y) { return y.literal(x) - y; }
inline Term operator/(double x, Term y) { return y.literal(x) / y; }

// Bits of integers and i1.
Term operator&(Term x, Term y);
Term operator|(Term x, Term y);
Term operator^(Term x, Term y);
Term operator!(Term condition);
Term shiftLeft(Term x, int64_t count);
Term shiftRightSigned(Term x, int64_t count);
Term shiftRightUnsigned(Term x, int64_t count);

// Ordered comparisons of floats (false with NaN), signed ones of integers.
Term operator<(Term x, Term y);
Term operator<=(Term x, Term y);
Term operator==(Term x, Term y);
Term operator!=(Term x, Term y);
inline Term operator<(Term x, double y) { return x < x.literal(y); }
inline Term operator<=(Term x, double y) { return x <= x.literal(y); }
inline Term operator>=(Term x, Term y) { return y <= x; }
inline Term operator>(Term x, double y) { return x.literal(y) < x; }
inline Term operator>=(Term x, double y) { return x.literal(y) <= x; }
inline Term operator==(Term x, double y) { return x == x.literal(y); }
inline Term operator!=(Term x, double y) { return x != x.literal(y); }
Term isNan(Term x);

Term select(Term condition, Term x, Term y);
inline Term select(Term condition, Term x, double y) {
  return select(condition, x, x.literal(y));
}
inline Term select(Term condition, double x, Term y) {
  return select(condition, y.literal(x), y);
}

/// `product`, of x and what goes to 0 as x goes to minus infinity; there it is
/// NaN, which is what PyTorch's multiplication gives.
inline Term undefinedAtLowEnd(Term x, Term product) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return select(x == -infinity, std::numeric_limits<double>::quiet_NaN(),
                product);
}

/// x * y + z, rounded once.
Term fma(Term x, Term y, Term z);
inline Term fma(Term x, double y, Term z) { return fma(x, x.literal(y), z); }
inline Term fma(Term x, Term y, double z) { return fma(x, y, x.literal(z)); }
inline Term fma(Term x, double y, double z) {
  return fma(x, x.literal(y), x.literal(z));
}
Term abs(Term x);
Term sqrt(Term x);
Term floor(Term x);
Term truncate(Term x);
Term roundEven(Term x);
Term copySign(Term magnitude, Term sign);
/// `x` with its sign flipped where that of `y` is set.
Term timesSign(Term x, Term y);

/// The smaller (larger) of x and the limit; NaN stays NaN. One instruction on
/// x86, where `minps` returns its second operand if either is NaN.
Term atMost(Term x, double limit);
Term atLeast(Term x, double limit);

/// The bits of a float as an integer of its width, and back.
Term bits(Term x);
Term fromBits(Term x);
/// Conversions between floats and signed integers of any width.
Term toFloat(Term x, mlir::Type element);
Term toInteger(Term x, mlir::Type element);
/// Widens or rounds a float.
Term convert(Term x, mlir::Type element);
/// An integer of more or fewer bits.
Term signExtend(Term x, mlir::Type element);
Term zeroExtend(Term x, mlir::Type element);
Term truncateBits(Term x, mlir::Type element);

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
Term polynomial(Term x, llvm::ArrayRef<double> coefficients);

/// A value as the unevaluated sum of two terms, the second below half a unit
/// in the last place of the first.
struct TermPair {
  Term high, low;
};
/// x + y without error: for any x and y, and where |x| >= |y| or x is 0.
TermPair exactSum(Term x, Term y);
TermPair exactSumOrdered(Term x, Term y);
TermPair exactProduct(Term x, Term y);

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_TERM_H
