//===- MatrixTiles.h - Multiply-adds in AMX tile registers ------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H
#define TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H

#include "TileOperations.h"

namespace tc {

/// Sets the shape of all tile registers of the thread, before any is used.
void emitTileConfiguration(KernelFrame &frame);
/// Gives the tile registers back, so that the system need not save them.
void emitTileRelease(KernelFrame &frame);

/// `emitMultiplyAdds` in tile registers.
void emitMatrixTile(KernelFrame &frame, const TileLayout &layout,
                    TileAddresses addresses, mlir::Value points,
                    mlir::Value isFirst);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_MATRIXTILES_H
