//===- KernelToNVVM.cpp - convert-kernel-to-nvvm --------------------------===//

#include "TC/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TC/Conversion/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTKERNELTONVVMPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether LLVM has an intrinsic for `op`. Of the others, such as the copies of
/// the tensor memory accelerator, MLIR knows the text in PTX.
static bool hasIntrinsic(Operation *op) {
  auto inlined = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
  return !inlined || inlined.hasIntrinsic();
}

namespace {
/// The arguments that a module's kernels are given by value: constants of the
/// launch, in memory of their own. The conversion makes them plain pointers.
class ByValueArguments {
public:
  explicit ByValueArguments(gpu::GPUModuleOp module) {
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
        if (Attribute type = kernel.getArgAttr(index, kByValue))
          arguments.push_back({kernel.getNameAttr(), index, type});
  }

  void restore(gpu::GPUModuleOp module) {
    for (const Argument &argument : arguments) {
      auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(argument.kernel);
      kernel.setArgAttr(argument.index, kByValue, argument.type);
      kernel.setArgAttr(argument.index,
                        NVVM::NVVMDialect::getGridConstantAttrName(),
                        UnitAttr::get(module.getContext()));
    }
  }

private:
  static constexpr StringLiteral kByValue = "llvm.byval";
  struct Argument {
    StringAttr kernel;
    unsigned index;
    Attribute type;
  };
  SmallVector<Argument> arguments;
};

/// Made once for a pass manager and shared by the threads that work on its
/// modules.
struct Patterns {
  explicit Patterns(MLIRContext *context)
      : converter(context), target(*context) {
    RewritePatternSet smaller(context);
    populateKernelSteps(smaller, /*expandBF16=*/false);
    steps = std::move(smaller);

    // MLIR's patterns for GPUs would call libdevice, for arith.maxnumf too:
    // ours, of benefit 1, come before them.
    RewritePatternSet patterns(context);
    configureGpuToNVVMTypeConverter(converter);
    populateKernelToLLVMPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/0);
    populateNVVMToLLVMConversionPatterns(patterns);
    conversion = std::move(patterns);
    configureKernelToLLVMLegality(target);
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>(hasIntrinsic);
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
  }

  LLVMTypeConverter converter;
  ConversionTarget target;
  FrozenRewritePatternSet steps, conversion;
};

class KernelToNVVMPass
    : public tc::impl::ConvertKernelToNVVMPassBase<KernelToNVVMPass> {
public:
  using ConvertKernelToNVVMPassBase::ConvertKernelToNVVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = std::make_shared<Patterns>(context);
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    (void)applyPatternsGreedily(module, patterns->steps);
    ByValueArguments byValue(module);
    if (failed(applyPartialConversion(module, patterns->target,
                                      patterns->conversion,
                                      getConversionConfig())))
      return signalPassFailure();
    byValue.restore(module);
  }

private:
  std::shared_ptr<Patterns> patterns;
};
} // namespace
