//===- FoldParts.h - Folds that blocks of a GPU share -----------*- C++ -*-===//
//
// A kernel of few rows or columns that are long leaves most of a GPU idle with
// a block for each. Its blocks fold parts of them, and the last block of a row
// the folds of its parts, in their order. What is planned here is what the
// memory plan reserves and the emitters use.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_FOLDPARTS_H
#define TC_ANALYSIS_FOLDPARTS_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// Bytes of workspace of one state of a fold, and most states of one.
inline constexpr int64_t kFoldStateBytes = 8, kMostFoldStates = 3;

struct FoldParts {
  /// Nothing for a kernel whose blocks share no folds.
  static std::optional<FoldParts> find(KernelOp kernel);

  SizeExpr groups; ///< rows, or strips of columns, each of which is cut
  SizeExpr parts;  ///< of each group, at least 1
  /// Points of a group that are folded apart from each other, and states of
  /// them all.
  int64_t columns, states;

  SizeExpr getBlocks() const { return groups.mul(parts); }
  /// The same blocks for `groups`, where these are more.
  FoldParts cutInto(SizeExpr groups) const;
  /// Of the states of all parts.
  SizeExpr getWorkspaceBytes() const { return workspaceBytes; }

private:
  SizeExpr workspaceBytes;
};

/// Strips of columns that blocks compute, and rows. Where vectors of columns
/// begin anywhere, the first column is in any lane of a vector.
SizeExpr countStrips(KernelOp kernel, GPUColumnScheduleAttr schedule,
                     bool beginsAnywhere = false);
SizeExpr countRows(KernelOp kernel);
/// Most points of a row that is held.
int64_t countHeldPoints(GPURowScheduleAttr schedule);
/// Whole warps that hold a row, at least 1 and at most those of a block.
SizeExpr countWarps(KernelOp kernel, GPURowScheduleAttr schedule);

/// The dimensions that a kernel's first stage folds; the first one if none
/// does.
llvm::SmallVector<unsigned> getFirstFoldedDims(KernelOp kernel);

/// Whether blocks can fold parts: all stages fold over the same dimensions,
/// none needs another one's result, results vary over outer dimensions alone,
/// and nothing that is written varies over the folded ones.
bool mayFoldInParts(KernelOp kernel);

} // namespace tc

#endif // TC_ANALYSIS_FOLDPARTS_H
