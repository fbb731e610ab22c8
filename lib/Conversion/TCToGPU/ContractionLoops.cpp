//===- ContractionLoops.cpp - Products of tiles ---------------------------===//
//
// Producer and consumers walk the same tiles and, in each, the same steps along
// what is summed over. A stage of the ring holds the two operands' tiles of one
// step.
//
//===----------------------------------------------------------------------===//

#include "ContractionLoops.h"
#include "AlignedVersion.h"
#include "ContractionEpilogue.h"
#include "SharedTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Registers of two warp groups that multiply and one that fills stages, for
/// each thread.
static constexpr int64_t kRegisters = 504, kRegisterUnit = 8;

void tc::emitRole(ContractionTiles &tiles, bool isProducer) {
  if (tiles.countConsumers() == 1 || tiles.schedule.getWarpProducts())
    return;
  int64_t registers = tiles.schedule.getProducerRegisters();
  if (!isProducer)
    registers = llvm::alignDown((kRegisters - registers) / 2, kRegisterUnit);
  block::RoleOp::create(tiles.frame.builder, tiles.frame.loc, registers,
                        /*more=*/!isProducer);
}

namespace {
/// The products of one tile.
class ProductLoop {
public:
  ProductLoop(ContractionTiles &tiles, Value pipeline, Value group)
      : tiles(tiles), b(tiles.frame.builder), loc(tiles.frame.loc),
        pipeline(pipeline) {
    // Rows of a warp group, also where boxes are across, are one after the
    // other.
    rowOffset = tiles.words.mul(group, tiles.schedule.getGroupRows() *
                                           block::kBoxRowBytes);
  }

  /// The thread's sums of `work`, and the slot after the last. The products of
  /// the first `steps` steps, which there are at least, are under way while
  /// what `meanwhile` emits for each of them runs.
  std::pair<Value, Value> emit(
      const TileWork &work, Value slot, int64_t steps = 1,
      llvm::function_ref<void(int64_t)> meanwhile = [](int64_t) {}) {
    Value count = tiles.words.sub(work.end, work.begin);
    if (tiles.schedule.getWarpProducts())
      return emitByWarps(slot, count);
    if (tiles.schedule.getPromotion() > 0)
      return emitPromoted(slot, count, steps, meanwhile);
    Progress progress{slot, makeUndefined(), slot};
    advance(progress, tiles.words.constant(0), count, /*isBegun=*/false,
            [&](Value step) { emitOfStep(step, steps, meanwhile); });
    Value values = finish(progress);
    return {values, progress.slot};
  }

private:
  /// Sums of the tensor cores, null before the first, the slot of the next step
  /// and that of the last one, whose products are under way.
  struct Progress {
    Value slot, sums = {}, before = {};
  };

  /// Begins the products of one step; of the very first one where `hasBefore`
  /// (i1) is given and does not hold.
  void advance(Progress &progress, Value hasBefore = {}) {
    progress.sums = multiply(progress.slot, progress.sums, hasBefore);
    auto release = [&] {
      block::ReleaseOp::create(b, loc, pipeline, progress.before);
    };
    if (progress.before)
      block::MmaWaitEarlierOp::create(b, loc, 1, ValueRange());
    if (hasBefore)
      tiles.frame.emitIf(hasBefore, release);
    else if (progress.before)
      release();
    progress.before = progress.slot;
    progress.slot = block::NextSlotOp::create(b, loc, pipeline, progress.slot);
  }

  /// What `emit` emits for the step that `step` is, of the first `steps`. A
  /// branch keeps the products in one loop: the assembler's time grows with the
  /// instructions that have an accumulator, of up to 128 registers each.
  void emitOfStep(Value step, int64_t steps,
                  llvm::function_ref<void(int64_t)> emit) {
    Words words = tiles.words;
    tiles.frame.emitIf(words.isLess(step, words.constant(steps)), [&] {
      for (int64_t index = 0; index < steps; ++index)
        tiles.frame.emitIf(words.compare(arith::CmpIPredicate::eq, step,
                                         words.constant(index)),
                           [&] { emit(index); });
    });
  }

