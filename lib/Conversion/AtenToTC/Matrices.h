//===- Matrices.h - conversions of batches of matrices ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_MATRICES_H
#define TC_LIB_CONVERSION_ATENTOTC_MATRICES_H

#include "AtenCall.h"

namespace tc::aten {

/// The tensor `name` as a batch of matrices of f32 or f64; null, with the call
/// refused, for another.
mlir::Value getMatrices(AtenCall &call, llvm::StringRef name, bool isSquare);

/// Rows of each matrix as columns.
mlir::Value transposeMatrices(AtenCall &call, mlir::Value x);

/// The product of two batches of matrices.
mlir::Value multiplyMatrices(AtenCall &call, mlir::Value x, mlir::Value y);

/// A singular matrix is an error of the call if `isChecked`.
RoutineOp runRoutine(AtenCall &call, RoutineKind kind,
                     mlir::ValueRange operands, bool isChecked = false);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_MATRICES_H
