//===- PipelinePatterns.cpp - Stages in shared memory and their barriers --===//

#include "DynamicShared.h"
#include "TC/Dialect/TC/IR/Warp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc::block;

/// For which a thread may be suspended at a barrier, in nanoseconds.
static constexpr int64_t kWait = 10'000'000;

/// Bytes of a word in a stage.
static constexpr int64_t kWordBytes = 4;

static Value getBarrier(Instructions &code, Value pipeline, int64_t offset,
                        Value index) {
  return code.pointer(getBarrierAddress(code, pipeline, offset, index));
}

static void emitWait(Instructions &code, Value barrier, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(code.builder, code.loc, barrier, parity,
                                        code.constant(kWait));
}

/// Waits for the phase before that of `slot`; of a barrier that is in its first
/// one there is no wait.
static void emitWaitEmpty(Instructions &code, PipelineType type, Value base,
                          ValueRange slot) {
  Value before =
      arith::XOrIOp::create(code.builder, code.loc, slot[1], code.constant(1));
  emitWait(code, getBarrier(code, base, type.getEmptyOffset(), slot[0]),
           before);
}

/// Waits until the stage of `slot` is full.
static void emitWaitFull(Instructions &code, PipelineType type, Value base,
                         ValueRange slot) {
  emitWait(code, getBarrier(code, base, type.getFullOffset(), slot[0]),
           slot[1]);
}

namespace {
// Pattern: block.warp -> the thread's number / 32, of a warp's first thread
struct WarpPattern : OpConversionPattern<WarpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kLastLane = tc::kWarpThreads - 1, kLaneBits = 5;
    Instructions code{rewriter, op.getLoc()};
    Value warp = arith::ShRUIOp::create(rewriter, code.loc, code.thread(),
                                        code.constant(kLaneBits));
    rewriter.replaceOpWithNewOp<NVVM::ShflOp>(
        op, rewriter.getI32Type(), code.constant(tc::kAllLanes), warp,
        code.constant(0), code.constant(kLastLane), NVVM::ShflKind::idx,
        UnitAttr());
    return success();
  }
};

// Pattern: block.role -> nvvm.setmaxregister
struct RolePattern : OpConversionPattern<RoleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RoleOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::SetMaxRegisterOp>(
        op, uint32_t(op.getRegisters()),
        op.getMore() ? NVVM::SetMaxRegisterAction::increase
                     : NVVM::SetMaxRegisterAction::decrease);
    return success();
  }
};

/// Whether another pipeline is made right behind `op`, of as many blocks.
static bool isFollowedByPipeline(PipelineOp op) {
  Operation *next = op->getNextNode();
  while (next && isPure(next))
    next = next->getNextNode();
  auto other = dyn_cast_or_null<PipelineOp>(next);
  return other && other.getType().getCluster() == op.getType().getCluster();
}

// Pattern: block.pipeline -> nvvm.mbarrier.init by one thread, published to the
// copy engine and, with a barrier, to all threads; those made one after the
// other are published together
struct PipelinePattern : OpConversionPattern<PipelineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PipelineOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getType();
    const bool isFollowed = isFollowedByPipeline(op);
    Value base = code.add(getDynamicShared(code, op), int64_t(op.getOffset()));
    auto first =
        scf::IfOp::create(rewriter, code.loc, code.equal(code.thread(), 0),
                          /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(first.thenBlock()->getTerminator());
      auto init = [&](int64_t offset, int64_t arrivals) {
        for (int64_t stage = 0; stage < type.getStages(); ++stage)
          NVVM::MBarrierInitOp::create(
              rewriter, code.loc,
              getBarrier(code, base, offset, code.constant(stage)),
              code.constant(arrivals), /*predicate=*/Value());
      };
      init(type.getFullOffset(), int64_t(op.getProducers()));
      init(type.getEmptyOffset(),
           int64_t(op.getConsumers()) * type.getCluster());
      if (!isFollowed)
        NVVM::FenceMbarrierInitOp::create(rewriter, code.loc);
    }
    if (!isFollowed)
      publish(code, type);
    rewriter.replaceOp(op, base);
    return success();
  }

private:
  static void publish(Instructions &code, PipelineType type) {
    if (type.getCluster() > 1)
      code.meetInCluster();
    else
      NVVM::BarrierOp::create(code.builder, code.loc);
  }
};

// Pattern: block.first_slot -> 0, 0
struct FirstSlotPattern : OpConversionPattern<FirstSlotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FirstSlotOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value zero = code.constant(0);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{zero, zero}});
    return success();
  }
};

