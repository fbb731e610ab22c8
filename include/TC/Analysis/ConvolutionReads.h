//===- ConvolutionReads.h - What a convolution multiplies -------*- C++ -*-===//

#ifndef TC_ANALYSIS_CONVOLUTIONREADS_H
#define TC_ANALYSIS_CONVOLUTIONREADS_H

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// What a contraction that slides a window multiplies: images, of which an
/// index is of a point of the result and of one of the window, and weights,
/// which all points of the result share.
struct ConvolutionReads {
  ContractStageOp stage;
  ReadOp images, weights;

  /// Those of a kernel with one contraction of two reads without indices from
  /// elsewhere, one of which slides a window; nothing for any other.
  static std::optional<ConvolutionReads> find(KernelOp kernel);

  /// The index of the images that the channels are: along it all weights of a
  /// point of the window are multiplied. Nothing where no index or several are.
  std::optional<unsigned> findChannel(KernelOp kernel) const;

  /// Whether tensor cores multiply them: bf16 or f16, with several filters for
  /// the same images, as a product of matrices needs. The gradient of a
  /// depthwise convolution's weight has one for each channel.
  bool isForTensorCores() const;

  DimSet getReduced(KernelOp kernel) const;
};

/// Whether kernels alone make and use `value`, so that its indices may have any
/// order in memory.
bool hasFreeOrder(mlir::Value value);

/// Fewest multiplications of each element of images for which these are worth
/// a copy with their channels last.
inline constexpr double kUsesWorthCopy = 32;

} // namespace tc

#endif // TC_ANALYSIS_CONVOLUTIONREADS_H
