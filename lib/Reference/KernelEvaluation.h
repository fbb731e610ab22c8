//===- KernelEvaluation.h - A kernel under interpretation -------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_KERNELEVALUATION_H
#define TC_LIB_REFERENCE_KERNELEVALUATION_H

#include "AccessMap.h"
#include "Evaluation.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include <mutex>

namespace tc::reference {

/// An access to a row-major buffer that is linear in the domain: a position,
/// and a step for each dimension of a grid.
struct StridedAccess {
  int64_t start = 0;
  Sizes64 strides;
};

/// One run of a `tc.kernel`.
class KernelEvaluation {
public:
  KernelEvaluation(Evaluation &evaluation, KernelOp kernel)
      : evaluation(evaluation), kernel(kernel), dims(kernel) {}

  /// Finds the domain's sizes and the values of symbols.
  mlir::LogicalResult bindSizes();
  /// The operand that a block argument of the body refers to.
  void setBuffer(mlir::Value argument, Tensor contents) {
    buffers[argument] = std::move(contents);
  }
  const Tensor &getBuffer(mlir::Value argument) const {
    return buffers.find(argument)->second;
  }
  mlir::LogicalResult runBody();

private:
  mlir::LogicalResult run(ReadOp op);
  mlir::LogicalResult run(WriteOp op);
  mlir::LogicalResult run(DimIndexOp op);
  mlir::LogicalResult run(WithinOp op);
  mlir::LogicalResult run(ReduceStageOp op);
  mlir::LogicalResult run(ContractStageOp op);
  mlir::LogicalResult run(ScanStageOp op);
  mlir::LogicalResult run(SortStageOp op);
  mlir::LogicalResult run(RoutineStageOp op);
  mlir::LogicalResult run(AttentionBackwardStageOp op);
  /// The operands of a stage that computes all points of some dimensions at
  /// once, over these, behind the dimensions `outer` of all of them.
  template <typename StageOp>
  llvm::SmallVector<Rows> getWholeOperands(StageOp op, DimSet &outer);
  template <typename StageOp>
  void keepWholeResults(StageOp op, const DimSet &outer,
                        llvm::ArrayRef<Tensor> results);
  mlir::LogicalResult runPointwise(mlir::Operation *op);

  Grid getGrid(const DimSet &used) const;
  /// Refuses an op that would make a tensor larger than the memory.
  mlir::LogicalResult verifyMemoryOf(mlir::Operation *op) const;
  /// A value of the body repeated over the points of `grid`.
  Tensor getOver(mlir::Value value, const Grid &grid) const;
  Rows getRowsOver(mlir::Value value, llvm::ArrayRef<int64_t> over) const;
  /// Visits points, with 0 for the dimensions that are not in the grid.
  void forEachPoint(
      const Grid &grid,
      llvm::function_ref<void(int64_t flat, llvm::ArrayRef<int64_t> point)>
          visit) const;

  mlir::FailureOr<std::optional<StridedAccess>>
  getStrided(mlir::Operation *op, mlir::AffineMap map, const Grid &grid,
             llvm::ArrayRef<int64_t> bufferSizes) const;
  mlir::FailureOr<std::vector<int64_t>>
  locate(mlir::Operation *op, mlir::AffineMap map,
         std::optional<mlir::IntegerSet> within, mlir::ValueRange indices,
         const Grid &grid, llvm::ArrayRef<int64_t> bufferSizes) const;

  Evaluation &evaluation;
  KernelOp kernel;
  KernelDims dims;
  Sizes64 extents;
  Sizes64 symbols;
  llvm::DenseMap<mlir::Value, Tensor> buffers;
  llvm::DenseMap<mlir::Value, Tensor> values;
};

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_KERNELEVALUATION_H
