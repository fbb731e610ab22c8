//===- ConvolutionTimes.cpp - Own code or a library's for convolutions ----===//

#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/WarpProductTiles.h"

using namespace mlir;
using namespace tc;

namespace {
/// Both estimates of one convolution.
class TimeEstimate {
public:
  TimeEstimate(KernelOp kernel, const LibraryConvolution &convolution,
               const MachineModel &machine);
  double estimateOwn() const;
  double estimateLibrary() const;

private:
  /// Elements of 16 bits in the units of 16 bytes that are copied at once.
  static constexpr double kUnit = 8;

  double count(SizeExpr size) const { return estimateSize(kernel, size); }
  double alignToSteps(double elements) const;
  /// Nanoseconds of the product that sums over `reduced` elements.
  double estimateProduct(double reduced, bool mayLoad) const;
  /// Of so many bytes that are read or written once.
  double estimateCopy(double bytes) const { return bytes / machine.bandwidth; }
  double getMultiplications() const {
    return rows * filters * groups * channels * window;
  }
  std::optional<double> estimateUnfolded() const;
  double estimateCopied() const;

  KernelOp kernel;
  const LibraryConvolution &convolution;
  const MachineModel &machine;
  double rows, filters, channels, window, groups; ///< filters of a group
  double imageBytes, resultBytes, elementBytes;
  bool isForTensorCores;
  /// Channels are last, or will be: kernels alone have the images and results.
  bool isLast;
};
} // namespace

TimeEstimate::TimeEstimate(KernelOp kernel,
                           const LibraryConvolution &convolution,
                           const MachineModel &machine)
    : kernel(kernel), convolution(convolution), machine(machine),
      rows(count(convolution.batches) * count(convolution.places)),
      filters(count(convolution.filters) / double(convolution.groups)),
      channels(count(convolution.filterChannels)),
      window(count(convolution.windowPoints)),
      groups(double(convolution.groups)) {
  auto typeOf = [&](int64_t input) { return kernel.getIns()[input].getType(); };
  Type images = typeOf(convolution.schedule.getImages());
  elementBytes =
      double(getElementBytes(cast<ShapedType>(images).getElementType()));
  imageBytes = estimateBytes(kernel, images);
  resultBytes = rows * count(convolution.filters) * elementBytes;
  isForTensorCores = elementBytes == 2;
  Value source = kernel.getIns()[convolution.schedule.getImages()];
  isLast = convolution.schedule.getChannelsLast() ||
           (isForTensorCores && hasFreeOrder(source) &&
            llvm::none_of(kernel->getUsers(), [](Operation *user) {
              return user->hasTrait<OpTrait::ReturnLike>();
            }));
}

/// Steps are of 128 bytes.
double TimeEstimate::alignToSteps(double elements) const {
  constexpr double kStepBytes = 128;
  const double step = kStepBytes / elementBytes;
  return std::ceil(elements / step) * step;
}

double TimeEstimate::estimateProduct(double reduced, bool mayLoad) const {
  ProductPoints points;
  points.batches = groups;
  points.rows = rows;
  points.lanes = filters;
  points.reduced = alignToSteps(reduced);
  points.elementBytes = int64_t(elementBytes);
  points.mayLoad = mayLoad;
  points.maySwap = false;
  return machine.hasWarpGroupProducts && isForTensorCores
             ? estimateProductTime(points, machine)
             : estimateWarpProductTime(points, machine);
}

/// Rows of a matrix that a kernel writes; nothing where these are not written
/// (tc-decompose-convolution).
std::optional<double> TimeEstimate::estimateUnfolded() const {
  constexpr double kFewestMultiplications = 1 << 26, kMostGrowth = 64;
  const double row = std::ceil(channels * window / kUnit) * kUnit;
  if (std::fmod(count(convolution.channels), kUnit) == 0 ||
      getMultiplications() < kFewestMultiplications ||
      rows * row * elementBytes > kMostGrowth * imageBytes)
    return std::nullopt;
  return estimateCopy(imageBytes + rows * row * elementBytes) +
         machine.launchTime + estimateProduct(row, /*mayLoad=*/false);
}

/// Copies of pixels, by the copy engine where these are rows of channels.
double TimeEstimate::estimateCopied() const {
  constexpr double kFewChannels = 32;
  Value images = KernelOp(kernel).getIns()[convolution.schedule.getImages()];
  const bool isFree = isLast || hasFreeOrder(images);
  const double uses = getMultiplications() * elementBytes / imageBytes;
  const bool isRows = isFree || uses >= kUsesWorthCopy;
  if (!machine.hasWarpGroupProducts || !isRows || channels < kFewChannels ||
      std::fmod(channels, kUnit) != 0)
    return estimateProduct(channels * window, /*mayLoad=*/true);
  const double copies =
      isFree ? 0 : estimateCopy(2 * imageBytes) + machine.launchTime;
  return copies +
         estimateProduct(window * alignToSteps(channels), /*mayLoad=*/false);
}

double TimeEstimate::estimateOwn() const {
  if (!isForTensorCores)
    return estimateProduct(channels * window, /*mayLoad=*/true);
  if (convolution.isPlainProduct()) {
    // As the kernel is: its places are next to each other in memory.
    auto product = TensorCoreProduct::find(kernel, getWrittenDim(kernel),
                                           machine.hasWarpGroupProducts);
    if (product) {
      ProductPoints points = getProductPoints(kernel, *product);
      return machine.hasWarpGroupProducts
                 ? estimateProductTime(points, machine)
                 : estimateWarpProductTime(points, machine);
    }
    llvm::consumeError(product.takeError());
  }
  if (auto unfolded = estimateUnfolded())
    return *unfolded;
  return estimateCopied();
}

double TimeEstimate::estimateLibrary() const {
  double copied = 0;
  double units = channels;
  if (isForTensorCores) {
    // A unit of channels that are fewer is a copy with zeros.
    units = std::ceil(channels / kUnit) * kUnit;
    if (units != channels)
      copied += imageBytes * (1 + units / channels);
    if (!isLast && !convolution.isPlainProduct())
      copied += 2 * (imageBytes + resultBytes);
  }
  return estimateCopy(copied) +
         estimateProduct(units * window, /*mayLoad=*/false);
}

ConvolutionTimes
ConvolutionTimes::estimate(KernelOp kernel,
                           const LibraryConvolution &convolution,
                           const MachineModel &machine) {
  TimeEstimate times(kernel, convolution, machine);
  return {times.estimateOwn(), times.estimateLibrary()};
}
