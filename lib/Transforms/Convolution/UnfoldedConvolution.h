//===- UnfoldedConvolution.h - Convolutions as matrices ---------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_CONVOLUTION_UNFOLDEDCONVOLUTION_H
#define TC_LIB_TRANSFORMS_CONVOLUTION_UNFOLDEDCONVOLUTION_H

#include "TC/Analysis/ConvolutionReads.h"

namespace tc {

/// Elements of 16 bits in the units of 16 bytes that rows are multiples of.
inline constexpr int64_t kUnfoldedUnit = 8;

struct MatrixRow;

/// A convolution whose operands become matrices.
struct UnfoldedConvolution {
  KernelOp kernel;
  ConvolutionReads reads;
  /// The dimensions along a row: what is summed over, outermost first, or of
  /// the gradient of weights what it has for each filter.
  llvm::SmallVector<unsigned> inRow = {};
  int64_t points = 1; ///< of these
  /// How many of them, the last ones, make up a run: points that are next to
  /// each other in an image's memory, with zeros behind them up to a whole
  /// number of units. All where no such run is known.
  unsigned runRank = 0;
  int64_t runPoints = 1, runElements = 0;
  int64_t rowElements = 0; ///< of all runs
  /// Whether a run crosses the last two dimensions of the images.
  bool crossesColumns = false;

  /// Has a row for `dims`; false where one has no known points.
  bool setRow(const DimSet &dims);
  /// The dimensions of a row that are not in a run, and those that are.
  llvm::ArrayRef<unsigned> getOuter() const {
    return llvm::ArrayRef(inRow).drop_back(runRank);
  }
  llvm::ArrayRef<unsigned> getRun() const {
    return llvm::ArrayRef(inRow).take_back(runRank);
  }
  /// The place in a row of a point of the kernel.
  mlir::AffineExpr getPlace();
  /// The dimensions of the kernel that `read` has and that are not in a row.
  llvm::SmallVector<unsigned> getOwnDims(ReadOp read);
  /// Writes the kernel that stores what `read` reads of `source`: a row for
  /// each point of its own dimensions.
  mlir::Value buildMatrix(mlir::OpBuilder &builder, ReadOp read,
                          mlir::Value source, llvm::StringRef name);
  /// The kernel as a product of the two matrices, in its place.
  void readMatrices(mlir::Value images, mlir::Value filters);

private:
  llvm::SmallVector<unsigned> findRun(const DimSet &dims);
  void readRow(MatrixRow &row, ReadOp read);
};

/// Makes the gradient of a convolution's weights a product of what they were
/// multiplied by and of the matrix of the images' windows, rows of which are
/// the places that it sums over, and a kernel that gives its results their
/// indices. False, and nothing done, where something else is computed of the
/// sums than casts, or sizes are unknown.
bool unfoldGradient(KernelOp kernel, const ConvolutionReads &reads);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_CONVOLUTION_UNFOLDEDCONVOLUTION_H
