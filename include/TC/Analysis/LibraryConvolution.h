//===- LibraryConvolution.h - Convolutions for libraries --------*- C++ -*-===//

#ifndef TC_ANALYSIS_LIBRARYCONVOLUTION_H
#define TC_ANALYSIS_LIBRARYCONVOLUTION_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Whether the module's `tc.libraries` has the library.
bool hasLibrary(mlir::ModuleOp module, ConvolutionLibraryKind library);

/// A kernel that is one convolution as libraries have it: result = relu(scale *
/// convolution(images, filters) + addend + bias).
struct LibraryConvolution {
  /// The call without workspace.
  ConvolutionLibraryScheduleAttr schedule;
  mlir::Type element; ///< of images, filters and results
  int64_t groups = 1;
  /// Of each spatial dimension.
  llvm::SmallVector<int64_t, 3> stride, padding, dilation;
  /// N, C and K; channels of a filter, points of the window, and places of an
  /// image that it is at.
  SizeExpr batches, channels, filters, filterChannels, windowPoints, places;

  /// The convolution that the kernel is; the error says what it has that
  /// libraries have not. With `mayReorder`, the one that it may be once passes
  /// have put images, filters and results into one order.
  static llvm::Expected<LibraryConvolution> find(KernelOp kernel,
                                                 bool mayReorder = false);

  /// Whether the window is one point at each pixel.
  bool isPlainProduct() const;
  /// Estimated number of multiplications.
  double countMultiplications(KernelOp kernel) const;
};

/// Nanoseconds of a convolution, without its launch: estimates of one kind of
/// tile for both.
struct ConvolutionTimes {
  /// Of TC's own code, with what the passes on convolutions make of it, such as
  /// copies of images.
  double own;
  /// Of a library that copies whole units wherever channels are, and puts
  /// images of 16 bits into the order that it multiplies.
  double library;

  static ConvolutionTimes estimate(KernelOp kernel,
                                   const LibraryConvolution &convolution,
                                   const MachineModel &machine);
};

/// Whether the library, where it has no kernel that does both, rounds the sums
/// of a convolution to 16 bits before it adds a bias or a result to them. TC's
/// own kernels round once.
bool mayLibraryRoundTwice(KernelOp kernel);

/// Whether the kernel is a convolution that a library of the target computes in
/// clearly less time than TC's own code, once it is in order; for a kernel with
/// a schedule, whether that is the library's.
bool isConvolutionForLibrary(KernelOp kernel, const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_LIBRARYCONVOLUTION_H
