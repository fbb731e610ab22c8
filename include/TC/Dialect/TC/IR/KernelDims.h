//===- KernelDims.h - Dimensions that values vary over ----------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_KERNELDIMS_H
#define TC_DIALECT_TC_IR_KERNELDIMS_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tc {

/// A set of dimensions of a kernel's domain, by index.
using DimSet = llvm::SmallBitVector;

/// For every value of a kernel's body, the dimensions of the domain it varies
/// over: those of a read's or index's map (and of its dynamic indices and its
/// `within` set), the union of the operands' for a pointwise op, less the
/// folded ones for a reduction or contraction; a scan or sort adds its
/// dimension, a routine has those of each result in place of its operands'.
/// A write that scatters, by dynamic indices or by combining, is done at every
/// point of the domain, as often as there are points: it has all dimensions
/// but those that stages fold.
class KernelDims {
public:
  explicit KernelDims(KernelOp kernel);

  /// Dimensions `value` varies over. Empty for values from outside the body.
  const DimSet &of(mlir::Value value) const;

  /// Dimensions that a write goes along: a write at no point leaves its
  /// destination as it was.
  DimSet ofWrite(WriteOp write) const { return ofOp(write); }

  /// Dimensions that some write goes along: the parallel ones.
  const DimSet &written() const { return writtenDims; }

  /// Dimensions used by the first `rank` inputs of `map`.
  static DimSet ofMap(mlir::AffineMap map, unsigned rank);
  static DimSet ofSet(mlir::IntegerSet set, unsigned rank);

private:
  DimSet ofOp(mlir::Operation *op) const;
  /// The same for one result of an op that uses `used`.
  DimSet ofResult(mlir::OpResult result, DimSet used) const;

  unsigned rank;
  llvm::DenseMap<mlir::Value, DimSet> dims;
  DimSet writtenDims;
  DimSet none;
};

/// Whether `op` is a stage whose rows or matrices are computed as a whole, in
/// memory: a sort or a routine. No other kernel is fused with one of these.
inline bool isWholeStage(mlir::Operation *op) {
  return llvm::isa<SortStageOp, RoutineStageOp, AttentionBackwardStageOp>(op);
}

/// The dimensions that a reduce or contract stage folds; none for another op.
llvm::ArrayRef<int64_t> getFoldedDims(mlir::Operation *op);

} // namespace tc

#endif // TC_DIALECT_TC_IR_KERNELDIMS_H