  /// Those of steps `begin` to `end`, behind at least one where the sums are
  /// begun, with what `meanwhile` emits after the products of each.
  void advance(
      Progress &progress, Value begin, Value end, bool isBegun = true,
      llvm::function_ref<void(Value)> meanwhile = [](Value) {}) {
    auto loop = scf::ForOp::create(
        b, loc, begin, end, tiles.words.constant(1),
        ValueRange{progress.slot, progress.sums, progress.before});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto carried = loop.getRegionIterArgs();
    Progress inner{carried[0], carried[1], carried[2]};
    Value step = loop.getInductionVar();
    advance(inner, isBegun ? Value()
                           : tiles.words.compare(arith::CmpIPredicate::ne, step,
                                                 begin));
    meanwhile(step);
    scf::YieldOp::create(b, loc,
                         ValueRange{inner.slot, inner.sums, inner.before});
    progress = {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
  }

  /// The values of the sums, once all products are done.
  Value finish(Progress &progress) {
    block::AccumulatorType type = accumulatorType();
    Value values = block::MmaWaitOp::create(
        b, loc, VectorType::get({type.getThreadValues()}, type.getElement()),
        progress.sums, /*earlier=*/false, /*kept=*/ValueRange());
    block::ReleaseOp::create(b, loc, pipeline, progress.before);
    return values;
  }

  /// Those of warps; sums of at most `promotion` steps are added to those of
  /// the thread.
  std::pair<Value, Value> emitByWarps(Value slot, Value count) {
    Words words = tiles.words;
    GPUContractionScheduleAttr schedule = tiles.schedule;
    auto type = VectorType::get(
        {schedule.getGroupRows() * schedule.getLanes() / block::kGroupThreads},
        tiles.getSumType());
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    const int64_t promotion = schedule.getPromotion();
    if (promotion == 0)
      return emitStepsOfWarps(words.constant(0), count, zeros, slot);
    auto loop =
        scf::ForOp::create(b, loc, words.constant(0), count,
                           words.constant(promotion), ValueRange{zeros, slot});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value begin = loop.getInductionVar();
    auto [values, next] =
        emitStepsOfWarps(begin, words.min(words.add(begin, promotion), count),
                         zeros, loop.getRegionIterArgs()[1]);
    scf::YieldOp::create(
        b, loc, ValueRange{add(loop.getRegionIterArgs()[0], values), next});
    return {loop.getResult(0), loop.getResult(1)};
  }

  /// Steps `begin` to `end`, whose products are done before a stage is
  /// released.
  std::pair<Value, Value> emitStepsOfWarps(Value begin, Value end, Value zeros,
                                           Value slot) {
    const TensorCoreProduct &product = tiles.product;
    auto loop = scf::ForOp::create(b, loc, begin, end, tiles.words.constant(1),
                                   ValueRange{zeros, slot});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value current = loop.getRegionIterArgs()[1];
    block::WaitFullOp::create(b, loc, pipeline, current);
    Value sums = block::MmaSyncOp::create(
        b, loc, zeros.getType(), pipeline, current,
        tiles.schedule.getGroupRows(), rowOffset, tiles.getLaneOffset(),
        tiles.schedule.getLanes(), product.getStepElements(),
        product.rows.value.getType(), product.rows.isAcross,
        product.lanes.isAcross, /*a_pipeline=*/Value(), /*a_slot=*/Value(),
        loop.getRegionIterArgs()[0]);
    block::ReleaseOp::create(b, loc, pipeline, current);
    Value next = block::NextSlotOp::create(b, loc, pipeline, current);
    scf::YieldOp::create(b, loc, ValueRange{sums, next});
    return {loop.getResult(0), loop.getResult(1)};
  }

  /// Sums of at most `promotion` steps, of each of the first `steps` alone, are
  /// added to those of the thread. Another warp group multiplies meanwhile.
  std::pair<Value, Value>
  emitPromoted(Value slot, Value count, int64_t steps,
               llvm::function_ref<void(int64_t)> meanwhile) {
    Words words = tiles.words;
    const int64_t promotion = tiles.schedule.getPromotion();
    Value all;
    for (int64_t step = 0; step < steps; ++step) {
      Progress progress{slot};
      advance(progress);
      meanwhile(step);
      Value values = finish(progress);
      all = all ? add(all, values) : values;
      slot = progress.slot;
    }
    auto loop =
        scf::ForOp::create(b, loc, words.constant(steps), count,
                           words.constant(promotion), ValueRange{all, slot});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Progress progress{loop.getRegionIterArgs()[1]};
    advance(progress);
    if (promotion > 1)
      advance(progress, words.add(loop.getInductionVar(), 1),
              words.min(words.add(loop.getInductionVar(), promotion), count));
    Value values = finish(progress);
    scf::YieldOp::create(
        b, loc,
        ValueRange{add(loop.getRegionIterArgs()[0], values), progress.slot});
    return {loop.getResult(0), loop.getResult(1)};
  }

  Value add(Value x, Value y) {
    return tiles.getSumType().isF32()
               ? arith::AddFOp::create(b, loc, x, y).getResult()
               : arith::AddIOp::create(b, loc, x, y).getResult();
  }

  block::AccumulatorType accumulatorType() {
    return block::AccumulatorType::get(
        b.getContext(), tiles.schedule.getLanes(), tiles.getSumType());
  }
  /// Sums that no product is added to.
  Value makeUndefined() {
    return ub::PoisonOp::create(b, loc, accumulatorType());
  }
  /// The products of a stage, with `sums` where there are some and, where it is
  /// given, `adds` (i1) holds.
  Value multiply(Value slot, Value sums, Value adds) {
    block::WaitFullOp::create(b, loc, pipeline, slot);
    const TensorCoreProduct &product = tiles.product;
    Type rows = product.rows.value.getType(),
         lanes = product.lanes.value.getType();
    return block::MmaOp::create(
        b, loc, accumulatorType(), pipeline, slot, rowOffset,
        tiles.getLaneOffset(), product.getStepElements(), rows,
        lanes == rows ? TypeAttr() : TypeAttr::get(lanes),
        product.rows.isAcross, product.lanes.isAcross, /*a_pipeline=*/Value(),
        /*a_slot=*/Value(), sums, adds, /*shift=*/Value());
  }

  ContractionTiles &tiles;
  OpBuilder &b;
  Location loc;
  Value pipeline, rowOffset;
};
} // namespace

/// Of the sums of a tile that blocks share, those of all blocks for this one's
/// part of the lanes, where `corner` is then.
static Value emitSharedSums(ContractionTiles &tiles, Value values,
                            TileCorner &corner) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  Words words = tiles.words;
  const int64_t splits = tiles.schedule.getSplits(),
                at = tiles.getStoreOffset(),
                threads = tiles.countConsumers() * block::kGroupThreads;
  auto all = cast<VectorType>(values.getType());
  auto part =
      VectorType::get({all.getNumElements() / splits}, all.getElementType());
  corner.lane =
      words.add(corner.lane,
                words.mul(tiles.getRank(), tiles.schedule.getLanes() / splits));
  block::PutSumsOp::create(b, loc, values, at, threads);
  block::MeetOp::create(b, loc);
  return block::TakeSumsOp::create(b, loc, part, at, threads, splits);
}

