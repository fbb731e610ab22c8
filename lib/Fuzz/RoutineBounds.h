//===- RoutineBounds.h - Bounds of routines ---------------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_ROUTINEBOUNDS_H
#define TC_LIB_FUZZ_ROUTINEBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// Fourier transforms and factorisations.
ErrorVectors boundRoutine(const AnalysedOp &op);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_ROUTINEBOUNDS_H
