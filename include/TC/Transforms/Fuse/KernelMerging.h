//===- KernelMerging.h - Two kernels as one ---------------------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_KERNELMERGING_H
#define TC_TRANSFORMS_FUSE_KERNELMERGING_H

#include "TC/Transforms/Fuse/DomainUnification.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {

/// The blocks in `root` outside of kernels.
llvm::SmallVector<mlir::Block *> getBlocksAroundKernels(mlir::Operation *root);

/// Whether the second kernel does not use the first, and something uses each:
/// what is merged of kernels that nothing uses is no kernel.
bool areUsedApart(KernelOp first, KernelOp second);

/// Whether each point writes elements of its own: nothing is scattered, written
/// for some points alone or combined.
bool writesOwnElements(KernelOp kernel);

/// Whether the two can be one op: no op between them, in the order of the
/// block, both uses the first and feeds the second.
bool canMoveTogether(KernelOp first, KernelOp second);

/// Whether the merged kernel would make results of `second` long before they
/// are needed: kernels between the two run while these results occupy
/// more memory than what ends with the two gives back. Results that are small
/// next to what `second` reads do not count.
bool makesResultsWait(KernelOp first, KernelOp second);

/// Replaces both kernels by one with the results of both, at the place of
/// `second`; ops between them that use `first` move after it.
KernelOp mergeKernels(mlir::RewriterBase &rewriter, KernelOp first,
                      KernelOp second, const MergedDomain &domain);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELMERGING_H
