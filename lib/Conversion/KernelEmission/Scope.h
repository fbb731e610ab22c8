//===- Scope.h - Dimensions bound to indices --------------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_SCOPE_H
#define TC_CONVERSION_KERNELEMISSION_SCOPE_H

#include "KernelFrame.h"

namespace tc {

/// Consecutive points of dimension `dim`, from the index that the scope binds.
struct Lanes {
  unsigned dim;
  int64_t count;
  /// vector of i1: which lanes are in the dimension; null when all are.
  mlir::Value mask;
  /// Whether all lanes are in the dimension, agree on each condition, and are
  /// so far from the ends of what is read without indices that whole granules
  /// of a target's unaligned access are in it; see InnerVectors.h.
  bool areInner = false;
};

/// Dimensions bound to indices (i64), inside of an outer scope.
struct Scope {
  Scope(KernelFrame &frame)
      : bound(frame.kernel.getNumDims()), boundHere(bound),
        indices(frame.kernel.getNumDims()) {}
  explicit Scope(Scope &parent)
      : parent(&parent), bound(parent.bound), boundHere(bound.size()),
        indices(parent.indices), lanes(parent.lanes), present(parent.present),
        readable(parent.readable), isDistributed(parent.isDistributed),
        hasWholeVectors(parent.hasWholeVectors) {}

  /// A scope at the point of `other` where nothing is known of what is emitted
  /// there: values are computed anew.
  struct Detached {};
  Scope(Scope &other, Detached) : Scope(other) {
    parent = nullptr;
    boundHere = bound;
  }

  void bind(unsigned dim, mlir::Value index) {
    bound.set(dim);
    boundHere.set(dim);
    indices[dim] = index;
  }

  Scope *parent = nullptr;
  /// Where the loop goes that this scope, which binds nothing, is a block of.
  Scope *blockOf = nullptr;
  DimSet bound;
  /// Those that this scope binds itself, some perhaps anew: a reduction inside
  /// of a loop over the dimension that it folds.
  DimSet boundHere;
  llvm::SmallVector<mlir::Value> indices;
  std::optional<Lanes> lanes;
  /// i1: whether the scope's point, and those of its lanes, are in the domain;
  /// null when they are. Nothing is stored elsewhere.
  mlir::Value present;
  /// i1: whether they may be read; null when they may. What is loaded elsewhere
  /// is 0. A point that is not in the domain may be read where the scope binds
  /// another one in its place.
  mlir::Value readable;
  /// Inside of a loop whose points are distributed over a team: each worker has
  /// its own point.
  bool isDistributed = false;
  /// Where vectors begin anywhere (`PointEmitter::aligned` has an anchor):
  /// whether the aligned ones are in their buffers as a whole, also the lanes
  /// that the mask leaves out.
  bool hasWholeVectors = false;
  /// While a loop inside this scope is being filled: that loop. Code of this
  /// scope goes before it.
  mlir::Operation *openLoop = nullptr;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  /// What was loaded for later uses, as it is stored: of a held row, or ahead.
  llvm::DenseMap<mlir::Value, mlir::Value> loaded;
  /// In a loop along which values are scanned: their folds up to the point
  /// before this one.
  llvm::DenseMap<mlir::Value, mlir::Value> scanned;
};

/// The body of a loop, in a scope of its own: the values that it carries on.
using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    Scope &, mlir::ValueRange carried)>;
/// The same for points [low, high) of a dimension.
using BlockBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    Scope &, mlir::Value low, mlir::Value high, mlir::ValueRange carried)>;

/// How a sum goes on: its states before the first term, after one more point,
/// and of two parts together.
struct SumSteps {
  llvm::function_ref<llvm::SmallVector<mlir::Value>()> init;
  LoopBody step;
  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange,
                                                    mlir::ValueRange)>
      combine;
};

/// While it lives, code of a scope goes before what is emitted now: into scopes
/// inside of it that have no loop of their own.
class StraightLine {
public:
  StraightLine(KernelFrame &frame, Scope &scope);
  StraightLine(const StraightLine &) = delete;
  StraightLine &operator=(const StraightLine &) = delete;
  ~StraightLine() { scope.openLoop = previous; }

private:
  Scope &scope;
  mlir::Operation *previous;
};

/// Leaves the scope's points out of the domain where `condition` (i1) does not
/// hold; they are not read either.
void restrictTo(KernelFrame &frame, Scope &scope, mlir::Value condition);

/// Puts the builder where code of `scope` goes.
void moveInto(KernelFrame &frame, Scope &scope);

/// The outermost scope around `scope`, or itself, that binds all dimensions
/// `value` varies over, where it is emitted once.
Scope &getHome(KernelFrame &frame, mlir::Value value, Scope &scope);

/// Whether `value` is a vector in `scope`.
bool isVector(KernelFrame &frame, mlir::Value value, const Scope &scope);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_SCOPE_H
