//===- KernelIterations.h - The order of a kernel's points ------*- C++ -*-===//
//
// Kernels that are computed point by point are launched over the dimensions
// along which everything is independent. One iteration computes the stages
// whose results vary over nothing else, then runs a loop over what is open for
// each group of writes. The emitters follow these functions, and so does
// the analysis of whether a write comes after a read.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_KERNELITERATIONS_H
#define TC_ANALYSIS_KERNELITERATIONS_H

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/SetVector.h"

namespace tc {

/// Whether `op`, or an op of its kernel that it is computed from, satisfies
/// `isWanted`, which is asked of each once until one does.
bool anyProducer(mlir::Operation *op,
                 llvm::function_ref<bool(mlir::Operation *)> isWanted);

/// Points of `dims`, the product of their sizes. Nothing where one is not
/// constant, or where the product exceeds 64 bits.
std::optional<int64_t> countPoints(KernelOp kernel,
                                   llvm::ArrayRef<unsigned> dims);

/// The dimensions that values of the kernel are scanned along.
DimSet getScannedDims(KernelOp kernel);

/// Dimensions whose points a write puts at different elements, whatever the
/// values of its indices: those that some index of the buffer follows alone.
DimSet getDistinctDims(WriteOp write);

/// Whether the points of `dim` can be computed together, as lanes: no value is
/// scanned along it, and every write puts them at elements of their own.
bool mayHoldLanes(KernelOp kernel, unsigned dim);

/// Dimensions that every write and every stage's result varies over, and along
/// which no two points meet at one element: the points of these are computed
/// independently of each other.
DimSet getOuterDims(KernelOp kernel, const KernelDims &dims);

/// The writes, in the order of the block; those of a group follow each other,
/// vary over the same dimensions in addition to `outer`, and share a loop over
/// them.
llvm::SmallVector<llvm::SmallVector<WriteOp>>
getWriteGroups(KernelOp kernel, const KernelDims &dims, const DimSet &outer);

/// Whether `op` is a stage that an iteration over `outer` computes before it
/// writes anything.
bool isComputedAhead(mlir::Operation *op, const KernelDims &dims,
                     const DimSet &outer);

/// What the loop of `write` computes for it at each of its points: all that the
/// write needs, except for stages that are computed ahead and what they need.
llvm::SetVector<mlir::Operation *>
getLoopValues(WriteOp write, const KernelDims &dims, const DimSet &outer);

} // namespace tc

#endif // TC_ANALYSIS_KERNELITERATIONS_H
