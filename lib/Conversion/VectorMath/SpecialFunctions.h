//===- SpecialFunctions.h - Approximations in instructions ------*- C++ -*-===//
//
// f32 functions that GPUs of NVIDIA have instructions for; their errors are
// those of the PTX manual. Denormal numbers count as 0 where a name does not
// say otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_SPECIALFUNCTIONS_H
#define TC_LIB_CONVERSION_VECTORMATH_SPECIALFUNCTIONS_H

#include "Term.h"

namespace tc::vectormath {

/// Whether `x` is computed with such instructions: f32 on a target that has
/// them.
bool hasSpecialFunctions(Term x);

/// 2^x with a relative error of 2^-22.
Term exp2Approximation(Term x);
/// log2(x), of denormal numbers too: with an error of 2^-22 from 1/2 to 2, and
/// such a relative error elsewhere.
Term log2Approximation(Term x);
/// 1 / x within one unit in the last place.
Term reciprocalApproximation(Term x);
/// 1 / sqrt(x), of denormal numbers too, with a relative error of 2^-22.9.
Term rsqrtApproximation(Term x);

/// e^x within 3 units in the last place; below the normal numbers 0.
Term expApproximation(Term x);
/// e^(-t^2 / 2) for t up to 2^10 within 3 units in the last place; below the
/// normal numbers 0.
Term expOfHalfSquareApproximation(Term t);
/// log(x) within 8 units in the last place of f32, for results that are rounded
/// to 16 bits or that are terms of sums.
Term logApproximation(Term x);
/// The normal distribution, erfc(-x / sqrt(2)) / 2, with a relative error of
/// 2^-14 down to -6 and an absolute one of 2^-40 below, for results that are
/// rounded to 16 bits.
Term normalApproximation(Term x);
/// sqrt(x) and x / y, of all numbers, with a relative error of 2^-22.
Term sqrtApproximation(Term x);
Term quotientApproximation(Term x, Term y);
/// tanh(x) of f32: of |x| below 0.55 by a polynomial in its square, fitted for
/// the relative error, and else `large`, which is 1 - 2 / (e^(2 |x|) + 1).
Term tanhOrBelow(Term x, Term large);
/// tanh(x) within 3 units in the last place, or with a relative error of 2^-11
/// where results are rounded to bf16.
Term tanhApproximation(Term x);
/// The tanh form of gelu with a relative error of 2^-20 from -2 on; down to -10
/// one of 2^-17. For results that are rounded to 16 bits.
Term geluTanhApproximation(Term x);

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_SPECIALFUNCTIONS_H
