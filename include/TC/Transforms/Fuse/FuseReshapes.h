//===- FuseReshapes.h - Reads through reshapes ------------------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_FUSERESHAPES_H
#define TC_TRANSFORMS_FUSE_FUSERESHAPES_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Lets all reads of input number `index` of the kernel, which `reshape` makes,
/// go to the reshape's operand; with `mayDivide` they may divide dimensions.
/// The error says why they cannot.
llvm::Error fuseReshape(KernelOp kernel, unsigned index, ReshapeOp reshape,
                        bool mayDivide);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_FUSERESHAPES_H
