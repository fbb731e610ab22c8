//===- Lanes.h - AVX-512 forms of a few steps -------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_LANES_H
#define TC_LIB_CONVERSION_VECTORMATH_LANES_H

#include "Term.h"

namespace tc::vectormath {

/// Whether `x` is computed in the AVX-512 form: f32 on a target that has it.
bool useAvx512(Term x);

/// Applies `function` to `x` in registers of 16 floats: a longer vector in
/// parts, a shorter one (or a scalar) in the low lanes.
Term inRegisters(Term x, llvm::function_ref<Term(Term)> function);

/// Element `index mod 32` of the table in every lane; `index` is a
/// vector<16xi32>.
Term lookUp(Term index, llvm::ArrayRef<float> table);

/// x * 2^floor(exponent), rounded once, on vector<16xf32>.
Term scaleByPower(Term x, Term exponent);

/// The exponent of x, denormal or not, as a float, on vector<16xf32>: floor of
/// log2 |x|; minus infinity for zeros, infinity for infinities.
Term exponentOf(Term x);

/// What x is a power of two times, between 3/4 and 3/2, on vector<16xf32>; 1 or
/// -1 for zeros and infinity, NaN for negative numbers.
Term mantissaAroundOne(Term x);

/// 1 / x with a relative error of 2^-28 before rounding, on vector<16xf32>; x
/// and 1 / x must be normal numbers.
Term reciprocalOfNormal(Term x);

/// An approximation of 1 / x with a relative error of 2^-14, on
/// vector<16xf32>; 0 for infinity.
Term reciprocalEstimate(Term x);

/// x - floor(x) on vector<16xf32>; 0 for infinities.
Term fractionAboveFloor(Term x);

/// A function by its values near multiples of `width`: rows of a table of 32
/// intervals, by powers of the distance from the multiple. `x`, a
/// vector<16xf32>, is between 0 and 31.5 * width.
template <size_t N>
Term piecewise(Term x, double width, const float (&table)[N][32]);

Term piecewise(Term x, double width,
               llvm::ArrayRef<llvm::ArrayRef<float>> rows);

template <size_t N>
Term piecewise(Term x, double width, const float (&table)[N][32]) {
  llvm::SmallVector<llvm::ArrayRef<float>> rows;
  for (const auto &row : table)
    rows.push_back(row);
  return piecewise(x, width, llvm::ArrayRef<llvm::ArrayRef<float>>(rows));
}

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_LANES_H
