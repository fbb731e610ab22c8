//===- SplitDimensions.h - Dimensions that reads divide ---------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_SPLITDIMENSIONS_H
#define TC_TRANSFORMS_FUSE_SPLITDIMENSIONS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Makes two dimensions of each that an access of the kernel divides, or, with
/// `onlyReduced`, of those of these that are reduced.
void splitDimensions(KernelOp kernel, bool onlyReduced = false);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_SPLITDIMENSIONS_H
