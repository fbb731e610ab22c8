//===- VectorTiles.h - Multiply-adds in vector registers --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_VECTORTILES_H
#define TC_LIB_CONVERSION_TCTOVECTOR_VECTORTILES_H

#include "TileOperations.h"

namespace tc {

/// `emitMultiplyAdds` in vector registers, in a function of its own.
void emitVectorTile(KernelFrame &frame, const TileLayout &layout,
                    TileAddresses addresses, mlir::Value points,
                    mlir::Value isFirst);

/// Operands of a tile that are computed where they are multiplied, of f32: one
/// point of a row, and of all lanes. Null for one that is in memory.
struct TileReads {
  llvm::function_ref<mlir::Value(Scope &point, int64_t row)> row = nullptr;
  llvm::function_ref<mlir::Value(Scope &point)> panel = nullptr;
};

/// `emitMultiplyAdds` over all points of the dimensions `reduced`, in loops of
/// `emitter` in `scope`, in vectors as long as the layout's lanes.
void emitTileInPlace(PointEmitter &emitter, Scope &scope,
                     llvm::ArrayRef<unsigned> reduced, const TileLayout &layout,
                     TileAddresses addresses, TileReads reads);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_VECTORTILES_H
