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

} // namespace tc

#endif // TC_ANALYSIS_WARPPRODUCTTILES_H
