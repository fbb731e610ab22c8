//===- ScatterPoints.h - Points written to computed places ------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H
#define TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H

#include "../KernelEmission/PointEmitter.h"
#include "GPUFrame.h"
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
  /// Which of `owners`, a power of two, has element `number`.
  mlir::Value emitOwner(mlir::Value number, int64_t owners);

  GPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  mlir::Location loc;
  PointEmitter points;
  DimSet outer;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SCATTERPOINTS_H
