//===- SoftmaxBounds.h - Bounds of softmax ----------------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_SOFTMAXBOUNDS_H
#define TC_LIB_FUZZ_SOFTMAXBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// Softmax and its logarithm.
ErrorVectors boundSoftmax(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_SOFTMAXBOUNDS_H
