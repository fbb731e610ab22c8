//===- LibraryFusion.h - Fusion with kernels of libraries -------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_LIBRARYFUSION_H
#define TC_TRANSFORMS_FUSE_LIBRARYFUSION_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/KernelInlining.h"

namespace tc {

/// Refuses to merge `consumer` into a product that a library of the target
/// computes, unless the library has what `consumer` does as an epilogue.
llvm::Error checkLibraryEpilogue(KernelOp producer, KernelOp consumer,
                                 const MergedDomain &domain,
                                 const MachineModel &machine);

/// Refuses to compute `producer` in the place of `read` in such a product,
/// unless that is another order in memory, which libraries read as well.
llvm::Error checkLibraryPrologue(const PointwiseProducer &producer, ReadOp read,
                                 const MachineModel &machine);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_LIBRARYFUSION_H
