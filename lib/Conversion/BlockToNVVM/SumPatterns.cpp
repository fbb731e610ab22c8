//===- SumPatterns.cpp - Sums that blocks of a cluster share --------------===//

#include "DynamicShared.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

namespace {
/// Where vector 0 of the thread is (i32), and how far on the next ones are.
struct Places {
  Value first;
  int64_t step;
};
} // namespace

/// The last `threads` threads of a block have vectors.
static Places getPlaces(Instructions &code, Operation *op, int64_t at,
                        int64_t threads) {
  Value all = NVVM::BlockDimXOp::create(code.builder, code.loc,
                                        code.builder.getI32Type());
  Value number = code.add(
      arith::SubIOp::create(code.builder, code.loc, code.thread(), all),
      threads);
  return {code.add(code.add(getDynamicShared(code, op), at),
                   code.mul(number, kSumVectorBytes)),
          threads * kSumVectorBytes};
}

/// `address` of this block's shared memory in block number `block`.
static Value mapTo(Instructions &code, Value address, int64_t block) {
  auto type = LLVM::LLVMPointerType::get(
      code.builder.getContext(),
      unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(code.builder, code.loc, type,
                              code.pointer(address), code.constant(block));
}

/// The four values of type `element` `bytes` behind `pointer`.
static Value load(Instructions &code, Type element, Value pointer,
                  int64_t bytes) {
  Value place = LLVM::GEPOp::create(code.builder, code.loc, pointer.getType(),
                                    code.builder.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  return LLVM::LoadOp::create(code.builder, code.loc,
                              VectorType::get({kSumVector}, element), place,
                              kSumVectorBytes);
}

static Value add(Instructions &code, Value x, Value y) {
  return isa<FloatType>(getElementTypeOrSelf(x.getType()))
             ? LLVM::FAddOp::create(code.builder, code.loc, x, y).getResult()
             : LLVM::AddOp::create(code.builder, code.loc, x, y).getResult();
}

/// The elements of `vectors` of four as one of `type`.
static Value join(Instructions &code, ArrayRef<Value> vectors,
                  VectorType type) {
  SmallVector<Value> values;
  for (Value four : vectors)
    for (int64_t lane = 0; lane < kSumVector; ++lane)
      values.push_back(LLVM::ExtractElementOp::create(
          code.builder, code.loc, four, code.constant(lane)));
  return vector::FromElementsOp::create(code.builder, code.loc, type, values);
}

namespace {
// Pattern: block.put_sums -> llvm.store of each four values to shared memory
struct PutSumsPattern : OpConversionPattern<PutSumsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PutSumsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Places places = getPlaces(code, op, op.getAt(), op.getThreads());
    int64_t count = op.getSums().getType().getNumElements() / kSumVector;
    for (int64_t vector = 0; vector < count; ++vector) {
      const auto first = int32_t(vector * kSumVector);
      Value four = LLVM::ShuffleVectorOp::create(
          rewriter, code.loc, adaptor.getSums(), adaptor.getSums(),
          llvm::to_vector(
              llvm::seq<int32_t>(first, first + int32_t(kSumVector))));
      LLVM::StoreOp::create(
          rewriter, code.loc, four,
          code.pointer(code.add(places.first, vector * places.step)),
          kSumVectorBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.take_sums -> nvvm.mapa of each block, llvm.load of each four
// values, llvm.fadd or llvm.add
struct TakeSumsPattern : OpConversionPattern<TakeSumsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TakeSumsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Type element = op.getSums().getType().getElementType();
    Places places = getPlaces(code, op, op.getAt(), op.getThreads());
    int64_t count = op.getSums().getType().getNumElements() / kSumVector;
    Value own = code.add(places.first,
                         code.mul(code.clusterRank(), count * places.step));
    SmallVector<Value> sums(count);
    for (int64_t block = 0; block < int64_t(op.getBlocks()); ++block) {
      Value there = mapTo(code, own, block);
      for (int64_t vector = 0; vector < count; ++vector) {
        Value four = load(code, element, there, vector * places.step);
        sums[vector] = block == 0 ? four : add(code, sums[vector], four);
      }
    }
    rewriter.replaceOp(op, join(code, sums, op.getSums().getType()));
    return success();
  }
};

// Pattern: block.peer_sums -> nvvm.mapa, llvm.load of each four values
struct PeerSumsPattern : OpConversionPattern<PeerSumsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PeerSumsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Places places = getPlaces(code, op, op.getAt(), op.getThreads());
    int64_t count = op.getSums().getType().getNumElements() / kSumVector;
    Value there = mapTo(code, places.first, int64_t(op.getBlock()));
    SmallVector<Value> vectors;
    for (int64_t vector = 0; vector < count; ++vector)
      vectors.push_back(load(code, op.getSums().getType().getElementType(),
                             there, vector * places.step));
    rewriter.replaceOp(op, join(code, vectors, op.getSums().getType()));
    return success();
  }
};
} // namespace

void tc::block::populateSumPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<PutSumsPattern, TakeSumsPattern, PeerSumsPattern>(
      converter, patterns.getContext());
}
