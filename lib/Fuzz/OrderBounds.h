//===- OrderBounds.h - Bounds of sorts and extremes -------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_ORDERBOUNDS_H
#define TC_LIB_FUZZ_ORDERBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// Sorts, indices of extremes.
ErrorVectors boundOrder(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_ORDERBOUNDS_H
