//===- SumPatterns.cpp - Sums that blocks of a cluster share --------------===//

#include "DynamicShared.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc::block;

namespace {
constexpr int64_t kVector = 4, kVectorBytes = 16;

/// Where vector 0 of the thread is (i32), and how far on the next ones are.
struct Places {
  Value first;
  int64_t step;
};
} // namespace

static VectorType getVectorType(OpBuilder &b) {
  return VectorType::get({kVector}, b.getF32Type());
}

/// The last `threads` threads of a block have vectors.
static Places getPlaces(Instructions &code, Operation *op, int64_t at,
                        int64_t threads) {
  Value all = NVVM::BlockDimXOp::create(code.builder, code.loc,
                                        code.builder.getI32Type());
  Value number = code.add(
      arith::SubIOp::create(code.builder, code.loc, code.thread(), all),
      threads);
  return {code.add(code.add(getDynamicShared(code, op), at),
                   code.mul(number, kVectorBytes)),
          threads * kVectorBytes};
}

namespace {
// Pattern: block.meet -> barrier.cluster.arrive, barrier.cluster.wait
struct MeetPattern : OpConversionPattern<MeetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MeetOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), UnitAttr());
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, UnitAttr());
    return success();
  }
};

// Pattern: block.put_sums -> llvm.store of each four values to shared memory
struct PutSumsPattern : OpConversionPattern<PutSumsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PutSumsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Places places = getPlaces(code, op, op.getAt(), op.getThreads());
    int64_t count = op.getSums().getType().getNumElements() / kVector;
    for (int64_t vector = 0; vector < count; ++vector) {
      SmallVector<int64_t> taken = llvm::to_vector(
          llvm::seq<int64_t>(vector * kVector, (vector + 1) * kVector));
      Value four = LLVM::ShuffleVectorOp::create(
          rewriter, code.loc, adaptor.getSums(), adaptor.getSums(),
          llvm::map_to_vector(taken,
                              [](int64_t lane) { return int32_t(lane); }));
      LLVM::StoreOp::create(
          rewriter, code.loc, four,
          code.pointer(code.add(places.first, vector * places.step)),
          kVectorBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.take_sums -> nvvm.mapa of each block, llvm.load of each four
// values, llvm.fadd
struct TakeSumsPattern : OpConversionPattern<TakeSumsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TakeSumsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Location loc = code.loc;
    Places places = getPlaces(code, op, op.getAt(), op.getThreads());
    int64_t count = op.getSums().getType().getNumElements() / kVector;
    Value rank =
        NVVM::BlockInClusterIdXOp::create(rewriter, loc, rewriter.getI32Type());
    Value own = code.add(places.first, code.mul(rank, count * places.step));
    SmallVector<Value> sums(count);
    for (int64_t block = 0; block < int64_t(op.getBlocks()); ++block) {
      Value there = mapTo(code, own, block);
      for (int64_t vector = 0; vector < count; ++vector) {
        Value four = LLVM::LoadOp::create(
            rewriter, loc, getVectorType(rewriter),
            offset(code, there, vector * places.step), kVectorBytes);
        sums[vector] =
            block == 0 ? four
                       : LLVM::FAddOp::create(rewriter, loc, sums[vector], four)
                             .getResult();
      }
    }
    rewriter.replaceOp(op, concatenate(code, sums, op.getSums().getType()));
    return success();
  }

private:
  /// `address` of this block's shared memory in block number `block`.
  static Value mapTo(Instructions &code, Value address, int64_t block) {
    auto type = LLVM::LLVMPointerType::get(
        code.builder.getContext(),
        unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    return NVVM::MapaOp::create(code.builder, code.loc, type,
                                code.pointer(address), code.constant(block));
  }
  static Value offset(Instructions &code, Value pointer, int64_t bytes) {
    return LLVM::GEPOp::create(code.builder, code.loc, pointer.getType(),
                               code.builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  static Value concatenate(Instructions &code, ArrayRef<Value> fours,
                           VectorType type) {
    OpBuilder &b = code.builder;
    Value all = LLVM::PoisonOp::create(b, code.loc, type);
    for (int64_t value = 0; value < type.getNumElements(); ++value) {
      Value one = LLVM::ExtractElementOp::create(
          b, code.loc, fours[value / kVector], code.constant(value % kVector));
      all = LLVM::InsertElementOp::create(b, code.loc, all, one,
                                          code.constant(value));
    }
    return all;
  }
};
} // namespace

void tc::block::populateSumPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<MeetPattern, PutSumsPattern, TakeSumsPattern>(
      converter, patterns.getContext());
}
