//===- PanelPacking.h - Panels copied for register tiles --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_PANELPACKING_H
#define TC_CONVERSION_TCTOVECTOR_PANELPACKING_H

#include "OperandPacking.h"

namespace tc {

/// Puts the lanes [low, high), one panel at most, into `scratch`: for each
/// reduced point (each pair of points) all lanes.
void packPanel(KernelFrame &frame, const PackedOperand &panel, Scope &scope,
               mlir::Value low, mlir::Value high, ReducedBlock block,
               mlir::Value scratch);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_PANELPACKING_H
