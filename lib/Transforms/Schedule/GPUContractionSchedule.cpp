//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"

using namespace mlir;
using namespace tc;

/// The points of a product, whose operands may be swapped where that is a
/// product for tensor cores too.
static ProductPoints getPoints(KernelOp kernel,
                               const TensorCoreProduct &product) {
  ProductPoints points = getProductPoints(kernel, product);
  if (points.maySwap) {
    auto swapped = TensorCoreProduct::find(kernel, product.roles.rows.back());
    points.maySwap = bool(swapped);
    points.maySwap = swapped && !swapped->mayLoad();
    if (!swapped)
      llvm::consumeError(swapped.takeError());
  }
  return points;
}

ScheduleAttrInterface tc::getGPUContractionSchedule(KernelOp kernel,
                                                    const MachineModel &machine,
                                                    bool mayUseThreads) {
  constexpr int64_t kLoadingRegisters = 104,
                    kRegisterRows =
                        64, // of one warp group, with registers for all
      kPromotion = 1;       // of products of floats of 8 bits
  if (!machine.hasWarpGroupProducts || !hasContraction(kernel))
    return {};
  int64_t dim = getWrittenDim(kernel);
  auto product = TensorCoreProduct::find(kernel, dim);
  if (!product) {
    llvm::consumeError(product.takeError());
    return {};
  }
  ProductPoints points = getPoints(kernel, *product);
  if (!isWorthTiles(points) ||
      (mayUseThreads &&
       estimateThreadsTime(points) <= estimateProductTime(points, machine)))
    return {};
  ProductTile tile = chooseProductTile(points, machine);
  return GPUContractionScheduleAttr::get(
      kernel.getContext(),
      tile.isSwapped ? int64_t(product->roles.rows.back()) : dim, tile.rows,
      tile.lanes, tile.stages, machine.units / tile.cluster * tile.cluster,
      tile.group, tile.storesTiles, tile.cluster, tile.splits,
      points.mayLoad && tile.rows > kRegisterRows
          ? kLoadingRegisters
          : GPUContractionScheduleAttr::kCopyingRegisters,
      points.needsPromotion ? kPromotion : 0);
}
