//===- NormBounds.h - Bounds of norms and variance --------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_NORMBOUNDS_H
#define TC_LIB_FUZZ_NORMBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// Norms, variance.
ErrorVectors boundNorm(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_NORMBOUNDS_H
