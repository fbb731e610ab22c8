//===- AlignedVersion.h - Two versions of a kernel's code -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H
#define TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H

#include "GPUFrame.h"
#include "TC/Analysis/VectorAlignment.h"

namespace tc {

/// Whether (i1) the conditions of `alignment` hold and, if given, `also`.
mlir::Value emitIsAligned(GPUFrame &frame, const VectorAlignment &alignment,
                          mlir::Value also = {});

/// Code of `scope` that runs where `condition` holds, and other code where it
/// does not; each in a scope of its own.
void emitEither(GPUFrame &frame, Scope &scope, mlir::Value condition,
                llvm::function_ref<void(Scope &)> aligned,
                llvm::function_ref<void(Scope &)> otherwise);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ALIGNEDVERSION_H
