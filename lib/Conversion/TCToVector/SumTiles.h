//===- SumTiles.h - Tiles that sum vectors of products ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_SUMTILES_H
#define TC_LIB_CONVERSION_TCTOVECTOR_SUMTILES_H

#include "TileOperations.h"

namespace tc {

/// The results of a tile's rows and lanes over `points` points (i64), in a
/// function of its own, which stores them as accumulators. Rows and lanes are
/// contiguous along the points, and read as vectors of these: a register holds
/// the sums of one result's products, and is added up after the last point.
/// Lanes that do not exist have results that do not count.
void emitSumTile(KernelFrame &frame, const TileLayout &layout,
                 TileAddresses addresses, mlir::Value points);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_SUMTILES_H
