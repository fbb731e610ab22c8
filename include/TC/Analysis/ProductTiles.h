//===- ProductTiles.h - Tiles of products on tensor cores -------*- C++ -*-===//

#ifndef TC_ANALYSIS_PRODUCTTILES_H
#define TC_ANALYSIS_PRODUCTTILES_H

#include "TC/Analysis/MachineModel.h"

namespace tc {

/// What is known of a product: its sizes and how its operands are loaded.
struct ProductPoints {
  double batches = 1, rows = 1, lanes = 1, reduced = 1;
  /// The numbers of batches, rows and lanes are constants.
  bool areKnown = true;
  bool areLanesAcross = false;
  bool mayLoad = false; ///< threads load an operand, or may have to
  /// Rows of memory are whole sectors of the second-level cache.
  bool hasSectorRows = true, hasSectorLanes = true;
};

/// The results that a block has at a time, and how many blocks share the loads
/// of an operand or the sums.
struct ProductTile {
  int64_t rows, lanes, cluster = 1, splits = 1;
};

/// The lanes that the copy engine stores at once, at least.
inline constexpr int64_t kStoredLanes = 32;

/// The tile with the least estimated time.
ProductTile chooseProductTile(const ProductPoints &points,
                              const MachineModel &machine);

/// Nanoseconds of the product in that tile, without its launch.
double estimateProductTime(const ProductPoints &points,
                           const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_PRODUCTTILES_H