// Pattern: block.next_slot -> the next number, or 0 and the other parity; of a
// ring of one stage 0 for certain
struct NextSlotPattern : OpConversionPattern<NextSlotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NextSlotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    if (op.getPipeline().getType().getStages() == 1) {
      Value parity = arith::XOrIOp::create(
          rewriter, code.loc, adaptor.getSlot()[1], code.constant(1));
      rewriter.replaceOpWithMultiple(
          op, {SmallVector<Value>{code.constant(0), parity}});
      return success();
    }
    Value next = code.add(adaptor.getSlot()[0], 1);
    Value wraps = code.equal(next, op.getPipeline().getType().getStages());
    Value index = arith::SelectOp::create(rewriter, code.loc, wraps,
                                          code.constant(0), next);
    Value change = arith::ExtUIOp::create(rewriter, code.loc,
                                          rewriter.getI32Type(), wraps);
    Value parity =
        arith::XOrIOp::create(rewriter, code.loc, adaptor.getSlot()[1], change);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{index, parity}});
    return success();
  }
};

// Pattern: block.acquire -> a wait for the phase before, of a barrier that is
// in its first one no wait, and nvvm.mbarrier.arrive.expect_tx
struct AcquirePattern : OpConversionPattern<AcquireOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getPipeline().getType();
    Value base = adaptor.getPipeline()[0], index = adaptor.getSlot()[0];
    emitWaitEmpty(code, type, base, adaptor.getSlot());
    NVVM::MBarrierArriveExpectTxOp::create(
        rewriter, code.loc, /*res=*/Type(),
        getBarrier(code, base, type.getFullOffset(), index),
        code.constant(int64_t(op.getBytes().value_or(type.getBytes()))),
        NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.copy_in -> nvvm.cp.async.bulk.tensor.shared.cluster.global,
// which arrives at the same place and barrier in each block that it is for
struct CopyInPattern : OpConversionPattern<CopyInOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyInOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getPipeline().getType();
    Value base = adaptor.getPipeline()[0], index = adaptor.getSlot()[0];
    Value to =
        code.add(getStage(code, type, base, index), int64_t(op.getOffset()));
    const bool isShared = op.getShared() && type.getCluster() > 1;
    Value blocks;
    if (isShared) {
      to = code.add(to, code.mul(code.clusterRank(), int64_t(op.getBytes())));
      blocks = code.constant((1 << type.getCluster()) - 1, /*bits=*/16);
    }
    Value place = code.pointer(to);
    if (isShared)
      place = LLVM::AddrSpaceCastOp::create(
          rewriter, code.loc,
          LLVM::LLVMPointerType::get(
              op.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster)),
          place);
    SmallVector<Value> coordinates(llvm::reverse(op.getCoordinates())), under;
    for (Value distance : llvm::reverse(op.getUnder()))
      under.push_back(arith::TruncIOp::create(rewriter, code.loc,
                                              rewriter.getI16Type(), distance));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        rewriter, code.loc, place, op.getMap(), coordinates,
        getBarrier(code, base, type.getFullOffset(), index),
        /*im2colOffsets=*/under, /*multicastMask=*/blocks,
        /*l2CacheHint=*/Value(),
        under.empty() ? NVVM::TMALoadMode::TILE : NVVM::TMALoadMode::IM2COL,
        /*isCTAOnly=*/!isShared, /*group=*/nullptr, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.await_empty -> a wait for the phase before
struct AwaitEmptyPattern : OpConversionPattern<AwaitEmptyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AwaitEmptyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    emitWaitEmpty(code, op.getPipeline().getType(), adaptor.getPipeline()[0],
                  adaptor.getSlot());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.expect -> mbarrier.expect_tx, which does not arrive
struct ExpectPattern : OpConversionPattern<ExpectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExpectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value barrier = getBarrierAddress(
        code, adaptor.getPipeline()[0],
        op.getPipeline().getType().getFullOffset(), adaptor.getSlot()[0]);
    Value bytes = code.constant(int64_t(op.getBytes()));
    NVVM::InlinePtxOp::create(
        rewriter, code.loc, TypeRange(), ValueRange{barrier, bytes},
        ValueRange(),
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{$r0}], {$r1};",
        Value());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.store_in -> llvm.store of 16 bytes, to the unit that the
