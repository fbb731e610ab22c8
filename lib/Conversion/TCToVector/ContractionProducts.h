//===- ContractionProducts.h - Sums of a register tile ----------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPRODUCTS_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPRODUCTS_H

#include "ContractionPlan.h"

namespace tc {

/// Where a block's points of a tile's operands begin, and where its sums do.
struct TileOperands {
  mlir::Value rows;  ///< pointer; rows are plan.rowStride() elements apart
  mlir::Value panel; ///< pointer to the first point of the tile's lanes
  mlir::Value sums;  ///< pointer; rows are plan.sumStride() elements apart
};

/// The type of packed operands' elements that are converted: bf16 as i16 where
/// pairs are multiplied, or the compute type.
mlir::Type getPackedElement(const ContractionPlan &plan);
/// The storage type of the panel's elements, and of the rows', where a tile
/// reads them.
mlir::Type getPanelElement(const ContractionPlan &plan);
mlir::Type getRowElement(const ContractionPlan &plan);

/// Products of `rows` rows, in vector registers, of `points` reduced points.
/// They are stored as the tile's sums, after the sums that are there have been
/// added unless `isFirst` (i1, or null for true) holds.
void emitVectorProducts(KernelFrame &frame, const ContractionPlan &plan,
                        int64_t rows, TileOperands operands, mlir::Value points,
                        mlir::Value isFirst);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPRODUCTS_H
