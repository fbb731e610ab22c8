//===- ContractionRoles.h - What a contraction's dims are for ---*- C++ -*-===//

#ifndef TC_ANALYSIS_CONTRACTIONROLES_H
#define TC_ANALYSIS_CONTRACTIONROLES_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include <numeric>

namespace tc {

/// A kernel with one contraction, as a matrix product: `rows` of one operand
/// by `lanes` of the other, summed over `reduced`, for each of `batches`. Each
/// list is walked as one dimension, its last the fastest.
struct ContractionRoles {
  ContractStageOp stage;
  mlir::Value rowOperand, panel; ///< panel: the operand with the lanes
  unsigned vectorDim = 0;        ///< the last of `lanes`
  llvm::SmallVector<unsigned> rows, lanes, batches, reduced;

  /// The roles when results are contiguous along `vectorDim`. Nothing when the
  /// kernel has other stages than one contraction, or both operands or none
  /// vary over `vectorDim`, or a write does not cover the result's dimensions.
  static std::optional<ContractionRoles>
  find(KernelOp kernel, const KernelDims &dims, int64_t vectorDim);

  /// How far apart, in elements, the rows are when tiles of `tileRows` rows can
  /// read them where they lie; nothing when rows have to be staged. Rows that
  /// are narrower than what is multiplied are read so for products of pairs of
  /// bf16, and where `widensRows`: then each element is widened where it is
  /// multiplied.
  std::optional<int64_t> getRowsApart(KernelOp kernel, int64_t tileRows,
                                      bool multipliesPairs, bool usesTiles,
                                      bool widensRows) const;

  /// Whether results may take the places of rows, of which all lanes are then
  /// computed in one block, several panels packed ahead: its rows are staged
  /// before the first is written.
  bool mayBeWrittenOverRows(KernelOp kernel, int64_t tileLanes,
                            bool stagesPanel) const;

  /// Whether the reduced dimensions but the first are of constant sizes, of at
  /// least 1: blocks of reduced points are whole runs of them.
  bool hasConstantInnerSizes(KernelOp kernel) const;

  /// Whether all sizes that are written are constants, and come to less than
  /// `kLeastRowsBytes`.
  bool writesLessThanRows(KernelOp kernel) const;
};

/// Most lanes of a product that is written over its rows.
inline constexpr int64_t kMostLanesInPlace = 64;

/// Whether products of `stage` may be taken of pairs of bf16, added in f32.
bool multipliesBF16(ContractStageOp stage);

/// A register of AMX: 16 rows of 64 bytes, which are 16 f32, or 32 bf16.
inline constexpr int64_t kTileRegisters = 8, kTileRows = 16, kTilePoints = 32;

/// Points of the first reduced dimension that, with `innerPoints` of the others
/// each, fill whole registers.
inline int64_t getTileUnit(int64_t innerPoints) {
  return kTilePoints / std::gcd(innerPoints, kTilePoints);
}

/// Most vector registers of accumulators that a schedule may ask for.
inline constexpr int64_t kMostAccumulators = 32;

/// Fewest reduced points of a block, and the bytes that four rows of them take
/// as f32.
inline constexpr int64_t kLeastPoints = 32;
inline constexpr int64_t kLeastRowsBytes = 4 * kLeastPoints * sizeof(float);

/// Estimated cycles of staging one lane of the panel operand at one reduced
/// point, in registers of `width` lanes.
double estimateLaneStaging(KernelOp kernel, const ContractionRoles &roles,
                           int64_t width);

/// Sizes of a contraction's tiles: of registers (`rows` by `lanes`), of the
/// reduced points that are staged together, and of the block of rows and lanes
/// that one iteration of the launch computes.
struct ContractionTile {
  int64_t rows, lanes, reduced, blockRows, blockLanes;

  static ContractionTile get(ContractionTileAttr tile) {
    return {tile.getRows(), tile.getLanes(), tile.getReduced(),
            tile.getBlockRows(), tile.getBlockLanes()};
  }
  ContractionTileAttr getAttribute(mlir::MLIRContext *context) const {
    return ContractionTileAttr::get(context, rows, lanes, reduced, blockRows,
                                    blockLanes);
  }
};

/// Whether a tile is one of registers of AMX: accumulators, rows and at least
/// one panel at a time.
bool fitsTileRegisters(const ContractionTile &tile);

/// The tile with the least estimated time on `machine`, of those whose staging
/// is small beside what the kernel writes where calls stage the panel operand,
/// instead of having it packed ahead.
ContractionTile chooseContractionTile(KernelOp kernel,
                                      const ContractionRoles &roles,
                                      const MachineModel &machine,
                                      bool stagesPanel);

/// Whether elements that are read as `operand` may be widened to f32 wherever
/// they are multiplied, instead of once: floats narrower than that.
bool mayWidenInProducts(mlir::Value operand);

/// Of a contraction's schedule, `few_below` and `few_tile`.
struct FewPointsTile {
  int64_t writtenBelow; ///< bytes that a call writes less than
  ContractionTile tile;
};

/// The tile for calls of such small sizes that a task with `tile` takes more of
/// its stack than `getTasksBytes` of what is written, or that have fewer rows
/// than `tile` reads in place. Of the tiles that take no more at the smallest
/// sizes, it has the least estimated time; operands narrower than what is
/// multiplied are widened there. Nothing where no size is so small.
std::optional<FewPointsTile> chooseFewPointsTile(KernelOp kernel,
                                                 const ContractionRoles &roles,
                                                 const MachineModel &machine,
                                                 const ContractionTile &tile,
                                                 bool stagesPanel);

} // namespace tc

#endif // TC_ANALYSIS_CONTRACTIONROLES_H
