//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"

using namespace mlir;
using namespace tc;

ScheduleAttrInterface
tc::getGPUContractionSchedule(KernelOp kernel, const MachineModel &machine) {
  constexpr int64_t kMostStages = 8, kGroup = 16, kLoadingRegisters = 104,
                    kRegisterRows =
                        64; // of one warp group, with registers for all
  if (!machine.hasWarpGroupProducts || !hasContraction(kernel))
    return {};
  int64_t dim = getWrittenDim(kernel);
  auto product = TensorCoreProduct::find(kernel, dim);
  if (!product) {
    llvm::consumeError(product.takeError());
    return {};
  }
  ProductPoints points = getProductPoints(kernel, *product);
  if (!isWorthTiles(points))
    return {};
  ProductTile tile = chooseProductTile(points, machine);
  bool asyncStore = product->results && tile.splits == 1 &&
                    tile.lanes % (kStoredLanes * points.products) == 0;
  int64_t stages = std::min(
      kMostStages, GPUContractionScheduleAttr::getMostStages(
                       tile.rows, tile.lanes, asyncStore, tile.splits));
  return GPUContractionScheduleAttr::get(
      kernel.getContext(), dim, tile.rows, tile.lanes, stages,
      machine.units / tile.cluster * tile.cluster, kGroup, asyncStore,
      tile.cluster, tile.splits,
      points.mayLoad && tile.rows > kRegisterRows
          ? kLoadingRegisters
          : GPUContractionScheduleAttr::kCopyingRegisters);
}
