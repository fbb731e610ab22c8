//===- KernelInlining.h - Pointwise producers in consumers ------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_KERNELINLINING_H
#define TC_TRANSFORMS_FUSE_KERNELINLINING_H

#include "TC/Analysis/CostModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/Support/Error.h"

namespace tc {

/// A result of a kernel without stages, as a function of its indices.
class PointwiseProducer {
public:
  /// The function that `result`, of a kernel, is: nothing where the kernel
  /// reads what it writes, scatters, writes other points than its own, or
  /// folds.
  static std::optional<PointwiseProducer> get(mlir::OpResult result);

  KernelOp getKernel() const { return kernel; }
  /// Whether the value is one element that is read, or none but a function of
  /// its position: then evaluating it again costs nothing.
  bool isView() const { return view; }
  /// Weighted operations for one element.
  double getWeight() const { return weight; }
  llvm::ArrayRef<ReadOp> getReads() const { return reads; }
  /// Bytes that all elements of the result take from memory, reading
  /// `alreadyRead` for nothing.
  double getInputBytes(llvm::function_ref<bool(mlir::Value)> isRead) const;

  /// Whether `read`, of this result by another kernel, can be replaced; if not,
  /// why.
  llvm::Error canInline(ReadOp read) const;
  /// Replaces `read` by the computation.
  void inlineAt(ReadOp read) const;

private:
  bool movesRows() const;
  PointwiseProducer(KernelOp kernel, WriteOp write)
      : kernel(kernel), write(write) {}

  KernelOp kernel;
  WriteOp write;
  /// What computes the value, in order.
  llvm::SmallVector<mlir::Operation *> slice;
  llvm::SmallVector<ReadOp> reads;
  bool view = false;
  double weight = 0;
};

/// The reads of `result` by kernels, and whether there are other users.
struct KernelReads {
  llvm::SmallVector<ReadOp> reads;
  bool hasOtherUsers = false;

  static KernelReads get(mlir::Value result);
};

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELINLINING_H
