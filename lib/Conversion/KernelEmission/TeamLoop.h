//===- TeamLoop.h - A loop that a team's workers share ----------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_TEAMLOOP_H
#define TC_CONVERSION_KERNELEMISSION_TEAMLOOP_H

#include "Scope.h"

namespace tc {

class PointEmitter;

/// The loop of a team over the points of one dimension, or of several as if
/// they were one. In each step every worker computes `units` vectors (or
/// points) in straight-line code, so that their loads are under way together;
/// the steps of the parts that blocks fold take turns, and all have equally
/// many. What is left is divided among the parts, and is one more step, of
/// units that may not be there.
///
/// Where vectors begin anywhere, those of the whole steps are in their buffers
/// with all lanes, and are loaded as such. Of lanes that are folded, each row
/// has vectors enough for any begin, and the walk's first and its last two are
/// left for one more unit; of lanes that are not, the last point is.
class TeamLoop {
public:
  /// Vectors at the ends of a row that begins anywhere, each of which is one
  /// worker's: a team that folds such rows by vectors has as many workers.
  static constexpr int64_t kRowEnds = 3;

  /// `dims` from the outermost to the one that advances first, which the lanes
  /// run along if there are any: of several dimensions it has whole vectors.
  TeamLoop(PointEmitter &points, Scope &scope, llvm::ArrayRef<unsigned> dims);

  /// Emits it with values carried from one point to the next. Where `sum` is
  /// given, the units of a step are added up first, and then chains of steps,
  /// before they are added to what is carried.
  llvm::SmallVector<mlir::Value> emit(mlir::ValueRange init, LoopBody body,
                                      const SumSteps *sum);

private:
  using Loop = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> emitFor(mlir::Value low, mlir::Value high,
                                         mlir::Value step,
                                         mlir::ValueRange init, Loop body);
  llvm::SmallVector<mlir::Value> emitSteps(mlir::Value low, mlir::Value high,
                                           mlir::ValueRange init, LoopBody body,
                                           const SumSteps *sum);
  llvm::SmallVector<mlir::Value> emitStep(mlir::Value index,
                                          mlir::ValueRange init, LoopBody body);
  llvm::SmallVector<mlir::Value> emitRest(mlir::ValueRange init, LoopBody body,
                                          const SumSteps *sum);
  /// The scopes of the units of the last step, with what they load. Which of
  /// them any worker has is the unit's condition.
  struct RestUnit {
    std::unique_ptr<Scope> scope;
    mlir::Value isAny; ///< i1; the same for all workers of a team
  };
  llvm::SmallVector<RestUnit> loadRest();
  RestUnit loadUnit(mlir::ValueRange indices, mlir::Value present,
                    mlir::Value isAny, mlir::Value mask, bool isInner);
  RestUnit loadOutside();
  RestUnit loadEnds();
  llvm::SmallVector<mlir::Value>
  emitWhere(RestUnit &unit, mlir::ValueRange init, LoopBody body);
  void bind(Scope &inner, mlir::ValueRange indices, mlir::Value mask,
            bool isInner);
  mlir::Value bindInRow(Scope &inner, mlir::Value index, bool isInner);
  /// Loads what is read at the point of a unit, before any unit is computed.
  void load(Scope &unit);
  /// The indices of the point with number `point`, and of that which follows
  /// `indices` by those of `distance`. Where vectors begin anywhere, the last
  /// index is that in the row's vectors, each of which has all its lanes.
  llvm::SmallVector<mlir::Value> getIndices(mlir::Value point);
  llvm::SmallVector<mlir::Value> advance(mlir::ValueRange indices,
                                         mlir::ValueRange distance);
  mlir::Value getLength(size_t at);
  /// Whether lanes are folded whose vectors begin anywhere.
  bool hasRows() const;
  int64_t getChain();
  mlir::Value divide(mlir::Value x, mlir::Value y);
  mlir::Value isBelow(mlir::Value x, mlir::Value y);
  mlir::Value isZero(mlir::Value x);

  PointEmitter &points;
  KernelFrame &frame;
  Scope &scope;
  const llvm::SmallVector<unsigned> dims;
  int64_t lanes;       ///< of a vector
  int64_t ends = 0;    ///< vectors of the walk that whole steps do not have
  SizeExpr rowPoints;  ///< lanes of a row's vectors, where these begin anywhere
  mlir::Value size;    ///< points
  mlir::Value begin;   ///< of the whole vectors, a point
  mlir::Value all;     ///< vectors with the ends
  mlir::Value vectors; ///< whole ones
  mlir::Value count;   ///< of workers
  mlir::Value step;    ///< vectors of a part's step
  mlir::Value sweep;   ///< vectors of a step of all parts
  mlir::Value swept;   ///< vectors of all such steps
  /// Indices, as far as from one unit of a worker to its next.
  llvm::SmallVector<mlir::Value> distance;
  bool isOpen = false; ///< a loop of it is being emitted
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_TEAMLOOP_H
