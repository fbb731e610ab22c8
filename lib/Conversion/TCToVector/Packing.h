//===- Packing.h - How one operand is packed --------------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_PACKING_H
#define TC_CONVERSION_TCTOVECTOR_PACKING_H

#include "OperandPacking.h"

namespace tc {

/// Packs one operand, for a block of reduced points.
class Packing {
public:
  Packing(KernelFrame &frame, const PackedOperand &packed, ReducedBlock block)
      : frame(frame), packed(packed), operand(packed.operand),
        element(packed.element), block(block),
        step(packed.pair * packed.width) {}

  void packRowsAlong(Scope &scope, mlir::Value low, mlir::Value high,
                     int64_t tileRows, mlir::Value scratch);
  void packRowsAcross(Scope &scope, mlir::Value low, mlir::Value high,
                      int64_t tileRows, mlir::Value scratch);
  void packPanelAlong(Scope &scope, mlir::Value low, mlir::Value high,
                      mlir::Value scratch);
  void packPanelAcross(Scope &scope, mlir::Value low, mlir::Value high,
                       mlir::Value scratch);

private:
  using Vectors = llvm::SmallVector<mlir::Value>;
  using VectorsBody =
      llvm::function_ref<void(Scope &, mlir::Value position, const Vectors &)>;

  /// Calls `body` for every `step` reduced points, with one vector of packed
  /// elements for each row or lane whose number is in `numbers`. Beyond the
  /// block's points vectors hold 0.
  void alongReduced(Scope &scope, mlir::ValueRange numbers, VectorsBody body);
  void alongLinear(Scope &scope, mlir::ValueRange numbers, VectorsBody body);
  mlir::Value loadLinear(ReadOp read, mlir::Value pointer,
                         mlir::Value position);
  mlir::Value reducedMask(mlir::Value position);
  Vectors loadRows(PointEmitter &reader, Scope &scope, mlir::Value position);
  Vectors pairUp(llvm::ArrayRef<mlir::Value> vectors);
  mlir::Value zeroUnit(Scope &scope, mlir::Value scratch);
  void interleavePairs(Scope &scope, mlir::Value scratch);

  mlir::Value at(mlir::Value scratch, mlir::Value offset) const;
  /// Stores packed elements at element `offset` of the scratch.
  void store(mlir::Value vector, mlir::Value scratch, mlir::Value offset);
  /// `vector` (of compute elements) in the packed type.
  mlir::Value convert(mlir::Value vector) const;
  /// The elements of two vectors in turns.
  mlir::Value interleave(mlir::Value even, mlir::Value odd);

  KernelFrame &frame;
  const PackedOperand &packed;
  mlir::Value operand;
  mlir::Type element; ///< in memory
  ReducedBlock block;
  int64_t step; ///< points of a vector
};

/// Loops over a block of reduced points; lanes along the emitter's dimension.
void emitBlockLoops(PointEmitter &emitter, Scope &scope,
                    llvm::ArrayRef<unsigned> reduced, ReducedBlock block,
                    llvm::function_ref<void(Scope &)> body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_PACKING_H
