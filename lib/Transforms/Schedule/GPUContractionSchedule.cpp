//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Analysis/WarpProductTiles.h"
#include "TC/Dialect/Block/IR/BlockOps.h"

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

/// Parts of a thread's results that one piece of code computes: the assembler
/// takes 0.1 ms for each instruction, and where there are many, those that pass
/// the results of the other part on take no time.
static int64_t getEpilogueParts(KernelOp kernel,
                                const TensorCoreProduct &product,
                                const ProductTile &tile) {
  // Weights of all results of a thread, which has each of its lanes in two
  // rows.
  constexpr double kMany = 1024, kRows = 2;
  if (!tile.storesTiles)
    return 1;
  KernelDims dims(kernel);
  double weight = 0;
  for (Operation &op : kernel.getBodyBlock()) {
    if (op.getNumResults() != 1 || isa<ContractStageOp>(op))
      continue;
    const DimSet &varied = dims.of(op.getResult(0));
    const bool isOfSums = llvm::any_of(
        product.roles.reduced, [&](unsigned dim) { return varied.test(dim); });
    if (!isOfSums && varied.test(product.roles.vectorDim))
      weight += getOperationWeight(&op) /
                (varied.test(product.roles.rows.back()) ? 1 : kRows);
  }
  const double results = double(block::kAccumulatorRows * tile.lanes) /
                         double(product.countProducts() * block::kGroupThreads);
  return weight * results >= kMany ? 2 : 1;
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
      points.needsPromotion ? kPromotion : 0, /*warpProducts=*/false,
      getEpilogueParts(kernel, product, tile));
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
      getWarpPromotion(points, tile.rows), /*warp_products=*/true,
      /*epilogue_parts=*/1);
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
