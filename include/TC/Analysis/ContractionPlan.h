//===- ContractionPlan.h - How a contraction is computed --------*- C++ -*-===//
//
// A contraction is computed as a blocked matrix product. One iteration of the
// launch computes a block of rows by a block of lanes. For each block of
// reduced points, it packs the rows one after the other (converted, and
// computed where they have a prologue), then the lanes panel by panel: a panel
// has as many lanes as the register tile, and stores them point after point.
// Register tiles multiply rows by panels. The epilogue runs on a finished tile
// while the tile is in cache.
//
// Rows that can be read in place are not packed. Code then runs through all
// blocks of reduced points for one panel before the next panel, or, where
// panels are packed ahead or have all blocks, for one tile before the next
// tile, and keeps fewer accumulators in memory between these blocks.
//
// The panel operand is read in place too where the tile says so: vectors of its
// lanes, or vectors of reduced points, of which each accumulator has a
// register. Tiles of the latter go through all reduced points, lanes after
// lanes, and the epilogue runs on the whole block.
//
// The machine model chooses tiles by their plans, and the code generator
// follows the same plan, so that both agree on the memory of a task.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_CONTRACTIONPLAN_H
#define TC_ANALYSIS_CONTRACTIONPLAN_H

#include "TC/Analysis/ContractionRoles.h"

namespace tc {

struct ContractionPlan {
  ContractionRoles roles;
  ContractionTile tile;
  int64_t width;        ///< accumulators of a vector register
  int64_t computeBytes; ///< bytes of an accumulator
  /// Whether operands for which mayWidenInMultiplyAdds holds keep their type
  /// when they are packed or read in place.
  bool widensInMultiplyAdds = false;
  int64_t pair = 1;        ///< points multiplied together: 2 for bf16, or 1
  bool usesTiles = false;  ///< whether AMX tile registers multiply
  int64_t firstBlock = 1;  ///< points of the first reduced dimension in a block
  int64_t innerPoints = 1; ///< points of the other reduced dimensions
  bool storesMasked = false;  ///< whether masked stores are as fast: AVX-512
  bool isOneBlock = true;     ///< whether all reduced points are one block
  int64_t panelBlocks = 1;    ///< blocks of a panel that is packed at a time
  bool isOnePanel = true;     ///< whether these are all blocks
  bool isPackedAhead = false; ///< whether the panel operand's buffer is packed
  /// Whether a panel is packed from vectors along the reduced points, which are
  /// transposed in registers.
  bool packsAcross = false;
  /// Whether rows are packed from vectors along the rows, which are transposed
  /// in registers.
  bool packsRowsAcross = false;
  /// The stride of the row operand's rows, in elements, where they are read in
  /// place; nothing where rows are packed.
  std::optional<int64_t> inPlaceRowStride;
  /// Where the panel operand is read in place, the stride, in elements, of its
  /// reduced points, or of its lanes where vectors run along these points;
  /// nothing where panels are packed.
  std::optional<int64_t> inPlacePanelStride;
  /// Whether a block of a row that is read in place may end in the first half
  /// of a pair. Packed rows end in whole pairs.
  bool mayEndInHalfPair = false;
  /// The fields `fetch_parts` and `fetch_points` of the schedule, 0 where the
  /// plan has no use of them.
  int64_t fetchParts = 0, fetchPoints = 0;

  /// Whether the packed elements of `operand` are of the operand's own type.
  bool keepsElements(mlir::Value operand) const {
    return widensInMultiplyAdds && mayWidenInMultiplyAdds(operand);
  }
  /// Bytes of an element of the rows, and of the panel, that a tile multiplies.
  int64_t getRowBytes() const {
    return getOperandBytes(roles.rowOperand, inPlaceRowStride.has_value());
  }
  int64_t getPanelBytes() const {
    return getOperandBytes(roles.panel, !packsPanels());
  }
  /// Whether calls pack panels.
  bool packsPanels() const { return !isPackedAhead && !inPlacePanelStride; }
  /// Whether the accumulators are vectors along the reduced points.
  bool sumsVectors() const { return tile.sumsVectors(); }
  /// Most reduced points of a block, and the same rounded up to whole vectors.
  int64_t blockPoints() const { return firstBlock * innerPoints; }
  /// Most reduced points of a panel that is packed at a time.
  int64_t panelPoints() const { return blockPoints() * panelBlocks; }
  /// Whether the points of each block are whole vectors.
  bool isWholeVectors() const {
    return isOneBlock && blockPoints() % (pair * width) == 0;
  }
  int64_t paddedPoints() const {
    return llvm::alignTo(std::max<int64_t>(blockPoints(), 1), pair * width);
  }
  /// The stride of the rows that a tile reads, in elements.
  int64_t rowStride() const {
    return inPlaceRowStride.value_or(paddedPoints() + pair * width);
  }
  /// The stride of the reduced points of a panel, in elements; of the lanes
  /// where vectors run along these points.
  int64_t panelStride() const {
    if (inPlacePanelStride)
      return *inPlacePanelStride;
    bool overruns = !isPackedAhead && roles.lanes.size() > 1 && !storesMasked;
    return tile.lanes + (overruns ? width : 0);
  }
  /// Whether a tile runs through all reduced points before the next tile
  /// begins.
  bool finishesTiles() const {
    return !sumsVectors() &&
           (isOneBlock || (inPlaceRowStride && (isPackedAhead || isOnePanel)));
  }
  /// Whether a panel runs through all reduced points before the next panel
  /// begins.
  bool finishesPanels() const {
    return finishesTiles() || (inPlaceRowStride && !sumsVectors());
  }
  /// The stride of the rows of accumulators in memory, in elements, and the
  /// number of these rows.
  int64_t accumulatorStride() const {
    if (sumsVectors())
      return llvm::alignTo(tile.blockLanes, epilogueLanes());
    return finishesPanels() ? tile.lanes : tile.blockLanes;
  }
  int64_t accumulatorRows() const {
    return finishesTiles() ? tile.rows : tile.blockRows;
  }
  /// Lanes of the epilogue's loops: at most two registers, as its temporaries
  /// need registers too.
  int64_t epilogueLanes() const {
    if (sumsVectors())
      return tile.blockLanes > width ? 2 * width : width;
    return std::min(tile.lanes, 2 * width);
  }

