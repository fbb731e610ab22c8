//===- AngleReduction.h - Angles modulo pi / 2 ------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_VECTORMATH_ANGLEREDUCTION_H
#define TC_LIB_CONVERSION_VECTORMATH_ANGLEREDUCTION_H

#include "Term.h"

namespace tc::vectormath {

/// x = quadrant pi / 2 + angle for an integer quadrant modulo 4 (its two low
/// bits count) and |angle| <= pi / 4 and little more.
struct ReducedAngle {
  Term angle, quadrant;
};

/// For every finite x of f32 or f64; the angle of others is NaN. The angle is
/// off by at most 0.51 units in its last place in f64.
ReducedAngle reduceAngle(Term x);

} // namespace tc::vectormath

#endif // TC_LIB_CONVERSION_VECTORMATH_ANGLEREDUCTION_H
