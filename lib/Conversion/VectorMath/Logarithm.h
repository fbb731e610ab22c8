//===- Logarithm.h - Steps of logarithms ------------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_LOGARITHM_H
#define TC_LIB_CONVERSION_VECTORMATH_LOGARITHM_H

#include "Term.h"

namespace tc::vectormath {

/// x = (1 + fraction) 2^exponent with 1 + fraction between sqrt(1/2) and
/// sqrt(2), exactly; `exponent` is a float. x is finite and positive.
struct Decomposed {
  Term fraction, exponent;
};
Decomposed decompose(Term x);

/// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2).
Term logOfFraction(Term f);

/// log(1 + x) for any x, as emitLog1p.
Term log1p(Term x);
/// log(x) for any x, as emitLog.
Term log(Term x);

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_LOGARITHM_H
