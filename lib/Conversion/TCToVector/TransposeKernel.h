//===- TransposeKernel.h - Kernels of transposed inputs ---------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TiledTranspose.h"

namespace tc {

/// Emits a pointwise kernel whose reads are transposed in registers, one square
/// of `vector_width` rows and lanes at a time.
LaunchShape emitTransposeKernel(CPUFrame &frame,
                                const TiledTranspose &transpose,
                                TransposeScheduleAttr schedule);

/// The transpose of a square block in registers: element j of vector i becomes
/// element i of vector j. The number of vectors is a power of two.
llvm::SmallVector<mlir::Value>
transposeSquare(KernelFrame &frame, llvm::SmallVector<mlir::Value> rows);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H
