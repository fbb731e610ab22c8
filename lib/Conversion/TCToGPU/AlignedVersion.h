//===- AlignedVersion.h - Two versions of a kernel's code -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H
#define TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H

#include "GPUFrame.h"
#include "TC/Analysis/VectorAlignment.h"

namespace tc {

/// Whether (i1) the conditions of `alignment` hold and, if given, `also`; null
/// where there is no condition.
mlir::Value emitIsAligned(GPUFrame &frame, const VectorAlignment &alignment,
                          mlir::Value also = {});

/// The same of pairs of neighbours along `dim`, of all that the kernel reads
/// and writes.
mlir::Value emitHasAlignedPairs(GPUFrame &frame, unsigned dim);

/// The same where the kernel reads anything else than `operands` along `dim`;
/// null where it does not, as the copy engine stores what it writes.
mlir::Value emitHasAlignedReads(GPUFrame &frame, unsigned dim,
                                llvm::ArrayRef<mlir::Value> operands);

/// What `body` gives, of values of `types`, where `isAligned` (i1) holds and
/// where it does not; without a branch, as if it held, where that is null.
llvm::SmallVector<mlir::Value> emitVersions(
    GPUFrame &frame, Scope &scope, mlir::Value isAligned, mlir::TypeRange types,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(bool isAligned, Scope &)>
        body);

/// Code of `scope` that runs where `condition` holds, and other code where it
/// does not; each in a scope of its own. Without a branch, as if it held, where
/// that is null.
void emitEither(GPUFrame &frame, Scope &scope, mlir::Value condition,
                llvm::function_ref<void(Scope &)> aligned,
                llvm::function_ref<void(Scope &)> otherwise);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H
