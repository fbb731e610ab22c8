//===- WarpProductTiles.h - Tiles of products of warps ----------*- C++ -*-===//

#ifndef TC_ANALYSIS_WARPPRODUCTTILES_H
#define TC_ANALYSIS_WARPPRODUCTTILES_H

#include "TC/Analysis/ProductTiles.h"

namespace tc {

/// The tile with the least estimated time of those that warps multiply and
/// threads copy.
ProductTile chooseWarpProductTile(const ProductPoints &points,
                                  const MachineModel &machine);

/// Nanoseconds of the product in that tile, without its launch.
double estimateWarpProductTime(const ProductPoints &points,
                               const MachineModel &machine);

/// Steps after which a thread adds the sums of products of f32 to its own, in a
/// tile of so many rows; 0 where that is not needed.
int64_t getWarpPromotion(const ProductPoints &points, int64_t rows);

} // namespace tc

#endif // TC_ANALYSIS_WARPPRODUCTTILES_H
