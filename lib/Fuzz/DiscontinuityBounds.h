//===- DiscontinuityBounds.h - Bounds near steps and poles ------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_DISCONTINUITYBOUNDS_H
#define TC_LIB_FUZZ_DISCONTINUITYBOUNDS_H

#include "BoundRules.h"

namespace tc::fuzz {

/// How far element `i` of an elementwise result may be off where a step, a pole
/// or a period is within the operands' bounds, without the op's own rounding;
/// nothing where their ends show it.
std::optional<double> boundDiscontinuity(const AnalysedOp &op, size_t i);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_DISCONTINUITYBOUNDS_H
