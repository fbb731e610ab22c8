//===- CopyOutPatterns.cpp - Results of products to memory ----------------===//

#include "DynamicShared.h"

using namespace mlir;
using namespace tc::block;

namespace {
// Pattern: block.copy_out -> nvvm.stmatrix of each 16 columns and, by the first
// thread, nvvm.cp.async.bulk.tensor.global.shared.cta, whose predicate replaces
// a branch
struct CopyOutPattern : OpConversionPattern<CopyOutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyOutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value place = code.add(getDynamicShared(code, op), op.getVia());
    NVVM::CpAsyncBulkWaitGroupOp::create(rewriter, code.loc,
                                         uint32_t(op.getBehind()),
                                         /*read=*/rewriter.getUnitAttr());
    meetInWarp(code);
    storeWords(code, op.getWords(), place, code.lane());
    fenceShared(code);
    meetInWarp(code);
    Value starts = arith::AndIOp::create(
        rewriter, code.loc, code.equal(code.lane(), 0), op.getCondition());
    SmallVector<Value> coordinates(llvm::reverse(op.getCoordinates()));
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        rewriter, code.loc, op.getMap(), code.pointer(place), coordinates,
        /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
        /*predicate=*/starts);
    NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, code.loc);
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.copy_out_wait -> nvvm.cp.async.bulk.wait_group 0, {read}
// unless it waits for what is written
struct CopyOutWaitPattern : OpConversionPattern<CopyOutWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyOutWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, uint32_t(0),
        /*read=*/op.getWritten() ? UnitAttr() : rewriter.getUnitAttr());
    return success();
  }
};
} // namespace

void tc::block::populateCopyOutPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<CopyOutPattern, CopyOutWaitPattern>(converter,
                                                   patterns.getContext());
}
