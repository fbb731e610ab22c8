//===- ElementwiseBounds.h - Bounds of elementwise ops ----------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_ELEMENTWISEBOUNDS_H
#define TC_LIB_FUZZ_ELEMENTWISEBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

ErrorVectors boundElementwise(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_ELEMENTWISEBOUNDS_H
