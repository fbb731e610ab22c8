//===- BlockToNVVM.cpp - convert-block-to-nvvm ----------------------------===//

#include "Patterns.h"
#include "TC/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TC/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTBLOCKTONVVMPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;
using namespace tc::block;

/// A pipeline is the address of its first stage, a slot the number of a stage
/// and the parity of the phase of its barriers.
static void addTypes(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](PipelineType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  converter.addConversion(
      [](SlotType type, SmallVectorImpl<Type> &types) -> LogicalResult {
        types.assign(2, IntegerType::get(type.getContext(), 32));
        return success();
      });
  converter.addConversion(
      [](AccumulatorType type) -> Type { return getRegistersType(type); });
}

/// Whether threads are suspended at barriers in shared memory
/// (mbarrier.try_wait): on all targets from sm_90 on, and where the module
/// names none.
static bool suspendsThreads(gpu::GPUModuleOp module) {
  constexpr unsigned kHopper = 90;
  ArrayAttr targets = module.getTargetsAttr();
  for (Attribute attribute :
       targets ? targets.getValue() : ArrayRef<Attribute>()) {
    unsigned architecture = 0;
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    StringRef digits = target ? target.getChip() : StringRef();
    if (digits.consume_front("sm_") && !digits.consumeInteger(10, architecture))
      return architecture >= kHopper;
  }
  return true;
}

namespace {
class BlockToNVVMPass
    : public tc::impl::ConvertBlockToNVVMPassBase<BlockToNVVMPass> {
public:
  using ConvertBlockToNVVMPassBase::ConvertBlockToNVVMPassBase;

  void runOnOperation() override {
    bool hasOps = getOperation()
                      .walk([](Operation *op) {
                        return isa_and_nonnull<BlockDialect>(op->getDialect())
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (!hasOps)
      return;
    TypeConverter converter;
    addTypes(converter);
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<BlockDialect>();
    target.addDynamicallyLegalOp<ub::PoisonOp>(
        [](ub::PoisonOp op) { return !isa<AccumulatorType>(op.getType()); });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populatePipelinePatterns(converter, patterns);
    populateMmaPatterns(converter, patterns);
    populateWarpPatterns(converter, patterns);
    populateThreadPatterns(converter, patterns);
    populateCopyOutPatterns(converter, patterns);
    populateBoxPatterns(converter, patterns);
    populateSumPatterns(converter, patterns);
    if (!suspendsThreads(getOperation())) {
      target.addIllegalOp<NVVM::MBarrierTryWaitParityOp,
                          NVVM::FenceMbarrierInitOp>();
      populateWaitPatterns(converter, patterns);
    }
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns),
                                      getConversionConfig())))
      signalPassFailure();
  }
};
} // namespace
