//===- MachineModel.cpp - What the cost model knows of a machine ----------===//

#include "TC/Analysis/MachineModel.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

/// Whether an x86 chip or its features have 512-bit vectors.
static bool hasAVX512(StringRef chip, StringRef features) {
  SmallVector<StringRef> flags;
  features.split(flags, ',');
  if (llvm::is_contained(flags, "-avx512f"))
    return false;
  static constexpr StringLiteral chips[] = {
      "x86-64-v4",     "skylake-avx512", "cascadelake",   "cooperlake",
      "icelake",       "sapphirerapids", "emeraldrapids", "graniterapids",
      "diamondrapids", "znver4",         "znver5",        "znver6"};
  return llvm::is_contained(flags, "+avx512f") ||
         llvm::any_of(chips,
                      [&](StringRef name) { return chip.starts_with(name); });
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
  if (hasAVX512(target.getChip(), target.getFeatures())) {
    model.vectorBits = 512;
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
