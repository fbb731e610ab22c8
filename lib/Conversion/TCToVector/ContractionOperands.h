//===- ContractionOperands.h - Operands of a contraction --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_CONTRACTIONOPERANDS_H
#define TC_LIB_CONVERSION_TCTOVECTOR_CONTRACTIONOPERANDS_H

#include "OperandPacking.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TileOperations.h"

namespace tc {

/// The element type of operands that are converted when they are packed: i16
/// for bf16 where pairs are multiplied, the compute type otherwise.
mlir::Type getPackedElement(const ContractionPlan &plan);
/// The storage type of the elements of the panel, and of the rows, that a tile
/// multiplies.
mlir::Type getPanelElement(const ContractionPlan &plan);
mlir::Type getRowElement(const ContractionPlan &plan);

/// The layout of the contraction's tiles of `rows` rows.
TileLayout getTileLayout(const ContractionPlan &plan, int64_t rows);

/// How rows, and panels, are packed, where they are not read in place.
PackedOperand getPackedRows(const ContractionPlan &plan);
PackedOperand getPackedPanel(const ContractionPlan &plan);

/// The address of the first point of `block` in row `row` of a row operand that
/// is read in place.
mlir::Value pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                         Scope &scope, mlir::Value row, ReducedBlock block);
/// The same in lane `lane` of a panel operand that is read in place.
mlir::Value pointerToLane(KernelFrame &frame, const ContractionPlan &plan,
                          Scope &scope, mlir::Value lane, ReducedBlock block);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_CONTRACTIONOPERANDS_H
