//===- KernelSimplification.h - Tidying the bodies of kernels ---*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_KERNELSIMPLIFICATION_H
#define TC_TRANSFORMS_FUSE_KERNELSIMPLIFICATION_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Tidies a body that others were merged into: common subexpressions, casts to
/// a narrower type and back, dead values, unused inputs and symbols, maps and
/// sets that the sizes simplify.
void simplifyKernel(KernelOp kernel);
/// The same, and gives the kernel the class of what is left.
void simplifyAndClassify(KernelOp kernel);

/// The input that a kernel only copies, point for point, to a result of its
/// type; null where it does something else.
mlir::Value getCopiedInput(KernelOp kernel);

/// Whether a kernel only moves elements, for nothing but contractions.
bool movesForContractions(KernelOp kernel);

/// Removes outputs whose results have no users; returns the kernel that is
/// left (null when nothing is).
KernelOp eliminateDeadOutputs(KernelOp kernel);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELSIMPLIFICATION_H
