//===- LibrarySchedule.cpp - Kernels that become calls --------------------===//

#include "LibrarySchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/LibraryProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Bytes that pay: a library that splits the sums over blocks, as few tiles of
/// results leave multiprocessors without one, keeps the sums of each part in
/// f32.
static int64_t chooseWorkspace(KernelOp kernel, const LibraryProduct &product,
                               const MachineModel &machine) {
  constexpr double kTile = 128, kLeastPart = 256, kMostParts = 16;
  constexpr int64_t kMostBytes = 32 << 20, kAlignment = 256;
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
  // Behind what the memory plan aligns to less.
  return int64_t(llvm::alignTo(uint64_t(bytes), kAlignment)) + kAlignment;
}

ScheduleAttrInterface tc::getLibrarySchedule(KernelOp kernel,
                                             const MachineModel &machine) {
  if (!isForLibrary(kernel, machine))
    return {};
  LibraryProduct product = llvm::cantFail(LibraryProduct::find(kernel));
  return product.schedule.withWorkspace(
      chooseWorkspace(kernel, product, machine));
}
