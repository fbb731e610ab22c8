//===- ContractionPlan.h - Code of a planned contraction --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H

#include "OperandPacking.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TileOperations.h"

namespace tc {

/// The plan of a kernel that `emitContractionKernel` knows.
std::optional<ContractionPlan> planContraction(KernelFrame &frame);

/// The plan by the schedule's `few_tile`, of a kernel whose other calls have
/// `plan`; nothing when the schedule has none, or one too large for code.
std::optional<ContractionPlan> planFewTile(KernelFrame &frame,
                                           const ContractionPlan &plan);

/// The type of packed operands' elements that are converted: bf16 as i16 where
/// pairs are multiplied, or the compute type.
mlir::Type getPackedElement(const ContractionPlan &plan);
/// The storage type of the panel's elements, and of the rows', where a tile
/// reads them.
mlir::Type getPanelElement(const ContractionPlan &plan);
mlir::Type getRowElement(const ContractionPlan &plan);

/// What the contraction's tiles of `rows` rows multiply.
TileLayout getTileLayout(const ContractionPlan &plan, int64_t rows);

/// How rows and panels are packed where they are.
PackedOperand getPackedRows(const ContractionPlan &plan);
PackedOperand getPackedPanel(const ContractionPlan &plan);

/// Where the points of `block` of row `row` lie, in a row operand that is not
/// packed.
mlir::Value pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                         Scope &scope, mlir::Value row, ReducedBlock block);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
