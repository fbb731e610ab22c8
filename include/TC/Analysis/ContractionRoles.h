//===- ContractionRoles.h - Dimensions of a contraction ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_CONTRACTIONROLES_H
#define TC_ANALYSIS_CONTRACTIONROLES_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include <numeric>

namespace tc {

/// A kernel with one contraction as a matrix product: `rows` of one operand by
/// `lanes` of the other, contracted over `reduced`, for each point of
/// `batches`. The dimensions of each list are walked as one, the last the
/// fastest.
struct ContractionRoles {
  ContractStageOp stage;
  mlir::Value rowOperand, panel; ///< panel: the operand with the lanes
  /// A second contraction of the same rows, over the same dimensions, and its
  /// operand with the lanes; null for none.
  ContractStageOp secondStage;
  mlir::Value secondPanel;
  /// For tensor cores: where the panel is one of several matrices for each row,
  /// the index in the kernel that says which; null for one matrix for all.
  mlir::Value group;
  unsigned vectorDim = 0; ///< the last of `lanes`
  llvm::SmallVector<unsigned> rows, lanes, batches, reduced;

  /// The roles of the kernel's dimensions with lanes along `vectorDim`, over
  /// which exactly one operand varies. Nothing where both or neither do, where
  /// the kernel has other stages than one contraction of floats, or where a
  /// write does not cover the result's dimensions. `forTensorCores`: there may
  /// be two contractions, and they may be of integers.
  static std::optional<ContractionRoles> find(KernelOp kernel,
                                              const KernelDims &dims,
                                              int64_t vectorDim,
                                              bool forTensorCores = false);

  /// The stride of the rows, in elements, where tiles of `tileRows` rows can
  /// read them in place; nothing where rows have to be packed. Elements
  /// narrower than what is multiplied are read in place where pairs of bf16 are
  /// multiplied (`multipliesPairs`), and with `widensRows`, which widens each
  /// element where it is multiplied. `usesTiles` is for AMX.
  std::optional<int64_t> getInPlaceRowStride(KernelOp kernel, int64_t tileRows,
                                             bool multipliesPairs,
                                             bool usesTiles,
                                             bool widensRows) const;

  /// Whether results may overwrite the row operand where several panels of
  /// `tileLanes` lanes share its rows. All lanes are then one block, whose rows
  /// are packed before the first result is written. The panels have to be
  /// packed ahead of the call: false with `packsPanel`.
  bool mayBeWrittenOverRows(KernelOp kernel, int64_t tileLanes,
                            bool packsPanel) const;

  /// Whether all reduced dimensions but the first have constant sizes of at
  /// least 1, so that a block of reduced points has all points of these.
  bool hasConstantInnerSizes(KernelOp kernel) const;

  /// Bytes that the kernel writes, with 1 for sizes that are not constant.
  int64_t getWrittenBytes(KernelOp kernel) const;

  /// Whether the sizes of the results are constants.
  bool areWrittenSizesKnown(KernelOp kernel) const;

  /// Whether the sizes of the results are constants, and the kernel writes
  /// fewer bytes than `kLeastRowsBytes`.
  bool writesLessThanRows(KernelOp kernel) const;
};

/// Most lanes of a contraction whose results overwrite its rows.
inline constexpr int64_t kMostLanesInPlace = 64;

/// Whether `stage` may multiply pairs of bf16 and accumulate them in f32.
bool multipliesBF16(ContractStageOp stage);

/// AMX has 8 tile registers of 16 rows of 64 bytes, which are 16 f32 or 32
/// bf16.
inline constexpr int64_t kTileRegisters = 8, kTileRows = 16, kTilePoints = 32;

/// Fewest points of the first reduced dimension that fill whole rows of AMX
/// tile registers, with `innerPoints` points of the other reduced dimensions
/// each.
inline int64_t getTileUnit(int64_t innerPoints) {
  return kTilePoints / std::gcd(innerPoints, kTilePoints);
}

/// Most vector registers of accumulators that a schedule may ask for.
inline constexpr int64_t kMostAccumulators = 32;

/// Fewest reduced points of a block, where there are as many, and the bytes of
/// four rows of so many points in f32.
inline constexpr int64_t kLeastPoints = 32;
inline constexpr int64_t kLeastRowsBytes = 4 * kLeastPoints * sizeof(float);

/// Estimated time of packing one lane of the panel operand at one reduced
/// point, in registers of `width` lanes. The unit is the time of one
/// multiply-add of a whole register.
double estimateLanePacking(KernelOp kernel, const ContractionRoles &roles,
                           int64_t width);

/// Sizes of a contraction's tiles, in points: the accumulators in registers
/// (`rows` by `lanes`), the `reduced` points that are packed together, and the
/// block of `blockRows` by `blockLanes` results that one iteration of the
/// launch computes.
struct ContractionTile {
  int64_t rows, lanes, reduced, blockRows, blockLanes;
  PanelKind panel = PanelKind::Packed;
  int64_t panelBlocks = 1;

  static ContractionTile get(ContractionTileAttr tile) {
    return {tile.getRows(),       tile.getLanes(),      tile.getReduced(),
            tile.getBlockRows(),  tile.getBlockLanes(), tile.getPanel(),
            tile.getPanelBlocks()};
  }
  ContractionTileAttr getAttribute(mlir::MLIRContext *context) const {
    return ContractionTileAttr::get(context, rows, lanes, reduced, blockRows,
                                    blockLanes, panel, panelBlocks);
  }
  /// Whether the accumulators are vectors along the reduced points.
  bool sumsVectors() const { return panel == PanelKind::Points; }
  /// Vector registers of accumulators, of `width` of them each.
  int64_t countAccumulators(int64_t width) const {
    return rows * (sumsVectors() ? lanes : llvm::divideCeil(lanes, width));
  }
};

/// Whether the AMX tile registers hold a tile of packed panels: its
/// accumulators, its rows and at least 16 lanes of a panel.
bool fitsTileRegisters(const ContractionTile &tile);

/// The tile with the least estimated time on `machine`. Calls pack the panel
/// operand with `packsPanel`; without it, it is packed ahead of the calls. The
/// packed operands and accumulators of all threads take less memory than what
/// the kernel writes, where a tile allows that.
ContractionTile chooseContractionTile(KernelOp kernel,
                                      const ContractionRoles &roles,
                                      const MachineModel &machine,
                                      bool packsPanel);

/// Whether elements of `operand` may be widened to f32 in each multiply-add,
/// instead of once when they are packed: it is a read of floats of less than 4
/// bytes.
bool mayWidenInMultiplyAdds(mlir::Value operand);

/// The fields `few_below` and `few_tile` of a contraction's schedule.
struct FewPointsTile {
  int64_t writtenBelow; ///< bytes; calls that write less use `tile`
  ContractionTile tile;
};

/// The tile for calls of few points: those in which a task with `tile` would
/// take more bytes of its stack than `getTasksBytes` of the bytes that the call
/// writes, and those that have fewer rows than `tile` reads in place. It has
/// the least estimated time of the tiles that stay within that limit at the
/// smallest sizes; operands narrower than what is multiplied are widened in the
/// multiply-adds. Nothing where no size is so small.
std::optional<FewPointsTile> chooseFewPointsTile(KernelOp kernel,
                                                 const ContractionRoles &roles,
                                                 const MachineModel &machine,
                                                 const ContractionTile &tile,
                                                 bool packsPanel);

} // namespace tc

#endif // TC_ANALYSIS_CONTRACTIONROLES_H
