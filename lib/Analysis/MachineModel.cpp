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

namespace {
/// Numbers of the chip of an architecture that is in most machines.
struct Chip {
  unsigned architecture; ///< and later ones, up to the next in the table
  /// Shared memory of a block, of a multiprocessor, and the second-level cache,
  /// in KiB.
  int64_t blockShared, shared, cache;
  int64_t units;
  double bandwidth; ///< of main memory, in bytes a nanosecond
  /// Products of 16 bits with sums in f32 of a multiprocessor's warps, those of
  /// f32 of its threads, and bytes of shared memory, in a nanosecond.
  double warpProducts, threadProducts, sharedBandwidth;
};
} // namespace

/// Shared memory: CUDA C++ Programming Guide, technical specifications per
/// compute capability. Others: NVIDIA's architecture papers on A100 (2020),
/// GA102 (A10; 2021), AD102 (L40S; 2023), H100 (2022; measured on an H200) and
/// RTX Blackwell (RTX PRO 6000; 2025).
static constexpr Chip kChips[] = {
    {80, 163, 160, 40 * 1024, 108, 1500, 1440, 90, 180},
    {86, 99, 96, 6 * 1024, 72, 560, 860, 210, 210},
    {87, 163, 160, 4 * 1024, 16, 190, 660, 160, 160},
    {89, 99, 96, 96 * 1024, 142, 800, 1270, 320, 320},
    {90, 227, 200, 50 * 1024, 132, 3000, 2300, 220, 220},
    {100, 227, 200, 126 * 1024, 148, 7000, 2300, 230, 230},
    {120, 99, 96, 128 * 1024, 188, 1700, 1300, 320, 320},
};

static const Chip &findChip(unsigned architecture) {
  const Chip *found = &kChips[0];
  for (const Chip &chip : kChips)
    if (chip.architecture <= architecture)
      found = &chip;
  return *found;
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

/// Of warps, in proportion to each other.
static constexpr AttentionTile kWarpAttentionTiles[] = {
    {64, 128, 64, 1, 4500, 1.9},  {64, 64, 64, 2, 4400, 1.9},
    {128, 128, 64, 1, 2500, 3.3}, {128, 64, 64, 1, 1800, 2.3},
    {256, 64, 32, 1, 900, 2.3},
};

MachineModel MachineModel::get(TargetAttr target) {
  MachineModel model;
  if (!target)
    return model;
  if (target.getKind() == "cuda") {
    model.isGPU = true;
    model.vectorBits = 1024;
    model.launchTime = 2500;
    model.unitBandwidth = 40;
    model.unitRate = 250;
    // "sm_90a": architectures before Hopper have two digits below 90.
    unsigned architecture = 0;
    StringRef digits = target.getChip();
    constexpr unsigned kHopper = 90;
    constexpr int64_t kClusterBlocks = 8;
    if (digits.consume_front("sm_"))
      (void)digits.consumeInteger(10, architecture);
    constexpr int64_t kKiB = 1024;
    const Chip &chip = findChip(architecture);
    model.units = chip.units;
    model.onChipBytes = chip.shared * kKiB;
    model.sharedCacheBytes = chip.cache * kKiB;
    model.bandwidth = chip.bandwidth;
    model.blockSharedBytes = chip.blockShared * kKiB;
    // Also where warp groups multiply: code is for sm_80 and later.
    model.hasWarpProducts = true;
    model.warpProductRate = chip.warpProducts;
    model.threadProductRate = chip.threadProducts;
    model.sharedBandwidth = chip.sharedBandwidth;
    if (architecture >= kHopper) {
      model.clusterBlocks = kClusterBlocks;
      model.hasBulkCopies = true;
    }
    model.hasWarpGroupProducts = canMultiplyInWarpGroups(target);
    model.attentionTiles = kWarpAttentionTiles;
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
