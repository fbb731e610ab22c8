//===- CopiedBoxes.h - Boxes of matrices that are copied --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_COPIEDBOXES_H
#define TC_LIB_CONVERSION_TCTOGPU_COPIEDBOXES_H

#include "GPUFrame.h"
#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Dialect/Block/IR/BlockOps.h"

namespace tc {

/// One thread has the tensor maps of the launch brought to a cache.
void emitMapPrefetches(GPUFrame &frame);

/// The tensor map of boxes of `rows` rows of `columns` elements of the
/// dimension along which `matrix` is contiguous, with a swizzle as wide where
/// that is at most 128 bytes, else without one. It has
/// `inner` points along that dimension, and `outer` along the other.
TensorMapAttr getBoxMap(const GPUFrame &frame, const CopiedMatrix &matrix,
                        SizeExpr outer, SizeExpr inner, int64_t rows,
                        int64_t columns = block::kBoxElements,
                        bool written = false);

/// `map` with other boxes, whose rows are as far apart in shared memory.
TensorMapAttr withBox(TensorMapAttr map, llvm::ArrayRef<int64_t> box);

/// The tensor map of boxes of as many channels as a row of a box has elements,
/// of the images `matrix`, at `places` places of its window.
TensorMapAttr getImagesMap(const GPUFrame &frame, const CopiedMatrix &matrix,
                           int64_t places);

/// Elements (i32) that the coordinate along which `matrix` is contiguous is
/// ahead of its points.
mlir::Value emitShift(GPUFrame &frame, const CopiedMatrix &matrix);

/// Whether (i1) `sizes` are at most 2^30 or so: coordinates of boxes that begin
/// up to there, and are ahead by as much, have 31 bits. Null where they are for
/// certain.
mlir::Value emitFitCoordinates(GPUFrame &frame, llvm::ArrayRef<SizeExpr> sizes);

/// The indices of point `number` (i32) of dimensions of `sizes`, walked as one.
llvm::SmallVector<mlir::Value>
emitDigits(GPUFrame &frame, llvm::ArrayRef<SizeExpr> sizes, mlir::Value number);
/// The indices of `dims`, of the batch dimensions `batches` of a kernel, at
/// point `batch` of all (i32).
llvm::SmallVector<mlir::Value>
emitBatchIndices(GPUFrame &frame, llvm::ArrayRef<unsigned> batches,
                 llvm::ArrayRef<unsigned> dims, mlir::Value batch);
/// The first coordinates of boxes of the matrix that `matrix` has there.
llvm::SmallVector<mlir::Value>
emitMatrixIndices(GPUFrame &frame, llvm::ArrayRef<unsigned> batches,
                  const CopiedMatrix &matrix, mlir::Value batch);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_COPIEDBOXES_H
