//===- Exponential.h - Steps of exponentials --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_EXPONENTIAL_H
#define TC_LIB_CONVERSION_VECTORMATH_EXPONENTIAL_H

#include "Term.h"

namespace tc::vectormath {

/// A number as `mantissa` times 2 to the integer `exponent`; the low bits of
/// `shifted` hold the exponent as well.
struct Scaled {
  Term mantissa, exponent, shifted;
};

/// x rounded to an integer by an addition that leaves it in the low bits.
struct RoundedInteger {
  Term value, shifted;
};
RoundedInteger roundProduct(Term x, Term y);
RoundedInteger roundProduct(Term x, double y);

/// e^x for |x| < 2^20 or so: what over- and underflows is the scaling.
Scaled expScaled(Term x);
/// e^(-a (t^2)) with a = 1 or 1/2 and t^2 not rounded.
Scaled expOfSquare(Term t, double a);
/// 2^(fraction + integer), |fraction| <= 1/2 and a little more.
Scaled exp2Scaled(Term fraction, RoundedInteger integer);

/// Whether results are rounded to 16 bits, so that the forms below serve.
bool isShort(Term x);
/// 2^x with a relative error of 2^-18 and that of rounding x; for all x. Where
/// there is no AVX-512, denormal results are 0.
Term exp2Short(Term x);
/// 1 / x with a relative error of 2^-14; 0 for infinity.
Term reciprocalShort(Term x);

/// mantissa * 2^exponent, rounded once, with infinities and denormals.
Term scale(Scaled x);
inline Term scale(Term mantissa, Scaled x) {
  return scale(Scaled{mantissa, x.exponent, x.shifted});
}

/// The same where the result is a normal number.
Term scaleToNormal(Scaled x);

/// 1 / x for x between 1 and 2.
Term reciprocalOfSum(Term x);

/// e^x - 1 for x between -40 and the overflow threshold and a little more.
Term expm1InRange(Term x);

/// `function` in AVX-512 registers where the target has them, else at once.
Term compute(Term x, llvm::function_ref<Term(Term)> function);
/// Whether `x` is such a register.
bool isRegister(Term x);

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_EXPONENTIAL_H
