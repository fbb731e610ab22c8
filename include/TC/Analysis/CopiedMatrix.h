//===- CopiedMatrix.h - Matrices that a copy engine takes -------*- C++ -*-===//

#ifndef TC_ANALYSIS_COPIEDMATRIX_H
#define TC_ANALYSIS_COPIEDMATRIX_H

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The images of a convolution, whose indices are image, pixel (one to three)
/// and channel, as a matrix: its rows are the places of a window that slides
/// over them, and have the channels of the pixels under its points, point by
/// point.
struct CopiedWindow {
  /// The dimensions of a place, the image first, and those of a point of the
  /// window; null where the window has one point along a dimension of pixels.
  llvm::SmallVector<unsigned> places;
  llvm::SmallVector<std::optional<unsigned>> points;
  /// For each dimension of pixels: where the window's first point begins, from
  /// the first pixel, and ends, from the last one, and pixels from one place
  /// and from one point to the next.
  llvm::SmallVector<int64_t> lower, upper, steps, dilations;
};

/// A matrix of elements of 8 or 16 bits in memory, or several, one for each
/// point of the batch dimensions that it varies over, that the copy engine of a
/// GPU takes to or from shared memory: contiguous along one of its dimensions,
/// with other strides of multiples of 16 bytes.
struct CopiedMatrix {
  unsigned buffer; ///< number among the kernel's operands
  /// Whether it is contiguous along its own dimensions, rows or lanes, and not
  /// along those that are summed over.
  bool isAcross = false;
  SizeExpr pitch;  ///< the other stride, in elements
  SizeExpr offset; ///< of its first element in the buffer, in elements
  /// The batch dimensions that it varies over, the strides in elements, and how
  /// many points of each have the same matrix (of heads that share keys).
  llvm::SmallVector<unsigned> batches;
  llvm::SmallVector<SizeExpr> batchStrides;
  llvm::SmallVector<int64_t> sharers;
  /// Where it is one of `groupCount` matrices, which one being read in the
  /// kernel: the stride from one to the next, in elements.
  std::optional<SizeExpr> groupStride;
  SizeExpr groupCount;
  /// Strides of these of which it is not known whether they are positive
  /// multiples of 16 bytes: the copy engine copies it where they are, or where
  /// the launch makes a copy of which they are.
  llvm::SmallVector<SizeExpr> conditions;
  /// What its rows are, where it is of images.
  std::optional<CopiedWindow> window;
};

/// The images that `read` reads of a kernel, where the copy engine takes them:
/// in memory as their indices are, with channels of a multiple of 16 bytes, a
/// place for each point of `own`, and zeros beyond the pixels. `reduced` is
/// summed over, the channels as the last of it. Nothing for any other read. The
/// gradient of weights sums over the places instead, and the points of the
/// window and the channels are its own dimensions: the two are exchanged then.
std::optional<CopiedMatrix> findImages(KernelOp kernel, ReadOp read,
                                       llvm::ArrayRef<unsigned> own,
                                       llvm::ArrayRef<unsigned> reduced);

/// What is read or written of a buffer of a kernel.
struct MatrixAccess {
  mlir::Value buffer;
  mlir::AffineMap map;
};

/// Finds the matrices of a kernel that are one for each point of `batches`.
class MatrixFinder {
public:
  /// Of elements of `elementBytes` bytes, 1 or 2.
  MatrixFinder(KernelOp kernel, llvm::ArrayRef<unsigned> batches,
               int64_t elementBytes = 2);

  /// What `access` is, if it is contiguous along `inner`, dimensions walked as
  /// one, and has one stride along `outer`; nothing where the copy engine does
  /// not know it. Of a read with an index that is a value, that is the number
  /// of a matrix.
  std::optional<CopiedMatrix> find(const MatrixAccess &access,
                                   llvm::ArrayRef<unsigned> inner,
                                   llvm::ArrayRef<unsigned> outer);
  /// The same of a matrix that the launch may make a copy of, with rows that
  /// are padded to multiples of 16 bytes: strides may be any numbers, but for
  /// negative ones, where it begins where its buffer does.
  std::optional<CopiedMatrix> findPadded(const MatrixAccess &access,
                                         llvm::ArrayRef<unsigned> inner,
                                         llvm::ArrayRef<unsigned> outer);
  /// What `write` writes, one element of 16 bits for each point of rows,
  /// `outer`, and lanes, `inner`; nothing where the copy engine does not store
  /// it.
  std::optional<CopiedMatrix> findResults(WriteOp write,
                                          llvm::ArrayRef<unsigned> inner,
                                          llvm::ArrayRef<unsigned> outer);
  /// Elements from the point of one index to that of the next along dimensions
  /// walked as one; 0 without dimensions of more than one point.
  std::optional<SizeExpr> findStride(const MatrixAccess &access,
                                     llvm::ArrayRef<unsigned> along);
  SizeExpr countPoints(llvm::ArrayRef<unsigned> dims);
  bool isMultiple(SizeExpr size, int64_t divisor) {
    return ranges.of(size).divisor % divisor == 0;
  }
  SizeRange rangeOf(SizeExpr size) { return ranges.of(size); }

private:
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(kernel.getContext(), value);
  }
  bool mayStep(SizeExpr stride, CopiedMatrix &matrix);
  bool mayPad(const CopiedMatrix &matrix);
  bool findPitch(const MatrixAccess &access, llvm::ArrayRef<unsigned> inner,
                 llvm::ArrayRef<unsigned> outer, CopiedMatrix &matrix);
  bool findBatches(const MatrixAccess &access, CopiedMatrix &matrix);
  bool findGroups(const MatrixAccess &access, CopiedMatrix &matrix);

  KernelOp kernel;
  llvm::ArrayRef<unsigned> batches;
  /// Elements in 16 bytes, of which strides are multiples.
  int64_t unit;
  SizeRanges ranges;
  bool pads = false; ///< whether constant strides may be any
};

} // namespace tc

#endif // TC_ANALYSIS_COPIEDMATRIX_H
