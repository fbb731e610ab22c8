//===- PointEmitter.h - A kernel's values at a point ------------*- C++ -*-===//
//
// Emits the values of a kernel's body at points of its domain. A scope binds
// dimensions to indices, usually for the body of one loop; a value is emitted
// once, in the outermost scope that binds all dimensions it varies over. One
// dimension may be bound to lanes: consecutive points that are computed
// together, as vectors, under a mask at the end of the dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H
#define TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H

#include "AccessEmitter.h"
#include "KeptValues.h"
#include "StageEmitter.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/VectorAlignment.h"
#include "WorkerTeam.h"
#include <functional>

namespace tc {

class PointEmitter {
public:
  PointEmitter(KernelFrame &frame, std::optional<unsigned> vectorDim,
               int64_t laneCount);

  KernelFrame &frame;
  /// The dimension that lanes run along, and how many at a time.
  std::optional<unsigned> vectorDim;
  int64_t laneCount;
  /// `vectorDim` as the schedule has it; for some loops it is another one.
  const std::optional<unsigned> scheduledDim = vectorDim;
  /// The schedule's `max_stride`: the largest stride, in elements, of lanes
  /// that are loaded as whole vectors.
  const int64_t maxStride;
  /// Stores whole vectors non-temporally; their addresses must be multiples of
  /// kLineBytes.
  bool nontemporal = false;
  /// Which vectors are aligned for one access; null for none.
  const VectorAlignment *aligned = nullptr;
  /// Whether the scope's lanes are one of these vectors.
  bool hasAlignedLanes(const Scope &scope) const {
    return aligned && scope.lanes && scope.lanes->dim == aligned->dim &&
           scope.lanes->count == aligned->lanes;
  }
  /// Accesses contiguous lanes that are not; null where the target has
  /// instructions for them.
  const UnalignedAccess *unaligned = nullptr;
  /// The team that loops over one dimension are distributed over; null for a
  /// single worker.
  WorkerTeam *team = nullptr;
  /// Of rows whose vectors begin anywhere, in a scope that binds a row: how
  /// many points after the row's first one its first vector begins (i64, not
  /// above 0). Empty where vectors begin with their rows, or rows are not
  /// walked.
  std::function<mlir::Value(Scope &)> rowOffset;
  /// Whether the vectors that `aligned` says are aligned begin anywhere.
  bool beginsAnywhere() const { return aligned && aligned->getAnchor(); }
  /// Points, or vectors, of the team's dimension that a worker computes in
  /// straight-line code. Where it holds its whole part of an iteration's row,
  /// what one loop computed of it is there for the next; else they are those of
  /// one step of a loop.
  int64_t units = 1;
  bool holdsRow = false;
  /// Holds of a row what was loaded, as it is stored, and nothing that is
  /// computed of it.
  bool holdsPacked = false;
  /// Whether what varies over all dimensions stays in the last-level cache
  /// longer than other lines.
  bool evictsInputsLast = false;
  /// Where vectors of a held row begin anywhere: how many points after the
  /// row's first one its first vector begins (i64, not above 0); else null.
  mlir::Value heldOffset;
  /// Emits a loop over dimension `dim` along which the team folds `scans`, in
  /// the order of the block, and runs `body` at each point; null where no team
  /// scans.
  using ScanLoop =
      std::function<void(Scope &, unsigned dim, llvm::ArrayRef<ScanStageOp>,
                         llvm::function_ref<void(Scope &)> body)>;
  ScanLoop scanLoop;
  /// Where blocks fold parts: how many there are (i64), as far as is known, and
  /// the block's one (i64); else null.
  mlir::Value parts, part;
  mlir::Value countParts() { return parts ? parts : frame.constant(1); }
  mlir::Value getPart() { return parts ? part : frame.constant(0); }
  /// Where a kernel folds in parts: takes the states of a stage, those of the
  /// team, before they become its results; and gives those of all parts, which
  /// begin with `init`, in place of loops. Null where a kernel folds at once.
  std::function<void(mlir::Operation *stage, mlir::ValueRange states)>
      keepStates;
  std::function<llvm::SmallVector<mlir::Value>(
      mlir::Operation *stage, mlir::ValueRange init, WorkerTeam::Combine)>
      keptStates;
  /// Whether loops over `dim` in `scope` are distributed over the team.
  bool isShared(const Scope &scope, unsigned dim) const {
    return team && team->dim == dim && !scope.isDistributed;
  }
  /// Whether loops over `dims` in `scope` are one loop of the team.
  bool areShared(const Scope &scope, llvm::ArrayRef<unsigned> dims);

