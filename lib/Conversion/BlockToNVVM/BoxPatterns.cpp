//===- BoxPatterns.cpp - What threads read and store of stages ------------===//

#include "Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

/// Bytes of an f32 and of the units that a swizzle permutes, and columns that a
/// thread has a pair of.
static constexpr int64_t kFloatBytes = 4, kUnitBytes = 16, kUnitColumns = 8;

namespace {
// Pattern: block.load_in -> an aligned load of a vector
struct LoadInPattern : OpConversionPattern<LoadInOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadInOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kBytes = 4; // of an element
    Instructions code{rewriter, op.getLoc()};
    VectorType type = op.getValues().getType();
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          address = code.add(code.add(stage, int64_t(op.getOffset())),
                             code.mul(adaptor.getIndex()[0], kBytes));
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, type, code.pointer(address),
        unsigned(kBytes * type.getNumElements()));
    return success();
  }
};

// Pattern: block.store_words -> nvvm.stmatrix of each 16 columns
struct StoreWordsPattern : OpConversionPattern<StoreWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]);
    SmallVector<Value> words;
    for (ValueRange word : adaptor.getWords())
      words.push_back(word[0]);
    constexpr int64_t kLastLane = 31;
    Value lane = arith::AndIOp::create(rewriter, code.loc, code.threadAnew(),
                                       code.constant(kLastLane));
    storeWords(code, words, code.add(stage, adaptor.getPlace()[0]), lane);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Where the values of a thread are in boxes of 32 f32 of a row: those of its
/// two rows, 8 apart, and of the two of each 8 columns.
class ValuePlaces {
public:
  ValuePlaces(Instructions &code, StoreValuesOp op, Value stage, Value first);
  /// The address of value `odd` of a pair, in row `half`, of 8 columns from
  /// `column` on.
  Value get(int64_t half, int64_t odd, int64_t column);

private:
  Value permute(Value unit, Value row) {
    return code.mul(arith::XOrIOp::create(code.builder, code.loc, unit, row),
                    kUnitBytes);
  }

  static constexpr int64_t kLanes = 32, kUnitLanes = 4, kRows = 8;
  Instructions &code;
  StoreValuesOp op;
  Value stage, quad, row;
};
} // namespace

ValuePlaces::ValuePlaces(Instructions &code, StoreValuesOp op, Value stage,
                         Value first)
    : code(code), op(op), stage(stage) {
  constexpr int64_t kQuadMask = 3, kQuadShift = 2, kWarpShift = 5,
                    kWarpMask = 3, kWarpRows = 16;
  Value thread = code.threadAnew(), lane = code.mask(thread, kLanes - 1);
  quad = code.mask(lane, kQuadMask);
  Value warp = code.mask(code.shiftRight(thread, kWarpShift), kWarpMask);
  row = code.add(code.add(first, code.mul(warp, kWarpRows)),
                 code.shiftRight(lane, kQuadShift));
}

Value ValuePlaces::get(int64_t half, int64_t odd, int64_t column) {
  constexpr int64_t kLaneShift = 5, kUnitShift = 2;
  const int64_t boxBytes = int64_t(op.getRows()) * kBoxRowBytes;
  Value own = code.add(row, half * kRows),
        pair = code.add(code.add(quad, quad), odd);
  if (op.getAcross()) {
    // The row of the accumulator is a lane, its columns are rows.
    Value box = code.shiftRight(own, kLaneShift),
          lane = code.mask(own, kLanes - 1);
    Value place =
        code.add(code.mul(box, boxBytes), code.mul(pair, kBoxRowBytes));
    place = code.add(place, permute(code.shiftRight(lane, kUnitShift), pair));
    place =
        code.add(place, code.mul(code.mask(lane, kUnitLanes - 1), kFloatBytes));
    return code.add(code.add(stage, place), column * kBoxRowBytes);
  }
  const int64_t box = column / kLanes, unit = column % kLanes / kUnitLanes;
  Value ownUnit = code.add(code.shiftRight(pair, kUnitShift), unit);
  Value place = code.add(code.mul(own, kBoxRowBytes),
                         permute(ownUnit, code.mask(own, kRows - 1)));
  place =
      code.add(place, code.mul(code.mask(pair, kUnitLanes - 1), kFloatBytes));
  return code.add(code.add(stage, place), box * boxBytes);
}

