//===- KernelToLLVM.cpp - convert-kernel-to-llvm --------------------------===//

#include "TC/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTKERNELTOLLVMPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// The constant state of the pass: made once for a pass manager and shared by
/// the threads that work on its functions.
struct Patterns {
  LLVMTypeConverter converter;
  ConversionTarget target;
  FrozenRewritePatternSet vectorSteps;
  FrozenRewritePatternSet conversion;

  Patterns(MLIRContext *context, bool expandBF16);
};
} // namespace

void tc::populateKernelSteps(RewritePatternSet &patterns, bool expandBF16) {
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::Shuffle16x16);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  if (expandBF16)
    arith::populateExpandBFloat16Patterns(patterns);
}

void tc::populateKernelToLLVMPatterns(const LLVMTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  // A target's own patterns for the same functions come second.
  populateMathToLLVMConversionPatterns(
      converter, patterns, /*approximateLog1p=*/false, /*benefit=*/2);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/true);
}

void tc::configureKernelToLLVMLegality(ConversionTarget &target) {
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addIllegalDialect<scf::SCFDialect, cf::ControlFlowDialect,
                           arith::ArithDialect, math::MathDialect,
                           vector::VectorDialect, ub::UBDialect>();
}

Patterns::Patterns(MLIRContext *context, bool expandBF16)
    : converter(context), target(*context) {
  RewritePatternSet steps(context);
  populateKernelSteps(steps, expandBF16);
  vectorSteps = std::move(steps);

  RewritePatternSet patterns(context);
  populateKernelToLLVMPatterns(converter, patterns);
  conversion = std::move(patterns);
  configureKernelToLLVMLegality(target);
  target.addLegalDialect<func::FuncDialect>();
}

namespace {
class KernelToLLVMPass
    : public tc::impl::ConvertKernelToLLVMPassBase<KernelToLLVMPass> {
public:
  using ConvertKernelToLLVMPassBase::ConvertKernelToLLVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<CPUTarget> cpu = CPUTarget::parse(target);
    if (!cpu)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(cpu.takeError());
    patterns =
        std::make_shared<Patterns>(context, !cpu->capabilities().hasBF16Dot);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || isHostFunction(function))
      return;
    (void)applyPatternsGreedily(function, patterns->vectorSteps);
    if (failed(applyPartialConversion(function, patterns->target,
                                      patterns->conversion,
                                      getConversionConfig())))
      signalPassFailure();
  }

private:
  static bool isHostFunction(func::FuncOp function) {
    return function.isPublic();
  }

  std::shared_ptr<Patterns> patterns;
};
} // namespace
