//===- SquareTranspose.h - Transposes in vector registers -------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SQUARETRANSPOSE_H
#define TC_CONVERSION_TCTOVECTOR_SQUARETRANSPOSE_H

#include "../KernelEmission/KernelFrame.h"

namespace tc {

/// The transpose of a square block in registers: element j of vector i becomes
/// element i of vector j. The number of vectors is a power of two.
llvm::SmallVector<mlir::Value>
transposeSquare(KernelFrame &frame, llvm::SmallVector<mlir::Value> rows);

/// The sums of the vectors of a square block in registers: element i is the sum
/// of the elements, floats, of vector i. The number of vectors is a power of
/// two.
mlir::Value sumSquare(KernelFrame &frame, llvm::SmallVector<mlir::Value> rows);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SQUARETRANSPOSE_H
