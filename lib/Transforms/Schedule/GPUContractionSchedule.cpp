//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/TensorCoreProduct.h"

using namespace mlir;
using namespace tc;

/// Whether each row of the matrix in memory begins where a sector of the
/// second-level cache does; true where the sizes do not say.
static bool hasWholeSectors(const TensorCoreProduct::Operand &operand) {
  constexpr int64_t kSectorElements = 16;
  auto pitch =
      operand.matrix ? operand.matrix->pitch.getConstant() : std::nullopt;
  return !pitch || *pitch % kSectorElements == 0;
}

ScheduleAttrInterface
tc::getGPUContractionSchedule(KernelOp kernel, const MachineModel &machine) {
  // A tile is filled and emptied in the time of so many multiplications.
  constexpr double kFewMultiplications = 1 << 18;
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
  ProductPoints points;
  points.areKnown =
      product->rowCount.isConstant() && product->laneCount.isConstant();
  for (unsigned batch : product->roles.batches) {
    points.batches *= estimateSize(kernel, kernel.getDimSize(batch));
    points.areKnown &= kernel.getDimSize(batch).isConstant();
  }
  points.rows = estimateSize(kernel, product->rowCount);
  points.lanes = estimateSize(kernel, product->laneCount);
  points.reduced = estimateSize(kernel, product->reducedCount);
  if (points.batches * points.rows * points.lanes * points.reduced <
      kFewMultiplications)
    return {};
  points.areLanesAcross = product->lanes.isAcross;
  points.mayLoad = product->mayLoad();
  points.hasSectorRows = hasWholeSectors(product->rows);
  points.hasSectorLanes = hasWholeSectors(product->lanes);
  ProductTile tile = chooseProductTile(points, machine);
  bool asyncStore =
      product->results && tile.splits == 1 && tile.lanes % kStoredLanes == 0;
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
