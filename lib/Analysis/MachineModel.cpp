//===- MachineModel.cpp - What the cost model knows of a machine ----------===//

#include "TC/Analysis/MachineModel.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

/// Whether features or, failing them, the chip's name say that `feature` is
/// there.
static bool hasFeature(TargetAttr target, StringRef feature,
                       ArrayRef<StringLiteral> chips) {
  SmallVector<StringRef> flags;
  target.getFeatures().split(flags, ',');
  if (llvm::is_contained(flags, ("-" + feature).str()))
    return false;
  return llvm::is_contained(flags, ("+" + feature).str()) ||
         llvm::any_of(chips, [&](StringRef name) {
           return target.getChip().starts_with(name);
         });
}

static bool hasAVX512(TargetAttr target) {
  static constexpr StringLiteral chips[] = {
      "x86-64-v4",     "skylake-avx512", "cascadelake",   "cooperlake",
      "icelake",       "sapphirerapids", "emeraldrapids", "graniterapids",
      "diamondrapids", "znver4",         "znver5",        "znver6"};
  return hasFeature(target, "avx512f", chips);
}

static bool multipliesBF16Pairs(TargetAttr target) {
  static constexpr StringLiteral chips[] = {
      "cooperlake",    "sapphirerapids", "emeraldrapids", "graniterapids",
      "diamondrapids", "znver4",         "znver5",        "znver6"};
  return hasFeature(target, "avx512bf16", chips);
}

static bool multipliesBF16Tiles(TargetAttr target) {
  static constexpr StringLiteral chips[] = {"sapphirerapids", "emeraldrapids",
                                            "graniterapids", "diamondrapids"};
  return hasFeature(target, "amx-bf16", chips);
}

MachineModel MachineModel::get(TargetAttr target) {
  MachineModel model;
  if (!target)
    return model;
  if (target.getKind() == "cuda") {
    model.isGPU = true;
    model.units = 132;
    model.vectorBits = 1024;
    model.onChipBytes = 200 * 1024;
    model.l1Bytes = 200 * 1024;
    model.launchTime = 2500;
    model.bandwidth = 3000;
    model.unitBandwidth = 40;
    model.unitRate = 250;
    return model;
  }
  if (hasAVX512(target)) {
    model.vectorBits = 512;
    model.hasBF16Dot = multipliesBF16Pairs(target);
    model.hasBF16Tiles = model.hasBF16Dot && multipliesBF16Tiles(target);
    model.onChipBytes = 1024 * 1024;
    model.unitRate = 64;
  }
  return model;
}

MachineModel MachineModel::get(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return MachineModel();
  return get(module->getAttrOfType<TargetAttr>(kTargetAttr));
}
