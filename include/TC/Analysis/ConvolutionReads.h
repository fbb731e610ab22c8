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

  /// The index of the images that should be the last in memory, the channels:
  /// along it all weights of a point of the window are multiplied. Nothing
  /// where no index or several are. Of the gradient of the weights, which is a
  /// convolution whose window has the places of the images and whose channels
  /// the images are, it is the index of the images' channels where the copy
  /// engine takes these: see findGradientChannel().
  std::optional<unsigned> findChannel(KernelOp kernel) const;

  /// Where indices of pixels have more points that are summed over than points
  /// of results, as in the gradient of a convolution's weights: the index of
  /// the images that results alone have, the channels. Such a product sums over
  /// the places of images as they are in memory, rows of channels, and nothing
  /// is reordered: as the copy engine brings them, or, where the channels are
  /// no whole boxes of its copies, from the matrix of all windows, which has at
  /// most 16 times the elements of the images. Nothing for any other product,
  /// nor where windows do not overlap: images are cut into patches so, of which
  /// there may be fewer than points of a window.
  std::optional<unsigned> findGradientChannel(KernelOp kernel) const;
  /// Whether the channels of a gradient are whole boxes of a copy.
  bool hasGradientBoxes(KernelOp kernel) const;

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
