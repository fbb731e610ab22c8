//===- RowPacking.h - Rows copied for register tiles ------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ROWPACKING_H
#define TC_CONVERSION_TCTOVECTOR_ROWPACKING_H

#include "OperandPacking.h"

namespace tc {

/// Puts the rows [low, high), and up to a multiple of `tileRows` more, which
/// nobody reads but a tile, into `scratch`, the points of `block` one after the
/// other. Whole vectors are stored, with zeros behind the last point.
void packRows(KernelFrame &frame, const PackedOperand &rows, Scope &scope,
              mlir::Value low, mlir::Value high, int64_t tileRows,
              ReducedBlock block, mlir::Value scratch);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ROWPACKING_H