/// What `body` gives of the sums of a tile, where the block has its last steps;
/// elsewhere it leaves its sums for the one that has, and gives `none`.
static SmallVector<Value>
emitEnd(ContractionTiles &tiles, const TileWork &work, Value values,
        Scope &scope, ValueRange none,
        llvm::function_ref<SmallVector<Value>(Value sums, Scope &)> body) {
  if (!tiles.sharesTail())
    return body(values, scope);
  return emitVersions(tiles.frame, scope, work.isLast, none.getTypes(),
                      [&](bool isLast, Scope &inner) {
                        if (isLast)
                          return body(emitAllSums(tiles, work, values), inner);
                        emitPostedSums(tiles, values);
                        return SmallVector<Value>(none);
                      });
}

/// Threads store the results of a tile before they go on to the next.
static void emitTilesThenStores(ContractionTiles &tiles, ProductLoop &products,
                                Value group, Scope &scope) {
  tiles.emitTiles(
      block::FirstSlotOp::create(tiles.frame.builder, tiles.frame.loc)
          ->getResults(),
      scope, [&](const TileWork &work, ValueRange carried) {
        auto [values, next] = products.emit(work, carried.front());
        TileCorner corner = work.corner;
        if (tiles.isSplit())
          values = emitSharedSums(tiles, values, corner);
        emitEnd(tiles, work, values, scope, /*none=*/{},
                [&](Value sums, Scope &inner) {
                  emitContractionEpilogue(tiles, corner, group, sums, inner);
                  return SmallVector<Value>();
                });
        return SmallVector<Value>{next};
      });
}

