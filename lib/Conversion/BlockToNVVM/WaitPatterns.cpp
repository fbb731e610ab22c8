//===- WaitPatterns.cpp - Barriers in shared memory before sm_90 ----------===//

#include "Patterns.h"

using namespace mlir;
using namespace tc::block;

namespace {
// Pattern: nvvm.mbarrier.try_wait.parity, which suspends a thread, -> a loop of
// mbarrier.test_wait
struct TryWaitPattern : OpConversionPattern<NVVM::MBarrierTryWaitParityOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NVVM::MBarrierTryWaitParityOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(), /*res=*/Type(),
        ValueRange{adaptor.getAddr(), adaptor.getPhase()},
        "{ .reg .pred p; WAIT: mbarrier.test_wait.parity.shared.b64 p, [$0], "
        "$1; @p bra.uni DONE; bra.uni WAIT; DONE: }",
        "r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: nvvm.fence.mbarrier.init -> nothing: there is neither a copy engine
// nor another block of a cluster, and a barrier of the threads follows
struct FenceInitPattern : OpConversionPattern<NVVM::FenceMbarrierInitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NVVM::FenceMbarrierInitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tc::block::populateWaitPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<TryWaitPattern, FenceInitPattern>(converter,
                                                 patterns.getContext());
}
