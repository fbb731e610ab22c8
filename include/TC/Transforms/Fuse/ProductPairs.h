//===- ProductPairs.h - Two products of the same rows -----------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_PRODUCTPAIRS_H
#define TC_TRANSFORMS_FUSE_PRODUCTPAIRS_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Fuse/DomainUnification.h"

namespace tc {

/// The domain in which two products of the same rows are one kernel, `second`
/// with an epilogue that needs what `first` computes, as of an MLP gated by
/// another product. The error says why there is none, or why two kernels take
/// less time on `machine`.
llvm::Expected<MergedDomain> unifyProductPair(KernelOp first, KernelOp second,
                                              const MachineModel &machine);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_PRODUCTPAIRS_H
