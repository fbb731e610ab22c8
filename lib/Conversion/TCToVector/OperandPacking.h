//===- OperandPacking.h - Operands copied for register tiles ----*- C++ -*-===//
//
// Packs operands of matrix products as tiles read them: rows one after the
// other, or the lanes of one panel, point after point (pair of points after
// pair). On the way they are converted to the elements that are multiplied, and
// computed where they are more than a read.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOVECTOR_OPERANDPACKING_H
#define TC_CONVERSION_TCTOVECTOR_OPERANDPACKING_H

#include "../KernelEmission/PointEmitter.h"

namespace tc {

/// A block of reduced points: [low, high) of the first reduced dimension and
/// all of the others; `points` of them.
struct ReducedBlock {
  mlir::Value low, high, points;
};

/// One operand, and how it is laid out in memory.
struct PackedOperand {
  mlir::Value operand;
  /// Element in memory: the compute type, bf16 as i16 where pairs are
  /// multiplied, or what the operand is read as.
  mlir::Type element;
  /// The rows or the lanes, walked as one dimension, and the reduced points.
  llvm::SmallVector<unsigned> dims, reduced;
  int64_t width;     ///< compute elements of a vector register
  int64_t pair = 1;  ///< points multiplied together
  int64_t stride;    ///< elements from row to row, or from point to point
  int64_t lanes = 0; ///< of a panel
  /// Whether a panel is packed from vectors along the reduced points, or rows
  /// from vectors along the rows, which are transposed in registers: whole
  /// vectors of points, or of rows, are stored.
  bool packsAcross = false;
  bool storesMasked = false; ///< masked stores cost what others do: AVX-512
  /// Whether each block is known to be whole vectors of points.
  bool isWholeVectors = false;
  /// Points of a panel are filled up with zeros to a multiple of this; to one
  /// of `pair` where it is less.
  int64_t unit = 1;

  /// Whether the last panel has numbers in all lanes: what an uninitialised one
  /// has may be denormal, of which multiply-adds take a hundred times as long
  /// but for those of pairs.
  bool fillsPanel() const {
    return pair == 1 && llvm::isa<mlir::FloatType>(element);
  }
};

/// Index of the scope's reduced point in its block.
mlir::Value getBlockPosition(KernelFrame &frame,
                             llvm::ArrayRef<unsigned> reduced, Scope &scope,
                             ReducedBlock block);

/// Loops over a block of reduced points; lanes along the emitter's dimension.
void emitBlockLoops(PointEmitter &emitter, Scope &scope,
                    llvm::ArrayRef<unsigned> reduced, ReducedBlock block,
                    llvm::function_ref<void(Scope &)> body);

/// Calls `body` for each run of neighbouring points of the last of `dims` in
/// the range [low, high) of all: with the run's ends in that dimension and the
/// number, among all, of that dimension's point 0.
void emitRuns(KernelFrame &frame, Scope &scope, llvm::ArrayRef<unsigned> dims,
              mlir::Value low, mlir::Value high,
              llvm::function_ref<void(Scope &, mlir::Value low,
                                      mlir::Value high, mlir::Value origin)>
                  body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_OPERANDPACKING_H
