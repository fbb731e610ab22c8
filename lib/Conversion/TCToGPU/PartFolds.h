//===- PartFolds.h - Blocks that share folds --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_PARTFOLDS_H
#define TC_LIB_CONVERSION_TCTOGPU_PARTFOLDS_H

#include "SharedSlots.h"
#include "TC/Analysis/FoldParts.h"

namespace tc {

/// A kernel whose blocks share folds: every block leaves the folds of its part
/// in memory; one block of a group folds those of the parts in their order, and
/// writes what comes of them. States of at most 4 bytes that are few are left
/// in the counters, each in a word that says that it is there; the block of the
/// last part waits for the words and sets them back to 0. Others are left in
/// the workspace; the last block that counts itself, behind a fence, folds
/// them.
class PartFolds {
public:
  PartFolds(GPUFrame &frame, FoldParts plan);

  /// Emits `body` twice for the part that block number `block` has, with the
  /// number of its row or strip of columns: for the part, and for the folds of
  /// all parts.
  using Body = llvm::function_ref<void(Scope &, mlir::Value group)>;
  void emitTwice(Scope &scope, mlir::Value block, Body body);
  /// Emits, in `body`, what is done for the columns from number `column` of a
  /// group on, as many as `points` has lanes for.
  void emitColumn(PointEmitter &points, Scope &scope, mlir::Value column);

  LaunchShape getShape() const;
  const FoldParts &getPlan() const { return plan; }

private:
  mlir::Value emitIsLast();
  mlir::Value emitIsWriter(WorkerTeam &team, Scope &scope);
  /// Leaves states in words of the counters where `isWriter` (i1) holds.
  void postWords(mlir::Value isWriter, mlir::Operation *stage,
                 mlir::ValueRange states, mlir::Value column);
  /// Waits for the word of a state of the type of `like`, and takes it.
  mlir::Value takeWord(mlir::Value like, mlir::Value number);
  llvm::SmallVector<mlir::Value> loadPart(mlir::Operation *stage,
                                          mlir::ValueRange like,
                                          mlir::Value number,
                                          mlir::Value column);
  void keep(WorkerTeam &team, Scope &scope, mlir::Operation *stage,
            mlir::ValueRange states, mlir::Value column);
  llvm::SmallVector<mlir::Value> fold(WorkerTeam &team, Scope &scope,
                                      mlir::Operation *stage,
                                      mlir::ValueRange init, mlir::Value column,
                                      WorkerTeam::Combine combine);
  llvm::SmallVector<mlir::Value> foldFew(int64_t parts, WorkerTeam &team,
                                         Scope &scope, mlir::Operation *stage,
                                         mlir::ValueRange init,
                                         mlir::Value column,
                                         WorkerTeam::Combine combine);
  llvm::SmallVector<mlir::Value> foldTogether(WorkerTeam &team, Scope &scope,
                                              mlir::Operation *stage,
                                              mlir::ValueRange init,
                                              mlir::Value column,
                                              WorkerTeam::Combine combine);
  /// The number of the slot of a state of a part.
  mlir::Value slotOf(mlir::Operation *stage, size_t state, mlir::Value part,
                     mlir::Value column);
  Slots getSlots() const;

  GPUFrame &frame;
  const FoldParts plan;
  const bool usesWords; ///< of the counters, instead of the workspace
  /// Of the block; `part` is null while the folds of all are emitted.
  mlir::Value group, part;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_PARTFOLDS_H
