//===- ScatterPoints.h - Points written to computed places ------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H
#define TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H

#include "../KernelEmission/PointEmitter.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc {

/// The points of a kernel that scatters, and the elements that they go to.
class ScatterPoints {
public:
  explicit ScatterPoints(GPUFrame &frame)
      : frame(frame), b(frame.builder), loc(frame.loc),
        points(frame, std::nullopt, 1),
        outer(getOuterDims(frame.kernel, frame.dims)) {}

protected:
  /// Writes that share the loop over the points of `dims`.
  struct Group {
    llvm::SmallVector<WriteOp> writes;
    llvm::SmallVector<unsigned> dims;
    SizeExpr count;
  };
  llvm::SmallVector<Group> getGroups();
  SizeExpr countPoints(llvm::ArrayRef<unsigned> dims);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  mlir::Value minimum(mlir::Value x, mlir::Value y) {
    return mlir::arith::MinSIOp::create(b, loc, x, y);
  }
  /// Whether (i1) the point is written at all; null where it always is.
  mlir::Value isAccessed(const Address &address);
  /// The number (i64) of the element, in its buffer, that `write` stores to; -1
  /// where it stores nothing.
  mlir::Value emitNumber(WriteOp write, mlir::Value isPoint, Scope &scope);
  /// A word (i32) with bit i set where lane i of the warp has `bit`.
  mlir::Value gatherBits(mlir::Value bit);
  /// Whether (i1) the element `number`, -1 for none, belongs to `owner` (i64)
  /// of `owners`, a power of two.
  mlir::Value isOwned(mlir::Value number, mlir::Value owner, int64_t owners);
  /// Slots for the numbers of a chunk of points, one a thread, for each write.
  llvm::SmallVector<Slots> shareNumbers(const Group &group);
  /// Runs `body` for every chunk of a group's points, with the number of its
  /// first point and the count of all. What threads had in shared memory has
  /// been read by all of them then.
  void emitChunks(
      const Group &group, Scope &scope,
      llvm::function_ref<void(Scope &, mlir::Value first, mlir::Value count)>
          body);
  /// Stores the numbers of the elements that the thread's point of the chunk
  /// from `first` on goes to, and gives them. `point` binds all other
  /// dimensions.
  llvm::SmallVector<mlir::Value> storeNumbers(const Group &group,
                                              llvm::ArrayRef<Slots> numbers,
                                              mlir::Value first,
                                              mlir::Value count, Scope &point);
  /// Runs `body` in each of `strips` blocks for each of `count` parts.
  LaunchShape emitBlocks(
      SizeExpr count, int64_t strips,
      llvm::function_ref<void(Scope &, mlir::Value part, mlir::Value strip)>
          body);

  GPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  mlir::Location loc;
  PointEmitter points;
  DimSet outer;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H
