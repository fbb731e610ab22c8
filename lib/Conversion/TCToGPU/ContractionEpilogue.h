//===- ContractionEpilogue.h - What is computed of the sums -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONEPILOGUE_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONEPILOGUE_H

#include "ContractionTiles.h"

namespace tc {

/// Writes what the kernel writes of a tile at `corner`, or of the first lanes
/// from there on, whose sums `values` are those of the thread of warp group
/// `group` (i32, from 0).
void emitContractionEpilogue(ContractionTiles &tiles, const TileCorner &corner,
                             mlir::Value group, mlir::Value values,
                             Scope &scope);

/// The same without the stores: the words (i32) of two neighbours each, in the
/// order of the sums.
llvm::SmallVector<mlir::Value>
emitContractionResults(ContractionTiles &tiles, const TileCorner &corner,
                       mlir::Value group, mlir::Value values, Scope &scope);

/// Whether (i1) all rows of the warp have the matrix that the tile is
/// multiplied by, where rows have matrices of their own.
mlir::Value emitHasWholeRows(ContractionTiles &tiles, const TileCorner &corner,
                             mlir::Value group, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONEPILOGUE_H
