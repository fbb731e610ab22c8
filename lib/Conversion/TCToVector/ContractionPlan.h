//===- ContractionPlan.h - How a contraction is emitted ---------*- C++ -*-===//
//
// A contraction is emitted as a blocked matrix product. One iteration of the
// launch is a block of rows by a block of lanes. For each block of reduced
// points, the rows are staged (converted, computed where they have a prologue,
// laid row after row), then the lanes panel by panel: a panel is as wide as the
// register tile and lies point after point. Tiles of registers run over both.
// The epilogue runs on a finished tile while it is in cache.
//
// Rows that can be read where they lie are not staged. Then all blocks of
// reduced points follow each other for one panel, or, of panels that lie packed
// already, for one tile, and fewer sums wait for the next block.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H

#include "../KernelEmission/PointEmitter.h"
#include "TC/Analysis/ContractionRoles.h"

namespace tc {

struct ContractionPlan {
  ContractionRoles roles;
  ContractionTile tile;
  int64_t width;     ///< compute elements of a vector register
  mlir::Type staged; ///< element of staged operands: bf16 as i16, or the
                     ///< compute type
  bool widensInProducts = false; ///< operands that can are staged as they are
  int64_t pair = 1;       ///< reduced points multiplied together: 2 for bf16
  bool usesTiles = false; ///< products in AMX tiles
  int64_t firstBlock;     ///< points of the first reduced dimension in a block
  int64_t innerPoints;    ///< points of the other reduced dimensions
  bool storesMasked;      ///< masked stores cost what others do: AVX-512
  bool isOneBlock;        ///< all reduced points are one block
  bool isPackedAhead;     ///< the panel operand lies in panels already
  /// Elements from one row to the next where the row operand is read where it
  /// lies; nothing when rows are staged.
  std::optional<int64_t> rowsApart;
  /// Whether a row's block may end in the first half of a pair. Staging fills
  /// the pair.
  bool mayEndInHalfPair = false;

  /// Whether `operand` is staged in the elements that it has in memory.
  bool keepsElements(mlir::Value operand) const {
    return widensInProducts && mayWidenInProducts(operand);
  }
  /// Most reduced points of a block, and elements their staging may fill.
  int64_t blockPoints() const { return firstBlock * innerPoints; }
  int64_t paddedPoints() const {
    return llvm::alignTo(std::max<int64_t>(blockPoints(), 1), pair * width);
  }
  /// Elements from one row that a tile reads to the next.
  int64_t rowStride() const {
    return rowsApart.value_or(paddedPoints() + pair * width);
  }
  /// Elements from one reduced point of a panel to the next.
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
  /// Elements from one row of sums to the next, and rows that there are.
  int64_t sumStride() const {
    return finishesPanels() ? tile.lanes : tile.blockLanes;
  }
  int64_t sumRows() const {
    return finishesTiles() ? tile.rows : tile.blockRows;
  }
};

/// A block of reduced points: [low, high) of the first reduced dimension and
/// all of the others; `points` of them.
struct ReducedBlock {
  mlir::Value low, high, points;
};

/// The plan of a kernel that `emitContractionKernel` knows.
std::optional<ContractionPlan> planContraction(KernelFrame &frame);

/// The plan by the schedule's `few_tile`, of a kernel whose other calls have
/// `plan`; nothing when the schedule has none, or one too large for code.
std::optional<ContractionPlan> planFewTile(KernelFrame &frame,
                                           const ContractionPlan &plan);

/// The plan with tiles of a part of the rows, and no more of them staged
/// together; or, where panels are staged, with less of them at a time: fewer
/// reduced points, and one register's lanes if `mayNarrow`. Nothing where that
/// is the same, or more work.
std::optional<ContractionPlan> planFewPoints(const ContractionPlan &plan,
                                             bool mayNarrow);

/// Index of the scope's reduced point in its block.
mlir::Value getBlockPosition(KernelFrame &frame, const ContractionPlan &plan,
                             Scope &scope, ReducedBlock block);

/// Where the points of `block` of row `row` lie, in a row operand that is not
/// staged.
mlir::Value pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                         Scope &scope, mlir::Value row, ReducedBlock block);

/// Puts the rows [low, high) of the row operand, and up to a whole register
/// tile more, into `scratch`, the points of `block` one after the other.
void stageRows(KernelFrame &frame, const ContractionPlan &plan, Scope &scope,
               mlir::Value low, mlir::Value high, ReducedBlock block,
               mlir::Value scratch);

/// Puts the lanes [low, high) of the panel operand, one panel at most, into
/// `scratch`: for each reduced point (each pair of points) all lanes.
void packPanel(KernelFrame &frame, const ContractionPlan &plan, Scope &scope,
               mlir::Value low, mlir::Value high, ReducedBlock block,
               mlir::Value scratch);

/// Points that there has to be room for in `scratch` of `packPanel`.
SizeExpr getPanelPoints(KernelFrame &frame, const ContractionPlan &plan);

/// Calls `body` for each run of neighbouring points of the last of `dims` in
/// the range [low, high) of all: with the run's ends in that dimension and the
/// number, among all, of that dimension's point 0.
void emitRuns(KernelFrame &frame, Scope &scope, llvm::ArrayRef<unsigned> dims,
              mlir::Value low, mlir::Value high,
              llvm::function_ref<void(Scope &, mlir::Value low,
                                      mlir::Value high, mlir::Value origin)>
                  body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