  /// Elements that a task allocates for packed rows, for a panel and for
  /// accumulators in a call of `rows` rows and `points` reduced points: whole
  /// tiles of rows, and no more than the call has.
  SizeExpr getRowRoom(SizeExpr rows) const;
  SizeExpr getPanelRoom(SizeExpr points) const;
  SizeExpr getAccumulatorRoom(SizeExpr rows) const;
  /// Bytes of these together, which are allocated on the stack of the task's
  /// thread.
  SizeExpr getTaskBytes(SizeExpr rows, SizeExpr points) const;
  int64_t getTaskBytes(int64_t rows, int64_t points) const;

private:
  int64_t getOperandBytes(mlir::Value operand, bool isInPlace) const;
};

/// Whether the elements of `operand` are contiguous along the `reduced`
/// dimensions and not along `vectorDim`, so that vectors are read along
/// `reduced`.
bool readsAlongReduced(KernelOp kernel, mlir::Value operand, unsigned vectorDim,
                       llvm::ArrayRef<unsigned> reduced);

/// Whether vectors of the row operand are read along the rows, so that packing
/// rows transposes them.
bool readsAlongRows(KernelOp kernel, const ContractionRoles &roles);

/// Completes a plan of `startPlan` whose `isPackedAhead` is set: decides what
/// is read in place, and the blocks of reduced points. Rows are packed with
/// `keepsRows`. Nothing where registers cannot hold the tile's accumulators,
/// stacks what is packed, or where the panel operand cannot be read in place as
/// the tile does.
std::optional<ContractionPlan>
completePlan(KernelOp kernel, ContractionPlan plan, bool keepsRows);

/// Accumulators of a contraction that one vector register of `machine` holds.
/// An epilogue in f64 computes as many lanes, in several registers.
int64_t getVectorWidth(const ContractionRoles &roles,
                       const MachineModel &machine);

/// Begins a plan of `tile` for vector registers of `width` accumulators:
/// decides how elements are multiplied. The caller sets `isPackedAhead`, and
/// completes the plan.
ContractionPlan startPlan(KernelOp kernel, const ContractionRoles &roles,
                          const ContractionTile &tile, int64_t width,
                          bool hasBF16Dot, bool hasBF16Tiles);

/// Most bytes of one packed operand, on the stack of a thread.
inline constexpr int64_t kMostPackedBytes = 1 << 20;

/// The plan of `tile` that code for `machine` follows. Rows are packed where
/// results may overwrite them. Nothing as for `completePlan`.
std::optional<ContractionPlan> planTile(KernelOp kernel,
                                        const ContractionRoles &roles,
                                        const MachineModel &machine,
                                        const ContractionTile &tile,
                                        bool isPackedAhead);

/// The plan of the calls of few points, which use `tile` where other calls
/// follow `plan`. It widens operands in the multiply-adds where it can. With
/// `writesOver`, results overwrite rows, which are then all read before the
/// first result is written. `keepsRows` and nothing as for `completePlan`.
std::optional<ContractionPlan> planFewTile(KernelOp kernel,
                                           const ContractionPlan &plan,
                                           ContractionTile tile,
                                           bool writesOver, bool keepsRows);

/// The field `points_below` of a schedule of `kernel`, in multiply-adds, for
/// panels that are not packed ahead: `kAllCalls` where there is no plan of
/// `tile`, or of `fewTile` if there is one. Otherwise it is not 0 where packed
/// operands would take more than `getTasksBytes` of what calls of some sizes
/// write (those have a `fewTile`), and both operands can be read in place.
int64_t choosePointsBelow(KernelOp kernel, const ContractionRoles &roles,
                          const MachineModel &machine,
                          const ContractionTile &tile,
                          ContractionTileAttr fewTile);

/// The field `fetch_parts` of a schedule of `kernel`. Where panels are packed
/// ahead, the tiles of a block's rows together fetch the next panel, where
/// reading it from main memory takes a good part of the time of multiplying it.
/// Tiles of `tile`, or of `fewTile` if there is one, that sum vectors fetch the
/// next lanes. Panels that calls pack (`packsPanel`) are not fetched.
int64_t chooseFetchParts(KernelOp kernel, const ContractionRoles &roles,
                         const MachineModel &machine,
                         const ContractionTile &tile,
                         ContractionTileAttr fewTile, bool packsPanel);

/// Most bytes that the tasks of a kernel which writes `written` bytes may take
/// of their stacks together. With this limit, a call takes no more memory than
/// running the graph op by op.
SizeExpr getTasksBytes(SizeExpr written);
int64_t getTasksBytes(int64_t written);

} // namespace tc

#endif // TC_ANALYSIS_CONTRACTIONPLAN_H
