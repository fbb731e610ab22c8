//===- ProductTiles.h - Tiles of products on tensor cores -------*- C++ -*-===//

#ifndef TC_ANALYSIS_PRODUCTTILES_H
#define TC_ANALYSIS_PRODUCTTILES_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/TensorCoreProduct.h"

namespace tc {

/// What is known of a product: its sizes and how its operands are loaded.
struct ProductPoints {
  double batches = 1, rows = 1, lanes = 1, reduced = 1;
  int64_t products = 1; ///< of the same rows, each with so many lanes
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
  /// Lanes of all products together.
  int64_t rows, lanes, cluster = 1, splits = 1;
};

/// Threads multiply one or two rows as fast as the matrix is read. More are for
/// tensor cores: as fast for 4 rows on an H200, and up to 7 times as fast for
/// 16.
inline constexpr int64_t kRowsOfThreads = 2;

/// The lanes that the copy engine stores at once, at least.
inline constexpr int64_t kStoredLanes = 32;

ProductPoints getProductPoints(KernelOp kernel,
                               const TensorCoreProduct &product);

/// Whether the product takes longer than a tile takes to fill and to empty.
bool isWorthTiles(const ProductPoints &points);

/// The tile with the least estimated time.
ProductTile chooseProductTile(const ProductPoints &points,
                              const MachineModel &machine);

/// Nanoseconds of the product in that tile, without its launch.
double estimateProductTime(const ProductPoints &points,
                           const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_PRODUCTTILES_H
