//===- Packing.h - How one operand is packed --------------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_PACKING_H
#define TC_CONVERSION_TCTOVECTOR_PACKING_H

#include "OperandPacking.h"

namespace tc {

/// What packing rows and packing panels have in common: one operand, for a
/// block of reduced points.
class Packing {
public:
  Packing(KernelFrame &frame, const PackedOperand &packed, ReducedBlock block)
      : frame(frame), packed(packed), operand(packed.operand),
        element(packed.element), block(block),
        step(packed.pair * packed.width) {}

protected:
  using Vectors = llvm::SmallVector<mlir::Value>;
  using VectorsBody =
      llvm::function_ref<void(Scope &, mlir::Value position, const Vectors &)>;

  /// Calls `body` for every `step` reduced points, with one vector of packed
  /// elements for each row or lane whose number is in `numbers`. Beyond the
  /// block's points vectors hold 0.
  void alongReduced(Scope &scope, mlir::ValueRange numbers, VectorsBody body);

  mlir::Value at(mlir::Value scratch, mlir::Value offset) const;
  /// Stores packed elements at element `offset` of the scratch.
  void store(mlir::Value vector, mlir::Value scratch, mlir::Value offset);
  /// Loads `step` contiguous elements from element `position` of `pointer` on,
  /// those of `mask` where it is not null, as packed elements.
  mlir::Value loadLinear(ReadOp read, mlir::Value pointer, mlir::Value position,
                         mlir::Value mask);
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

private:
  void alongLinear(Scope &scope, mlir::ValueRange numbers, VectorsBody body);
  mlir::Value reducedMask(mlir::Value position);
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_PACKING_H
