//===- AttentionBounds.h - Bounds of attention ------------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_ATTENTIONBOUNDS_H
#define TC_LIB_FUZZ_ATTENTIONBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// Bounds of the result and, where it is one, of `logsumexp`.
ErrorVectors boundAttention(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_ATTENTIONBOUNDS_H
