//===- ProductTiles.h - Tiles of products on tensor cores -------*- C++ -*-===//

#ifndef TC_ANALYSIS_PRODUCTTILES_H
#define TC_ANALYSIS_PRODUCTTILES_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/TensorCoreProduct.h"

namespace tc {

/// What is known of a product: its sizes and how its operands are loaded.
struct ProductPoints {
  double batches = 1, rows = 1, lanes = 1, reduced = 1;
  int64_t products = 1;     ///< of the same rows, each with so many lanes
  int64_t elementBytes = 2; ///< of what is multiplied
  bool hasIntegers = false; ///< products and sums are of integers
  /// Threads add up the sums of a step.
  bool needsPromotion = false;
  /// The numbers of batches, rows and lanes are constants.
  bool areKnown = true;
  /// The operand is contiguous along its rows, or its lanes.
  bool areRowsAcross = false, areLanesAcross = false;
  /// A box of the operand's rows, or its lanes, has channels under one point of
  /// a window: tiles begin where boxes do.
  bool haveRowsWindow = false, haveLanesWindow = false;
  bool mayLoad = false; ///< threads load an operand, or may have to
  /// Rows of memory are whole sectors of the second-level cache.
  bool hasSectorRows = true, hasSectorLanes = true;
  /// How results that are contiguous along the lanes are stored: by the copy
  /// engine, else by threads, two at a time with `hasPairs`.
  bool storesTiles = true, hasPairs = true;
  /// Each row is multiplied by one of several matrices: a tile is computed for
  /// each that its rows have.
  bool isGrouped = false;
  double groups = 1;         ///< matrices that rows have, where they are sorted
  double readsOfResults = 0; ///< that the epilogue makes for each result
  /// The operands may be swapped: what is called rows here may be the lanes of
  /// tiles, along which results are not contiguous then.
  bool maySwap = true;
  /// Products of f32 are the threads', not the tensor cores'.
  bool areOfThreads() const { return elementBytes == 4; }
  /// Lanes of a box of an operand that is contiguous along them.
  int64_t getBoxLanes() const { return 128 / elementBytes; }
  /// The same product with its operands swapped.
  ProductPoints getSwapped() const;
};

/// The results that a block has at a time, and how many blocks share the loads
/// of an operand or the sums: `splits` of a cluster, or `parts` of any blocks.
struct ProductTile {
  /// Lanes of all products together.
  int64_t rows, lanes, cluster = 1, splits = 1;
  int64_t parts = 1;      ///< of a tile whose sums go through memory
  int64_t tailBlocks = 0; ///< that share the tiles of a wave that is not full
  /// The operands are swapped (see ProductPoints::maySwap).
  bool isSwapped = false;
  bool storesTiles = false; ///< the copy engine stores the results
  int64_t stages = 2;       ///< of the ring of steps in shared memory
  int64_t group = 1;        ///< rows of tiles that are walked together
};

/// Threads multiply one row as fast as the matrix is read, and two where there
/// is not much of it.
inline constexpr int64_t kRowsOfThreads = 2;

/// Whether an instruction multiplies so many lanes, a multiple of 8, of
/// integers: not of all multiples that are odd.
bool haveInstruction(int64_t lanes);

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

/// The same where one row, or each row with a matrix of its own, is multiplied
/// by threads, which read the lanes' matrix.
double estimateThreadsTime(const ProductPoints &points);

} // namespace tc

#endif // TC_ANALYSIS_PRODUCTTILES_H
