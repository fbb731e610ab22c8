//===- LibrarySchedule.cpp - Kernels that become calls --------------------===//

#include "LibrarySchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/LibraryProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// What libraries have their workspace aligned to.
static constexpr int64_t kAlignment = 256;

/// Whole units of bytes, behind what the memory plan aligns to less.
static int64_t alignBytes(double bytes) {
  return int64_t(llvm::alignTo(uint64_t(bytes), kAlignment)) + kAlignment;
}

/// Bytes that pay: a library that splits the sums over blocks, as few tiles of
/// results leave multiprocessors without one, keeps the sums of each part in
/// f32.
static int64_t chooseWorkspace(KernelOp kernel, const LibraryProduct &product,
                               const MachineModel &machine) {
  constexpr double kTile = 128, kLeastPart = 256, kMostParts = 16;
  constexpr int64_t kMostBytes = 32 << 20;
  double rows = estimateSize(kernel, product.rows),
         columns = estimateSize(kernel, product.columns),
         reduced = estimateSize(kernel, product.reduced),
         batches = estimateSize(kernel, product.batches);
  double tiles = batches * std::ceil(rows / kTile) * std::ceil(columns / kTile);
  double parts = std::min({std::floor(2 * double(machine.units) / tiles),
                           std::floor(reduced / kLeastPart), kMostParts});
  if (parts < 2)
    return 0;
  double bytes = parts * batches * rows * columns * sizeof(float);
  if (bytes >= double(kMostBytes))
    return kMostBytes;
  return alignBytes(bytes);
}

/// Bytes for the tables of a library, and, where channels are not last or no
/// whole units, for copies of the operands as it multiplies them.
static int64_t chooseWorkspace(KernelOp kernel,
                               const LibraryConvolution &convolution) {
  constexpr int64_t kTables = 8 << 20, kMostBytes = 512 << 20;
  constexpr double kUnit = 8; // of channels of 16 bits
  double bytes = kTables;
  double channels = estimateSize(kernel, convolution.filterChannels);
  double units = std::ceil(channels / kUnit) * kUnit / std::max(channels, 1.0);
  if (!convolution.schedule.getChannelsLast() || units > 1) {
    for (Value input : kernel.getIns())
      bytes += units * estimateBytes(kernel, input.getType());
    bytes += estimateBytes(kernel, kernel.getOuts().front().getType());
  }
  return alignBytes(std::min(bytes, double(kMostBytes)));
}

ScheduleAttrInterface tc::getLibrarySchedule(KernelOp kernel,
                                             const MachineModel &machine) {
  if (isConvolutionForLibrary(kernel, machine)) {
    auto convolution = LibraryConvolution::find(kernel);
    if (convolution)
      return convolution->schedule.withWorkspace(
          chooseWorkspace(kernel, *convolution));
    llvm::consumeError(convolution.takeError()); // it is in another order
  }
  if (!isProductForLibrary(kernel, machine))
    return {};
  LibraryProduct product = llvm::cantFail(LibraryProduct::find(kernel));
  return product.schedule.withWorkspace(
      chooseWorkspace(kernel, product, machine));
}