/// The copy engine stores the results of a tile during the first steps of the
/// next one.
static void emitTilesWithStores(ContractionTiles &tiles, ProductLoop &products,
                                Value group, Scope &scope) {
  auto &b = tiles.frame.builder;
  const TensorCoreProduct &product = tiles.product;
  TileStores stores(tiles.frame, product.roles.batches, *product.results,
                    tiles.getResultLanes(), tiles.getStoreOffset(),
                    GPUContractionScheduleAttr::kStoreBytes);
  const int64_t boxes = stores.countBoxes(),
                steps = std::min(boxes, tiles.countKnownSteps());
  const SmallVector<Value> none = stores.getNone();
  SmallVector<Value> first = none;
  first.push_back(block::FirstSlotOp::create(b, tiles.frame.loc));
  SmallVector<Value> last = tiles.emitTiles(
      first, scope, [&](const TileWork &work, ValueRange carried) {
        const TileCorner &corner = work.corner;
        auto before = carried.drop_back();
        auto storeOfStep = [&](int64_t step) {
          for (int64_t box = step * boxes / steps;
               box < (step + 1) * boxes / steps; ++box)
            stores.emit(before, box);
        };
        auto [values, next] =
            products.emit(work, carried.back(), steps, storeOfStep);
        // Threads store what has other rows next to it.
        Value isStored;
        if (product.roles.group) {
          isStored = emitHasWholeRows(tiles, corner, group, scope);
          tiles.frame.emitIf(
              arith::XOrIOp::create(
                  b, tiles.frame.loc, isStored,
                  arith::ConstantIntOp::create(b, tiles.frame.loc, 1, 1)),
              [&, &values = values] {
                emitContractionEpilogue(tiles, corner, group, values, scope);
              });
        }
        SmallVector<Value> results = emitEnd(
            tiles, work, values, scope, none, [&](Value sums, Scope &inner) {
              return stores.getResults(
                  corner,
                  emitContractionResults(tiles, corner, group, sums, inner),
                  isStored);
            });
        results.push_back(next);
        return results;
      });
  for (int64_t box = 0; box < boxes; ++box)
    stores.emit(ValueRange(last).drop_back(), box);
  block::CopyOutWaitOp::create(b, tiles.frame.loc);
}

void tc::emitConsumer(ContractionTiles &tiles, Value pipeline, Scope &scope) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  Words words = tiles.words;
  emitRole(tiles, /*isProducer=*/false);
  Value group = words.sub(words.div(block::WarpOp::create(b, loc), kGroupWarps),
                          words.constant(1));
  ProductLoop products(tiles, pipeline, group);
  if (tiles.schedule.getAsyncStore())
    emitTilesWithStores(tiles, products, group, scope);
  else
    emitTilesThenStores(tiles, products, group, scope);
}