  /// The value of `value` in `scope`: of its compute type, a vector when it
  /// varies over the scope's lanes. bf16 and f16 are held as f32.
  mlir::Value emit(mlir::Value value, Scope &scope);
  /// As `emit`, as a vector even when it does not vary over the lanes.
  mlir::Value emitVector(mlir::Value value, Scope &scope);
  /// Runs `body` in a loop over dimension `dim` of `scope`, bound in a new
  /// scope, with values carried from one iteration to the next. The vector
  /// dimension advances by lanes, its last iteration masked when necessary.
  /// Where `sum` is given and a team shares the loop, units of a step are added
  /// up, and chains of steps, before they are added to what is carried.
  llvm::SmallVector<mlir::Value> emitLoop(Scope &scope, unsigned dim,
                                          mlir::ValueRange init, LoopBody body,
                                          const SumSteps *sum = nullptr);
  /// The same for a part [low, high) of the vector dimension or any other, by
  /// one worker.
  llvm::SmallVector<mlir::Value> emitLoop(Scope &scope, unsigned dim,
                                          mlir::Value low, mlir::Value high,
                                          mlir::ValueRange init, LoopBody body);
  /// Runs `body` for [low, high) cut into blocks of `size`; the last may have
  /// fewer points.
  llvm::SmallVector<mlir::Value> emitBlocks(Scope &scope, mlir::Value low,
                                            mlir::Value high, int64_t size,
                                            mlir::ValueRange init,
                                            BlockBody body);
  /// Makes loops over `dim` those over [low, high) instead of all its points.
  void limit(unsigned dim, mlir::Value low, mlir::Value high) {
    limits[dim] = {low, high};
  }
  /// What loops over `dim` go over, [low, high).
  std::pair<mlir::Value, mlir::Value> getLimits(unsigned dim);
  /// Loops over all of `dims`, outermost first.
  llvm::SmallVector<mlir::Value> emitLoops(Scope &scope,
                                           llvm::ArrayRef<unsigned> dims,
                                           mlir::ValueRange init,
                                           LoopBody body);

  /// `dims` in the order loops over them nest: as in the domain, then the
  /// vector dimension, then dimensions that values are scanned along.
  llvm::SmallVector<unsigned> loopOrder(const DimSet &dims) const;

  /// Takes `value` from `provider` instead of computing it.
  using Provider = std::function<mlir::Value(Scope &)>;
  void provide(mlir::Value value, Provider provider) {
    providers[value] = std::move(provider);
  }

  /// Stores `write` at a scope's point by `store` instead of at its address.
  using Store = std::function<void(Scope &)>;
  void provideStore(WriteOp write, Store store) {
    stores[write] = std::move(store);
  }
  /// What stores `write`; null where nothing was provided.
  const Store *findStore(WriteOp write) const {
    auto found = stores.find(write);
    return found == stores.end() ? nullptr : &found->second;
  }

  /// The value of `value` in `scope`, computed there whether it is kept or not.
  mlir::Value compute(mlir::Value value, Scope &scope);

  /// Computes a worker's units of the iteration's row.
  llvm::SmallVector<mlir::Value>
  emitHeldRow(Scope &scope, unsigned dim, mlir::ValueRange init, LoopBody body);
  /// One loop; in the vector dimension of whole vectors or of masked ones.
  llvm::SmallVector<mlir::Value> emitPart(Scope &scope, unsigned dim,
                                          mlir::Value low, mlir::Value high,
                                          bool masked, mlir::ValueRange init,
                                          LoopBody body);
  /// The end of the whole vectors of [low, high).
  mlir::Value emitVectorEnd(unsigned dim, mlir::Value low, mlir::Value high);

  AccessEmitter access{*this};
  StageEmitter stages{*this};
  KeptValues kept{*this};

private:
  /// Binds the scopes of a worker's units of a row.
  void bindHeldUnits(Scope &scope, unsigned dim);
  /// Which operand of a difference must count as it is rounded, if one must.
  std::optional<unsigned> findRounded(SubOp op) const;
  mlir::Value emitPointwise(mlir::Operation *op, Scope &scope);
  bool isOfOuterScope(mlir::Value value, bool vector, Scope &scope);

  llvm::DenseMap<mlir::Value, Provider> providers;
  llvm::DenseMap<mlir::Operation *, Store> stores;
  llvm::DenseMap<unsigned, std::pair<mlir::Value, mlir::Value>> limits;
  /// The scopes of the units of the iteration's row, where it is held.
  llvm::SmallVector<std::unique_ptr<Scope>> heldUnits;
};

/// While it lives, lanes run along `dim`, or as scheduled if there is none.
class LanesAlong {
public:
  LanesAlong(PointEmitter &emitter, std::optional<unsigned> dim);
  LanesAlong(const LanesAlong &) = delete;
  LanesAlong &operator=(const LanesAlong &) = delete;
  ~LanesAlong();

private:
  PointEmitter &emitter;
  std::optional<unsigned> vectorDim;
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H