// swizzle makes of it
struct StoreInPattern : OpConversionPattern<StoreInOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreInOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kUnitBytes = 16;
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          unit = getUnitPlace(code, adaptor.getRow()[0], adaptor.getUnit()[0]),
          address = code.add(code.add(stage, int64_t(op.getOffset())), unit);
    LLVM::StoreOp::create(rewriter, code.loc, adaptor.getValues()[0],
                          code.pointer(address), kUnitBytes);
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.publish -> a fence to the proxy that tensor cores read shared
// memory through, a barrier of the warp group, and an arrival of its first
// thread
struct PublishPattern : OpConversionPattern<PublishOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PublishOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kBarrier = 1; // 0 is that of all threads
    Instructions code{rewriter, op.getLoc()};
    fenceShared(code);
    NVVM::BarrierOp::create(
        rewriter, code.loc, /*res=*/Type(), code.constant(kBarrier),
        code.constant(kGroupThreads), NVVM::BarrierReductionAttr(), Value());
    Value barrier = getBarrierAddress(
        code, adaptor.getPipeline()[0],
        op.getPipeline().getType().getFullOffset(), adaptor.getSlot()[0]);
    Value group = arith::AndIOp::create(rewriter, code.loc, code.thread(),
                                        code.constant(kGroupThreads - 1));
    emitArrival(code, barrier, code.equal(group, 0));
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.give -> a fence to the proxy that the copy engine reads shared
// memory through, and an arrival of the warp's first thread
struct GivePattern : OpConversionPattern<GiveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GiveOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    fenceShared(code);
    meetInWarp(code);
    emitArrival(code,
                getBarrierAddress(code, adaptor.getPipeline()[0],
                                  op.getPipeline().getType().getFullOffset(),
                                  adaptor.getSlot()[0]),
                code.equal(code.lane(), 0));
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.put_words -> a wait for the phase before, llvm.store and an
// arrival, which makes it seen
struct PutWordsPattern : OpConversionPattern<PutWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PutWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getPipeline().getType();
    Value base = adaptor.getPipeline()[0], index = adaptor.getSlot()[0];
    emitWaitEmpty(code, type, base, adaptor.getSlot());
    Value stage = getStage(code, type, base, index);
    for (auto [number, value] : llvm::enumerate(op.getValues()))
      LLVM::StoreOp::create(
          rewriter, code.loc, value,
          code.pointer(code.add(stage, int64_t(number) * kWordBytes)),
          kWordBytes, /*isVolatile=*/true);
    emitArrival(code,
                getBarrierAddress(code, base, type.getFullOffset(), index));
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.take_words -> nvvm.mbarrier.try_wait.parity, llvm.load
struct TakeWordsPattern : OpConversionPattern<TakeWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TakeWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getPipeline().getType();
    Value base = adaptor.getPipeline()[0], index = adaptor.getSlot()[0];
    emitWaitFull(code, type, base, adaptor.getSlot());
    Value stage = getStage(code, type, base, index);
    SmallVector<Value> values;
    for (size_t number = 0; number < op.getValues().size(); ++number)
      values.push_back(LLVM::LoadOp::create(
          rewriter, code.loc, rewriter.getI32Type(),
          code.pointer(code.add(stage, int64_t(number) * kWordBytes)),
          kWordBytes, /*isVolatile=*/true));
    rewriter.replaceOp(op, values);
    return success();
  }
};

// Pattern: block.wait_full -> nvvm.mbarrier.try_wait.parity
struct WaitFullPattern : OpConversionPattern<WaitFullOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitFullOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    emitWaitFull(code, op.getPipeline().getType(), adaptor.getPipeline()[0],
                 adaptor.getSlot());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.release -> mbarrier.arrive of a warp's first thread, in a
// cluster of one thread for each block, by a predicate: a branch would
// serialise the products that are in flight
struct ReleasePattern : OpConversionPattern<ReleaseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReleaseOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    PipelineType type = op.getPipeline().getType();
    Value barrier =
        getBarrierAddress(code, adaptor.getPipeline()[0], type.getEmptyOffset(),
                          adaptor.getSlot()[0]);
    Value arrives = code.equal(code.lane(), 0);
    StringRef text = "mbarrier.arrive.shared::cta.b64 _, [{$r0}];";
    if (type.getCluster() > 1) {
      // Nothing was written that the arrival would have to publish, so it needs
      // no release at the scope of the cluster.
      text = "mbarrier.arrive.shared::cluster.b64 _, [{$r0}];";
      Value block = arith::AndIOp::create(rewriter, code.loc, code.lane(),
                                          code.constant(type.getCluster() - 1));
      barrier = NVVM::InlinePtxOp::create(
                    rewriter, code.loc, rewriter.getI32Type(),
                    ValueRange{barrier, block}, ValueRange(),
                    "mapa.shared::cluster.u32 {$w0}, {$r0}, {$r1};", Value())
                    .getResult(0);
      arrives =
          arith::CmpIOp::create(rewriter, code.loc, arith::CmpIPredicate::ult,
                                code.lane(), code.constant(type.getCluster()));
    }
    NVVM::InlinePtxOp::create(rewriter, code.loc, TypeRange(),
                              ValueRange{barrier}, ValueRange(), text, arrives);
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.leave -> nvvm.cluster.arrive and nvvm.cluster.wait
struct LeavePattern : OpConversionPattern<LeaveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LeaveOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    if (op.getPipeline().getType().getCluster() > 1)
      code.meetInCluster();
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.meet -> nvvm.cluster.arrive and nvvm.cluster.wait
struct MeetPattern : OpConversionPattern<MeetOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MeetOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions{rewriter, op.getLoc()}.meetInCluster();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tc::block::populatePipelinePatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<WarpPattern, RolePattern, PipelinePattern, FirstSlotPattern,
               NextSlotPattern, AcquirePattern, CopyInPattern,
               AwaitEmptyPattern, ExpectPattern, StoreInPattern, PublishPattern,
               GivePattern, PutWordsPattern, TakeWordsPattern, WaitFullPattern,
               ReleasePattern, LeavePattern, MeetPattern>(
      converter, patterns.getContext());
}
