//===- MatrixTiles.h - Products in AMX tiles --------------------*- C++ -*-===//
//
// A tile register holds 16 rows of 64 bytes: 16 rows of 32 bf16 of one
// operand, 32 points (in pairs) of 16 lanes of the other, or 16 by 16 sums in
// f32. Staged rows and panels lie in memory just as tiles are loaded.
// Denormal numbers count as zeros, as for AVX512-BF16.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H
#define TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H

#include "ContractionProducts.h"

namespace tc {

/// Sets the shape of all tile registers of the thread, before any is used.
void emitTileConfiguration(KernelFrame &frame);
/// Gives the registers back, so that the system need not save them.
void emitTileRelease(KernelFrame &frame);

/// Adds the products of the tile's rows and the panel's lanes to its sums, f32;
/// they are overwritten where `isFirst` (null: always) holds.
void emitTileProducts(KernelFrame &frame, const ContractionPlan &plan,
                      TileOperands operands, mlir::Value points,
                      mlir::Value isFirst);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H
