//===- ContractionPlan.h - How a contraction is computed --------*- C++ -*-===//
//
// A contraction is computed as a blocked matrix product. One iteration of the
// launch is a block of rows by a block of lanes. For each block of reduced
// points, the rows are packed (converted, computed where they have a prologue,
// one row after the other), then the lanes panel by panel: a panel is as wide
// as the register tile and holds all its lanes point after point. Tiles of
// registers run over both. The epilogue runs on a finished tile while it is in
// cache.
//
// Rows that can be read in place are not packed. Then all blocks of reduced
// points follow each other for one panel, or, of panels that are packed ahead,
// for one tile, and fewer accumulators wait for the next block.
//
// The machine model chooses tiles by what a plan says of them, and the code
// generator follows the plan, so that both agree on the memory of a task.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_CONTRACTIONPLAN_H
#define TC_ANALYSIS_CONTRACTIONPLAN_H

#include "TC/Analysis/ContractionRoles.h"

namespace tc {

struct ContractionPlan {
  ContractionRoles roles;
  ContractionTile tile;
  int64_t width;                 ///< compute elements of a vector register
  int64_t computeBytes;          ///< of an accumulator
  bool widensInProducts = false; ///< operands that can are packed as they are
  int64_t pair = 1;              ///< points multiplied together: 2 for bf16
  bool usesTiles = false;        ///< products in AMX tiles
  int64_t firstBlock = 1;  ///< points of the first reduced dimension in a block
  int64_t innerPoints = 1; ///< points of the other reduced dimensions
  bool storesMasked = false;  ///< masked stores cost what others do: AVX-512
  bool isOneBlock = true;     ///< all reduced points are one block
  bool isPackedAhead = false; ///< the panel operand is in panels already
  /// Whether a panel is packed from vectors along the reduced points.
  bool packsAcross = false;
  /// The stride of the row operand's rows, in elements, where they are read in
  /// place; nothing where rows are packed.
  std::optional<int64_t> rowsApart;
  /// Whether a row's block may end in the first half of a pair. Packing fills
  /// the pair.
  bool mayEndInHalfPair = false;

  /// Whether `operand` is packed in the elements that it has in memory.
  bool keepsElements(mlir::Value operand) const {
    return widensInProducts && mayWidenInProducts(operand);
  }
  /// Bytes of an element of a tile's rows, and of its panel.
  int64_t getRowBytes() const {
    return getOperandBytes(roles.rowOperand, rowsApart.has_value());
  }
  int64_t getPanelBytes() const {
    return getOperandBytes(roles.panel, isPackedAhead);
  }
  /// Most reduced points of a block, and elements their packing may fill.
  int64_t blockPoints() const { return firstBlock * innerPoints; }
  int64_t paddedPoints() const {
    return llvm::alignTo(std::max<int64_t>(blockPoints(), 1), pair * width);
  }
  /// The stride of the rows that a tile reads, in elements.
  int64_t rowStride() const {
    return rowsApart.value_or(paddedPoints() + pair * width);
  }
  /// The stride of the reduced points of a panel, in elements.
  int64_t panelStride() const {
    bool overruns = !isPackedAhead && roles.lanes.size() > 1 && !storesMasked;
    return tile.lanes + (overruns ? width : 0);
  }
  /// Whether a tile is finished before the next begins.
  bool finishesTiles() const {
    return isOneBlock || (rowsApart && isPackedAhead);
  }
  /// Whether a panel is finished before the next begins.
  bool finishesPanels() const { return finishesTiles() || rowsApart; }
  /// The stride of the rows of accumulators in memory, in elements, and the
  /// number of these rows.
  int64_t sumStride() const {
    return finishesPanels() ? tile.lanes : tile.blockLanes;
  }
  int64_t sumRows() const {
    return finishesTiles() ? tile.rows : tile.blockRows;
  }
  /// Lanes of the loops of the epilogue, whose temporaries need registers.
  int64_t epilogueLanes() const { return std::min(tile.lanes, 2 * width); }

  /// Elements that a task has room for, in a call of `rows` rows: no more rows
  /// than there are, in whole tiles. `points` are all reduced points.
  SizeExpr getRowRoom(SizeExpr rows) const;
  SizeExpr getPanelRoom(SizeExpr points) const;
  SizeExpr getAccumulatorRoom(SizeExpr rows) const;
  /// Bytes of these together: what the task takes of its thread's stack.
  SizeExpr getTaskBytes(SizeExpr rows, SizeExpr points) const;
  int64_t getTaskBytes(int64_t rows, int64_t points) const;

private:
  int64_t getOperandBytes(mlir::Value operand, bool isInPlace) const;
};

/// Whether vectors along the `reduced` dimensions are the way to read
/// `operand`: its elements are contiguous along them, and not along
/// `vectorDim`.
bool readsAlongReduced(KernelOp kernel, mlir::Value operand, unsigned vectorDim,
                       llvm::ArrayRef<unsigned> reduced);

/// Completes a plan of which the tile, the width, the layout of the panel and
/// how elements are multiplied are known: what is read in place, and the blocks
/// of reduced points. Rows are packed if `keepsRows`. Nothing when the tile is
/// larger than registers and stacks are.
std::optional<ContractionPlan>
completePlan(KernelOp kernel, ContractionPlan plan, bool keepsRows);

/// A plan of `tile` for registers of `width` compute elements, to be completed:
/// how elements are multiplied is known, and where the panel is packed is not.
ContractionPlan startPlan(KernelOp kernel, const ContractionRoles &roles,
                          const ContractionTile &tile, int64_t width,
                          bool hasBF16Dot, bool hasBF16Tiles);

/// Most bytes of one packed operand, on the stack of a thread.
inline constexpr int64_t kMostPackedBytes = 1 << 20;

/// The plan that code for `machine` has of `tile`, whose rows are packed if
/// results may be written over them.
std::optional<ContractionPlan> planTile(KernelOp kernel,
                                        const ContractionRoles &roles,
                                        const MachineModel &machine,
                                        const ContractionTile &tile,
                                        bool isPackedAhead);

/// The plan of the calls that write few bytes, which use `tile` where the
/// others have `plan`; operands that can are widened where they are multiplied.
/// `writesOver` says whether results take the places of rows, which are then
/// all read before the first is written; `keepsRows` as for `completePlan`.
std::optional<ContractionPlan> planFewTile(KernelOp kernel,
                                           const ContractionPlan &plan,
                                           ContractionTile tile,
                                           bool writesOver, bool keepsRows);

/// Multiply-adds that a call of `kernel` has fewer of to be computed point by
/// point, for `points_below` of a schedule: where packed operands would take
/// much next to what calls of some sizes write, which is where they have a tile
/// of their own (`hasFewTile`), and operands can be read where they are; 0 for
/// other kernels.
int64_t choosePointsBelow(KernelOp kernel, const ContractionPlan &plan,
                          bool hasFewTile);

/// Of the bytes that a kernel writes, those that its tasks may together take of
/// their stacks: what an operator allocates of its own is to be less than what
/// running the graph op by op would.
SizeExpr getTasksBytes(SizeExpr written);
int64_t getTasksBytes(int64_t written);

} // namespace tc

#endif // TC_ANALYSIS_CONTRACTIONPLAN_H
