//===- KernelClassification.h - The class of a kernel's body ----*- C++ -*-===//

#ifndef TC_ANALYSIS_KERNELCLASSIFICATION_H
#define TC_ANALYSIS_KERNELCLASSIFICATION_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// The class that a kernel's stages make it. A kernel that was marked as a
/// library call or custom stays that.
KernelClass classifyKernel(KernelOp kernel);

/// Whether the body folds, contracts, scans or sorts; a kernel that does not is
/// pointwise.
bool hasStages(KernelOp kernel);
bool hasContraction(KernelOp kernel);

/// What a kernel reads and writes as it is, where it does nothing else; null
/// where it does.
ReadOp findOnlyRead(KernelOp kernel);

/// Whether rows along `dim` are folded with a row that all of them have in
/// common, and nothing is written along them: a product of a matrix and a
/// vector.
bool foldsWithCommonRow(KernelOp kernel, unsigned dim);

/// The kernels under `root` in the order of the program, without those inside
/// another kernel.
llvm::SmallVector<KernelOp> getOutermostKernels(mlir::Operation *root);

/// The dimension of stride 1 in most of the bytes that the kernel reads and
/// writes; -1 if there is none.
int64_t getContiguousDim(KernelOp kernel);

/// The dimension of stride 1 in the results; -1 if there is none.
int64_t getWrittenDim(KernelOp kernel);

} // namespace tc

#endif // TC_ANALYSIS_KERNELCLASSIFICATION_H
