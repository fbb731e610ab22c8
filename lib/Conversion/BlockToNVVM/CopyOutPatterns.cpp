//===- CopyOutPatterns.cpp - Results of products to memory ----------------===//

#include "DynamicShared.h"

using namespace mlir;
using namespace tc::block;

void tc::block::meetInWarp(Instructions &code) {
  constexpr int64_t kAllLanes = -1;
  NVVM::SyncWarpOp::create(code.builder, code.loc, code.constant(kAllLanes));
}

void tc::block::fenceShared(Instructions &code) {
  NVVM::FenceProxyOp::create(
      code.builder, code.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(code.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// An instruction stores four matrices of 8 rows of 16 bytes, of which thread t
/// has the address of row t mod 8 of matrix t / 8: the upper and the lower rows
/// of 8 columns, and those of the next 8. The swizzle permutes the units of 16
/// bytes of a row by the number of the 128 bytes that the row is in, modulo the
/// units of a row.
void tc::block::storeWords(Instructions &code, ValueRange words, Value place,
                           Value lane) {
  constexpr int64_t kMatrices = 4, kUnitShift = 4, kRowMask = 15;
  const bool isWide = words.size() == kCopyOutWords;
  const int64_t rowShift = isWide ? 7 : 6, groupShift = isWide ? 0 : 1,
                unitMask = isWide ? 7 : 3;
  OpBuilder &b = code.builder;
  auto shiftLeft = [&](Value value, int64_t bits) -> Value {
    return arith::ShLIOp::create(b, code.loc, value, code.constant(bits));
  };
  auto shiftRight = [&](Value value, int64_t bits) -> Value {
    return arith::ShRUIOp::create(b, code.loc, value, code.constant(bits));
  };
  auto mask = [&](Value value, int64_t bits) -> Value {
    return arith::AndIOp::create(b, code.loc, value, code.constant(bits));
  };
  Value row = mask(lane, kRowMask);
  Value unit = shiftLeft(
      arith::XOrIOp::create(b, code.loc, shiftRight(lane, kUnitShift),
                            mask(shiftRight(row, groupShift), unitMask)),
      kUnitShift);
  Value rowPlace = code.add(place, shiftLeft(row, rowShift));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (size_t word = 0; word < words.size(); word += kMatrices) {
    // Two words of each 8 columns.
    Value own = arith::XOrIOp::create(
        b, code.loc, unit, code.constant(int64_t(word) / 2 << kUnitShift));
    NVVM::StMatrixOp::create(b, code.loc, code.pointer(code.add(rowPlace, own)),
                             words.slice(word, kMatrices), NVVM::MMALayout::row,
                             shape, NVVM::LdStMatrixEltType::B16);
  }
}

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
