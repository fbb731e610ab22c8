//===- MachineModel.cpp - What the cost model knows of a machine ----------===//

#include "TC/Analysis/MachineModel.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

TargetAttr tc::findTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = isa<ModuleOp>(op)
                          ? op->getAttrOfType<TargetAttr>(kTargetAttr)
                          : TargetAttr())
      return target;
  return TargetAttr();
}

StringRef tc::getTargetKind(Operation *op) {
  TargetAttr target = findTarget(op);
  return target ? target.getKind() : "cpu";
}

/// Of sm_90 with the instructions that are its alone, in a version of PTX that
/// has them all.
static bool canMultiplyInWarpGroups(TargetAttr target) {
  constexpr unsigned kVersion = 86;
  unsigned version = kVersion;
  StringRef features = target.getFeatures();
  return target.getChip() == "sm_90a" &&
         (!features.consume_front("+ptx") ||
          (!features.getAsInteger(10, version) && version >= kVersion));
}

/// Of an architecture, such as 90 (CUDA C++ Programming Guide, technical
/// specifications per compute capability).
static int64_t getBlockSharedBytes(unsigned architecture) {
  constexpr int64_t kKiB = 1024;
  switch (architecture) {
  case 80:
  case 87:
    return 163 * kKiB;
  case 86:
  case 89:
  case 120:
  case 121:
    return 99 * kKiB;
  default:
    return (architecture < 90 ? 48 : 227) * kKiB;
  }
}

/// Measured on an H200, of 1 to 64 heads of 512 to 4096 causal tokens; those of
/// 256 columns are half those of 128.
static constexpr AttentionTile kHopperAttentionTiles[] = {
    {64, 192, 128, 1, 14500, 1.6}, {64, 128, 128, 1, 12000, 1.25},
    {64, 64, 128, 2, 11000, 0.76}, {64, 64, 64, 2, 11500, 0.43},
    {128, 128, 128, 1, 9400, 1.6}, {128, 128, 64, 1, 8000, 1.0},
    {128, 64, 64, 2, 6900, 0.76},  {256, 128, 64, 1, 4700, 1.6},
    {256, 64, 64, 1, 3500, 1.4},
};

MachineModel MachineModel::get(TargetAttr target) {
  MachineModel model;
  if (!target)
    return model;
  if (target.getKind() == "cuda") {
    model.isGPU = true;
    model.units = 132;
    model.vectorBits = 1024;
    model.onChipBytes = 200 * 1024;
    model.sharedCacheBytes = 50 * 1024 * 1024;
    model.launchTime = 2500;
    model.bandwidth = 3000;
    model.unitBandwidth = 40;
    model.unitRate = 250;
    // "sm_90a": architectures before Hopper have two digits below 90.
    unsigned architecture = 0;
    StringRef digits = target.getChip();
    constexpr unsigned kHopper = 90;
    constexpr int64_t kClusterBlocks = 8;
    if (digits.consume_front("sm_"))
      (void)digits.consumeInteger(10, architecture);
    model.blockSharedBytes = getBlockSharedBytes(architecture);
    if (architecture >= kHopper) {
      model.clusterBlocks = kClusterBlocks;
      model.hasBulkCopies = true;
    }
    model.hasWarpGroupProducts = canMultiplyInWarpGroups(target);
    if (model.hasWarpGroupProducts)
      model.attentionTiles = kHopperAttentionTiles;
    return model;
  }
  CPUCapabilities can = CPUTarget::fromAttribute(target).capabilities();
  model.vectorBits = can.vectorBits;
  model.vectorRegisters = can.vectorRegisters;
  model.unitRate = can.vectorBits / 8.0;
  model.hasBF16Dot = can.hasBF16Dot;
  model.hasBF16Tiles = can.hasBF16Tiles;
  // Chips with AVX-512 have second-level caches of 1 to 2 MiB.
  if (can.hasAvx512)
    model.onChipBytes = 1024 * 1024;
  return model;
}

/// What the module says of the machine, or else the model's number.
static int64_t getNumber(ModuleOp module, StringRef name, int64_t usual) {
  auto number = module->getAttrOfType<IntegerAttr>(name);
  return number && number.getInt() > 0 ? number.getInt() : usual;
}

bool tc::hasLibrary(ModuleOp module, LibraryKind library) {
  auto names = module->getAttrOfType<ArrayAttr>(kLibrariesAttr);
  return names && llvm::is_contained(
                      names, StringAttr::get(module.getContext(),
                                             stringifyLibraryKind(library)));
}

MachineModel MachineModel::get(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return MachineModel();
  MachineModel model = get(findTarget(module));
  model.hasCuBLASLt = model.isGPU && hasLibrary(module, LibraryKind::CuBLASLt);
  if (!model.isGPU) {
    model.units = getNumber(module, kCoresAttr, model.units);
    model.onChipBytes =
        getNumber(module, kCoreCacheBytesAttr, model.onChipBytes);
    model.sharedCacheBytes =
        getNumber(module, kSharedCacheBytesAttr, model.sharedCacheBytes);
  }
  return model;
}
