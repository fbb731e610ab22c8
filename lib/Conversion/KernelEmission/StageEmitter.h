//===- StageEmitter.h - Reductions, contractions and scans as loops *- C++
//-*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_STAGEEMITTER_H
#define TC_CONVERSION_KERNELEMISSION_STAGEEMITTER_H

#include "Scope.h"

namespace tc {

class PointEmitter;
struct Folding;

/// Levels of blocks that a sum is cut into, each of `chain` of those inside of
/// it, and the innermost of `chain` steps of a loop.
struct SumBlocks {
  unsigned levels;
  int64_t chain;
};

/// Emits the stages of a kernel's body that fold or scan.
class StageEmitter {
public:
  explicit StageEmitter(PointEmitter &points);

  /// Emits the loops of `stage`, and of other stages that can share them; their
  /// results become values of `scope`.
  void emitReductions(mlir::Operation *stage, Scope &scope);

  /// Loops over all of `dims`, outermost first, for a body that needs `roots`:
  /// what they scan along the loops is carried.
  void emitScanLoops(Scope &scope, llvm::ArrayRef<unsigned> dims,
                     llvm::ArrayRef<mlir::Value> roots,
                     llvm::function_ref<void(Scope &)> body);
  /// The value of `scan` at the scope's point, in such a loop.
  mlir::Value emitScan(ScanStageOp scan, Scope &scope);

private:
  /// How the terms of `dim` are added up.
  SumBlocks getSumBlocks(unsigned dim) const;
  /// Adds up [low, high) in levels of blocks.
  llvm::SmallVector<mlir::Value>
  emitSumLevels(Scope &scope, unsigned dim, mlir::Value low, mlir::Value high,
                SumBlocks blocks, const SumSteps &steps,
                mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> emitSumLoops(Scope &scope,
                                              llvm::ArrayRef<unsigned> dims,
                                              const SumSteps &steps,
                                              mlir::ValueRange carried);
  /// The loops of a fold over `dims`, with `steps`, of which `isSum` says
  /// whether the order of the terms matters for the error.
  llvm::SmallVector<mlir::Value> emitFoldLoops(Scope &scope,
                                               llvm::ArrayRef<unsigned> dims,
                                               const SumSteps &steps,
                                               bool isSum);
  llvm::SmallVector<mlir::Value> emitFoldStep(const Folding &monoid,
                                              Scope &inner,
                                              mlir::ValueRange states,
                                              int64_t lanes, bool lanesFold);
  std::optional<unsigned> lanesInsteadOf(llvm::ArrayRef<Folding> monoids,
                                         Scope &scope);
  /// Folds a stage's states, of lanes or of workers that shared the loops, to
  /// its results.
  void finishReduction(const Folding &monoid,
                       llvm::ArrayRef<mlir::Value> states, bool areLanes,
                       const DimSet &overDims, Scope &scope);
  void setResults(const Folding &monoid, llvm::ArrayRef<mlir::Value> states,
                  Scope &scope);
  /// The results of a stage whose states are kept, of `lanes` points.
  void takeKept(const Folding &monoid, int64_t lanes, Scope &scope);
  int64_t countStepPoints(unsigned dim) const;
  llvm::SmallVector<mlir::Operation *> stagesTogether(mlir::Operation *stage,
                                                      Scope &scope);

  PointEmitter &points;
  KernelFrame &frame;
  llvm::SmallVector<mlir::Operation *> unfinished; ///< stages in open loops
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_STAGEEMITTER_H
