//===- FoldBounds.h - Bounds of folds and contractions ----------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_FOLDBOUNDS_H
#define TC_LIB_FUZZ_FOLDBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

ErrorVectors boundMove(const AnalysedOp &op);

/// Reductions, scans and scatters with a monoid, pools.
ErrorVectors boundFold(const AnalysedOp &op);

ErrorVectors boundProduct(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_FOLDBOUNDS_H
