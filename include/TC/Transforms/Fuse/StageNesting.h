//===- StageNesting.h - Stages inside the loops of others -------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_STAGENESTING_H
#define TC_TRANSFORMS_FUSE_STAGENESTING_H

#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/KernelMerging.h"

namespace tc {

/// How deep loops of stages would be nested in the kernel that merges
/// `first` and `second`. A sum over k of what depends on a sum over l for each
/// k has the loop over l in that over k: 1. The next sum over l, of what
/// depends on that for each l, has both in its own: 2. Work and code grow with
/// every level by as much as a loop has points; what does not vary along a
/// loop is computed before it and counts nothing. A sum over k that has a value
/// for each of many l counts one more: each of them would have its sum over l
/// computed again.
unsigned getStageNesting(KernelOp first, KernelOp second,
                         const MergedDomain &domain);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_STAGENESTING_H
