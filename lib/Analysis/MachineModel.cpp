//===- MachineModel.cpp - What the cost model knows of a machine ----------===//

#include "TC/Analysis/MachineModel.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

MachineModel MachineModel::get(TargetAttr target) {
  MachineModel model;
  if (!target)
    return model;
  if (target.getKind() == "cuda") {
    model.isGPU = true;
    model.units = 132;
    model.vectorBits = 1024;
    model.onChipBytes = 200 * 1024;
    model.launchTime = 2500;
    model.bandwidth = 3000;
    model.unitBandwidth = 40;
    model.unitRate = 250;
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

/// The bytes that the module says a cache has, or else the model's.
static int64_t getCacheBytes(ModuleOp module, StringRef name, int64_t usual) {
  auto bytes = module->getAttrOfType<IntegerAttr>(name);
  return bytes && bytes.getInt() > 0 ? bytes.getInt() : usual;
}

MachineModel MachineModel::get(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return MachineModel();
  MachineModel model = get(module->getAttrOfType<TargetAttr>(kTargetAttr));
  if (!model.isGPU) {
    model.onChipBytes =
        getCacheBytes(module, kCoreCacheBytesAttr, model.onChipBytes);
    model.sharedCacheBytes =
        getCacheBytes(module, kSharedCacheBytesAttr, model.sharedCacheBytes);
  }
  return model;
}
