//===- CostModel.h - Bytes, operations and time of a kernel -----*- C++ -*-===//

#ifndef TC_ANALYSIS_COSTMODEL_H
#define TC_ANALYSIS_COSTMODEL_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// What one launch of a kernel does.
struct KernelCost {
  double bytesRead = 0, bytesWritten = 0;
  /// Arithmetic, weighted: an exponential is worth twenty additions.
  double flops = 0;
  /// Points that can be computed independently.
  double parallelism = 1;

  double getBytes() const { return bytesRead + bytesWritten; }
};

/// A likely value of a size: its own, or one in the ranges of its symbols.
double estimateSize(mlir::Operation *op, SizeExprAttr size);

/// Elements of a tensor or memref, likewise.
double estimateElements(mlir::Operation *op, mlir::Type type);
double estimateBytes(mlir::Operation *op, mlir::Type type);

/// Points of the dimensions in `dims`.
double estimatePoints(KernelOp kernel, const DimSet &dims);

/// Weighted operations of a body op at one point.
double getOperationWeight(mlir::Operation *op);

/// Dimensions along which points are independent: written ones that every
/// reduction's result varies over.
DimSet getParallelDims(KernelOp kernel, const KernelDims &values);

KernelCost estimateCost(KernelOp kernel);

/// Nanoseconds of a launch on `machine`.
double estimateTime(const KernelCost &cost, const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_COSTMODEL_H
