//===- SharedTiles.h - Tiles whose sums blocks share in memory --*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SHAREDTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_SHAREDTILES_H

#include "ContractionTiles.h"

namespace tc {

/// Leaves the sums of a thread that multiplies in the workspace, for the block
/// that has the tile's last steps. A block does that once at most.
void emitPostedSums(ContractionTiles &tiles, mlir::Value values);

/// The sums of all blocks that have steps of a tile, of which `values` are this
/// block's, the last ones: those of the blocks before are added in the order
/// from the nearest one on. Blocks are started in the order of their numbers
/// and wait for none before they have left their sums, so that it waits for
/// none that is not running or has not run.
mlir::Value emitAllSums(ContractionTiles &tiles, const TileWork &work,
                        mlir::Value values);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SHAREDTILES_H
