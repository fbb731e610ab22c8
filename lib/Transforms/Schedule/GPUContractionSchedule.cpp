//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Analysis/WarpProductTiles.h"

using namespace mlir;
using namespace tc;

/// The points of a product, whose operands may be swapped where that is a
/// product for tensor cores too.
static ProductPoints getPoints(KernelOp kernel,
                               const TensorCoreProduct &product,
                               bool hasCopyEngine) {
  ProductPoints points = getProductPoints(kernel, product);
  if (points.maySwap) {
    auto swapped = TensorCoreProduct::find(kernel, product.roles.rows.back(),
                                           hasCopyEngine);
    points.maySwap = swapped && !swapped->mayLoad();
    if (!swapped)
      llvm::consumeError(swapped.takeError());
  }
  return points;
}

/// Tiles that warp groups multiply, or null where threads are faster.
static ScheduleAttrInterface
getWarpGroupSchedule(KernelOp kernel, const MachineModel &machine,
                     const TensorCoreProduct &product,
                     const ProductPoints &points, bool mayUseThreads) {
  // Where two warp groups multiply; one leaves registers for all.
  constexpr int64_t kLoadingRegisters = 104, kFindingRegisters = 40,
                    kRegisterRows = 64,
                    kPromotion = 1; // of products of floats of 8 bits
  if (mayUseThreads &&
      estimateThreadsTime(points) <= estimateProductTime(points, machine))
    return {};
  ProductTile tile = chooseProductTile(points, machine);
  int64_t registers = GPUContractionScheduleAttr::kCopyingRegisters;
  if (tile.rows > kRegisterRows && points.mayLoad)
    registers = kLoadingRegisters;
  else if (tile.rows > kRegisterRows && points.isGrouped)
    registers = kFindingRegisters;
  return GPUContractionScheduleAttr::get(
      kernel.getContext(),
      int64_t(tile.isSwapped ? product.roles.rows.back()
                             : product.roles.vectorDim),
      tile.rows, tile.lanes, tile.stages,
      machine.units / tile.cluster * tile.cluster, tile.group, tile.storesTiles,
      tile.cluster, tile.splits, tile.tailBlocks, registers,
      points.needsPromotion ? kPromotion : 0, /*warpProducts=*/false);
}

/// Tiles that warps multiply, or null where threads are faster.
static ScheduleAttrInterface getWarpSchedule(KernelOp kernel,
                                             const MachineModel &machine,
                                             const TensorCoreProduct &product,
                                             const ProductPoints &points,
                                             bool mayUseThreads) {
  if (product.secondLanes || isFloat8Type(product.lanes.value.getType()) ||
      (mayUseThreads &&
       estimateThreadsTime(points) <= estimateWarpProductTime(points, machine)))
    return {};
  ProductTile tile = chooseWarpProductTile(points, machine);
  return GPUContractionScheduleAttr::get(
      kernel.getContext(),
      int64_t(tile.isSwapped ? product.roles.rows.back()
                             : product.roles.vectorDim),
      tile.rows, tile.lanes, tile.stages, machine.units, tile.group,
      /*async_store=*/false, /*cluster=*/1, /*splits=*/1,
      /*tail_blocks=*/0, GPUContractionScheduleAttr::kCopyingRegisters,
      getWarpPromotion(points, tile.rows), /*warp_products=*/true);
}

bool tc::isMultipliedByThreads(KernelOp kernel) {
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  return llvm::any_of(stages, [](ContractStageOp stage) {
    return stage.getLhs().getType().isF32();
  });
}

ScheduleAttrInterface tc::getGPUContractionSchedule(KernelOp kernel,
                                                    const MachineModel &machine,
                                                    bool mayUseThreads) {
  if (!machine.hasWarpProducts || !hasContraction(kernel))
    return {};
  const bool hasWarpGroups =
      machine.hasWarpGroupProducts && !isMultipliedByThreads(kernel);
  auto product =
      TensorCoreProduct::find(kernel, getWrittenDim(kernel), hasWarpGroups);
  if (!product) {
    llvm::consumeError(product.takeError());
    return {};
  }
  ProductPoints points = getPoints(kernel, *product, hasWarpGroups);
  if (!isWorthTiles(points))
    return {};
  return hasWarpGroups ? getWarpGroupSchedule(kernel, machine, *product, points,
                                              mayUseThreads)
                       : getWarpSchedule(kernel, machine, *product, points,
                                         mayUseThreads);
}