namespace {
// Pattern: block.store_values -> llvm.store of each value, or of each pair
// where these are neighbours
struct StoreValuesPattern : OpConversionPattern<StoreValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreValuesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kPair = 2, kHalves = 2;
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          values = adaptor.getValues()[0];
    ValuePlaces places(code, op, stage, adaptor.getFirst()[0]);
    const int64_t count = op.getValues().getType().getNumElements();
    for (int64_t index = 0; index < count; index += kPair) {
      const int64_t half = index / kPair % kHalves,
                    column = index / (kPair * kHalves) * kUnitColumns;
      Value pair[kPair];
      for (int64_t odd = 0; odd < kPair; ++odd) {
        pair[odd] =
            vector::ExtractOp::create(rewriter, code.loc, values, index + odd);
        if (op.getAcross())
          LLVM::StoreOp::create(rewriter, code.loc, pair[odd],
                                code.pointer(places.get(half, odd, column)),
                                kFloatBytes);
      }
      if (op.getAcross())
        continue;
      Value both = vector::FromElementsOp::create(
          rewriter, code.loc, VectorType::get({kPair}, rewriter.getF32Type()),
          ArrayRef(pair));
      LLVM::StoreOp::create(rewriter, code.loc, both,
                            code.pointer(places.get(half, 0, column)),
                            kPair * kFloatBytes);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.meet_groups -> a fence to the proxy that tensor cores read
// shared memory through, and a barrier of the warp groups
struct MeetGroupsPattern : OpConversionPattern<MeetGroupsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MeetGroupsOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kBarrier = 2; // 0 and 1 are of all threads and of publish
    Instructions code{rewriter, op.getLoc()};
    fenceShared(code);
    NVVM::BarrierOp::create(
        rewriter, code.loc, /*res=*/Type(), code.constant(kBarrier),
        code.constant(int64_t(op.getGroups()) * kGroupThreads),
        NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.box_out -> nvvm.cp.async.bulk.tensor.global.shared.cta, or
// nvvm.cp.async.bulk.tensor.reduce, and the end of their group
struct BoxOutPattern : OpConversionPattern<BoxOutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BoxOutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          place = code.pointer(code.add(stage, int64_t(op.getOffset()))),
          map = adaptor.getMap()[0];
    SmallVector<Value> coordinates;
    for (ValueRange coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(coordinate[0]);
    if (op.getAdd())
      NVVM::CpAsyncBulkTensorReduceOp::create(
          rewriter, code.loc, map, place, NVVM::TMAReduxKind::ADD,
          NVVM::TMAStoreMode::TILE, coordinates, /*l2CacheHint=*/Value());
    else
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          rewriter, code.loc, map, place, coordinates,
          /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
    NVVM::CpAsyncBulkCommitGroupOp::create(rewriter, code.loc);
    rewriter.eraseOp(op);
    return success();
  }
};

/// What the copy engine has written is seen by loads of other threads, and what
/// these have seen by the copy engine.
static void fenceGlobal(Instructions &code) {
  NVVM::InlinePtxOp::create(code.builder, code.loc, TypeRange(), ValueRange(),
                            ValueRange(), "fence.proxy.async.global;", Value());
}

// Pattern: block.await_turn -> a loop of ld.acquire.gpu, as text
struct AwaitTurnPattern : OpConversionPattern<AwaitTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AwaitTurnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    LLVM::InlineAsmOp::create(
        rewriter, code.loc, TypeRange(),
        ValueRange{adaptor.getCounter(), adaptor.getTurn()},
        "{ .reg .pred p; .reg .b32 n; await_${:uid}: "
        "ld.acquire.gpu.b32 n, [$0]; setp.ne.b32 p, n, $1; "
        "@p bra await_${:uid}; }",
        "l,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    fenceGlobal(code);
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.end_turn -> atom.inc.release.gpu, as text
struct EndTurnPattern : OpConversionPattern<EndTurnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EndTurnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    fenceGlobal(code);
    LLVM::InlineAsmOp::create(
        rewriter, code.loc, TypeRange(),
        ValueRange{adaptor.getCounter(), adaptor.getLast()},
        "red.release.gpu.inc.u32 [$0], $1;", "l,r,~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tc::block::populateBoxPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns
      .add<LoadInPattern, StoreWordsPattern, StoreValuesPattern,
           MeetGroupsPattern, BoxOutPattern, AwaitTurnPattern, EndTurnPattern>(
          converter, patterns.getContext());
}
