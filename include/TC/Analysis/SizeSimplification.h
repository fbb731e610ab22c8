//===- SizeSimplification.h - What ranges say of sizes ----------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZESIMPLIFICATION_H
#define TC_ANALYSIS_SIZESIMPLIFICATION_H

#include "TC/Analysis/SizeRanges.h"

namespace tc {

/// The expression without what the ranges decide: a constant where there is one
/// possible value, and instead of a minimum or maximum the operand that is
/// always it. Of u0 >= 0, `min(0, u0) * 16 + 1` is 1.
SizeExpr simplifySize(SizeExpr expr, const SizeRanges &ranges);

} // namespace tc

#endif // TC_ANALYSIS_SIZESIMPLIFICATION_H
