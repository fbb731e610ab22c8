//===- NVVMToPTX.cpp - convert-nvvm-to-ptx --------------------------------===//

#include "TC/Conversion/Passes.h"
#include "TC/Target/CUDA/PTX.h"
#include "TC/Target/MachineCode/LongestFirst.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTNVVMTOPTXPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The GPU that `module` names with an #nvvm.target.
static llvm::Expected<CUDATarget> findTarget(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  auto target = targets && targets.size() == 1
                    ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                    : NVVM::NVVMTargetAttr();
  if (!target)
    return llvm::createStringError(
        "has no target, expected one #nvvm.target, as convert-tc-to-gpu "
        "gives it");
  std::string text = "cuda:" + target.getChip().str();
  if (!target.getFeatures().empty())
    text += ":" + target.getFeatures().str();
  return CUDATarget::parse(text);
}

namespace {
class NVVMToPTXPass : public tc::impl::ConvertNVVMToPTXPassBase<NVVMToPTXPass> {
public:
  using ConvertNVVMToPTXPassBase::ConvertNVVMToPTXPassBase;
  explicit NVVMToPTXPass(std::function<void(StringRef)> onPTX)
      : onPTX(std::move(onPTX)) {}

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    std::vector<std::string> texts(modules.size()), errors(modules.size());
    SmallVector<size_t> order =
        orderLongestFirst(llvm::map_to_vector(modules, countOps));
    mlir::parallelForEach(&getContext(), order, [&](size_t index) {
      llvm::Expected<CUDATarget> target = findTarget(modules[index]);
      llvm::Expected<std::string> text =
          target ? generatePTX(modules[index], *target)
                 : llvm::Expected<std::string>(target.takeError());
      if (text) {
        texts[index] = std::move(*text);
        if (onPTX)
          onPTX(texts[index]);
      } else
        errors[index] = llvm::toString(text.takeError());
    });
    for (auto [module, text, error] : llvm::zip_equal(modules, texts, errors)) {
      if (!error.empty()) {
        module.emitOpError() << error;
        return signalPassFailure();
      }
      replaceByBinary(module, text);
    }
  }

private:
  static size_t countOps(gpu::GPUModuleOp module) {
    size_t count = 0;
    module.walk([&](Operation *) { ++count; });
    return count;
  }

  static void replaceByBinary(gpu::GPUModuleOp module, StringRef text) {
    OpBuilder builder(module);
    Attribute object = gpu::ObjectAttr::get(
        module.getContext(), module.getTargetsAttr()[0],
        gpu::CompilationTarget::Assembly, builder.getStringAttr(text),
        /*properties=*/DictionaryAttr(), /*kernels=*/gpu::KernelTableAttr());
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          /*offloadingHandler=*/Attribute(),
                          ArrayRef<Attribute>(object));
    module.erase();
  }

  std::function<void(StringRef)> onPTX;
};
} // namespace

std::unique_ptr<Pass>
tc::createConvertNVVMToPTXPass(std::function<void(StringRef)> onPTX) {
  return std::make_unique<NVVMToPTXPass>(std::move(onPTX));
}
