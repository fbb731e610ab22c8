//===- AttentionConsumer.cpp - Products and softmax of attention ----------===//
//
// Scores of a block of keys are multiplied while the weights of the block
// before are, so that tensor cores have work while threads compute exponentials
// (FlashAttention-3: Shah et al., 2024). Blocks of keys are walked from the
// last one down: with causal attention only the first then has keys that do not
// count.
//
//===----------------------------------------------------------------------===//

#include "AttentionConsumer.h"
#include "AlignedVersion.h"
#include "AttentionProducts.h"
#include "AttentionResults.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Scores that are computed while the weights before them are multiplied.
struct Step {
  AttentionScores *scores;
  KeyPart part;
  bool masked;
  const RowStates *before; ///< null for the first keys of a tile
  /// The bytes from the begin of a box to the values of the weights before.
  int64_t valueOffset = 0;
  bool releasesKeys = true, releasesValues = true;
};

class Consumer : public AttentionProducts {
public:
  Consumer(AttentionTiles &tiles, Value queries, Value keys, Value values,
           bool areAligned, Scope &scope);
  void emit();

private:
  KeyProgress begin(const BlockWeights &weights, Value keySlot,
                    Value valueSlot);
  KeyProgress emitFirst(Value keySlot, Value valueSlot);
  BlockWeights multiplyBoth(const KeyProgress &progress, const Step &step,
                            SmallVector<Value> &results);
  KeyProgress emitStep(const KeyProgress &progress, Value blockNumber,
                       bool masked);
  KeyProgress emitSteps(const KeyProgress &progress, Value from, Value to,
                        bool masked);
  Value getTop() {
    return words.sub(tiles.place.keyBlocks.end, words.constant(1));
  }
  KeyPart getBlock(Value number) {
    const int64_t keys = tiles.schedule.getKeys();
    return {keys, words.mul(number, keys), 0, {}};
  }
  KeyPart getFirstPart();
  KeyProgress emitSecondHalf(const KeyProgress &progress);
  KeyProgress emitStepBehindHalf(const KeyProgress &progress);
  KeyProgress emitOtherBlocks(KeyProgress progress);
  AttentionScores makeScores() {
    return AttentionScores(tiles, words.add(tiles.place.row, rowInTile), column,
                           areAligned, scope);
  }
  void finish(SmallVector<Value> &results, RowStates &states);
  SmallVector<Value> emitTile(ValueRange slots);
  void emitOverlappedTiles();
  SmallVector<Value> emitOverlappedTile(ValueRange carried);
  void share(SmallVector<Value> &results, RowStates &states);

  Value rowInTile; ///< the thread's first one (i32)
  Value column;    ///< the thread's first one of every 8 (i32)
  bool areAligned; ///< what is read for two neighbouring keys
  Scope &scope;
  AttentionScores *scores = nullptr; ///< of the tile
  std::optional<AttentionResults> stored;
};
} // namespace

Consumer::Consumer(AttentionTiles &tiles, Value queries, Value keys,
                   Value values, bool areAligned, Scope &scope)
    : AttentionProducts(tiles, queries, keys, values), areAligned(areAligned),
      scope(scope) {
  constexpr int64_t kPair = 2, kQuad = 4, kWarpRows = 16;
  Value thread = words.narrow(frame.threadNumber),
        lane = words.rem(thread, kWarpThreads),
        warp = words.rem(words.div(thread, kWarpThreads), kGroupWarps);
  rowInTile =
      words.add(words.mul(group, block::kAccumulatorRows),
                words.add(words.mul(warp, kWarpRows), words.div(lane, kQuad)));
  column = words.mul(words.rem(lane, kQuad), kPair);
  stored.emplace(tiles, column, scope);
}

/// What is known behind the first block of keys, but for the results.
KeyProgress Consumer::begin(const BlockWeights &weights, Value keySlot,
                            Value valueSlot) {
  KeyProgress progress;
  progress.weights = scores->pack(weights.weights, element);
  progress.states = weights.states;
  progress.keySlot = keySlot;
  progress.valueSlot = valueSlot;
  return progress;
}

/// What a warp group has of the first block of keys at first: where that is at
/// the diagonal, the half in which some keys do not count for its rows.
KeyPart Consumer::getFirstPart() {
  KeyPart part = getBlock(getTop());
  if (!tiles.hasDiagonal())
    return part;
  part.keys = block::kAccumulatorRows;
  part.first = words.add(part.first, words.mul(group, part.keys));
  part.shift = words.mul(group, part.keys * block::kBoxRowBytes);
  return part;
}

KeyProgress Consumer::emitFirst(Value keySlot, Value valueSlot) {
  block::WaitFullOp::create(b, loc, queries, querySlot);
  block::WaitFullOp::create(b, loc, keys, keySlot);
  KeyPart part = getFirstPart();
  Value products = multiplyQueries(keySlot, part);
  scores->begin(part.first, part.keys, /*masked=*/true);
  SmallVector<Value> sums = read(products, /*earlier=*/0);
  if (!tiles.hasDiagonal()) {
    block::ReleaseOp::create(b, loc, keys, keySlot);
    keySlot = next(keys, keySlot);
  }
  return begin(scores->emit(sums, /*before=*/nullptr), keySlot, valueSlot);
}

/// The weights of the keys of a step and, multiplied while these are computed,
/// the results with the weights before.
BlockWeights Consumer::multiplyBoth(const KeyProgress &progress,
                                    const Step &step,
                                    SmallVector<Value> &results) {
  Value sums = multiplyQueries(progress.keySlot, step.part);
  block::WaitFullOp::create(b, loc, values, progress.valueSlot);
  Value products = multiplyWeights(progress, step.valueOffset);
  step.scores->begin(step.part.first, step.part.keys, step.masked);
  SmallVector<Value> own = read(sums, /*earlier=*/1);
  if (step.releasesKeys)
    block::ReleaseOp::create(b, loc, keys, progress.keySlot);
  BlockWeights weights = step.scores->emit(own, step.before);
  results = read(products, /*earlier=*/0, progress.weights);
  if (step.releasesValues)
    block::ReleaseOp::create(b, loc, values, progress.valueSlot);
  return weights;
}

KeyProgress Consumer::emitStep(const KeyProgress &progress, Value blockNumber,
                               bool masked) {
  block::WaitFullOp::create(b, loc, keys, progress.keySlot);
  SmallVector<Value> results;
  BlockWeights weights = multiplyBoth(
      progress, {scores, getBlock(blockNumber), masked, &progress.states},
      results);
  scaleRows(results, weights.scale);
  KeyProgress after = begin(weights, next(keys, progress.keySlot),
                            next(values, progress.valueSlot));
  after.results = accumulate(join(results));
  return after;
}

/// Of a block at the diagonal, behind the half that `getFirstPart` says: the
/// second warp group has all keys of the first half as well. The weights that
/// are not multiplied yet are of the first half then, in either of them.
KeyProgress Consumer::emitSecondHalf(const KeyProgress &progress) {
  constexpr int64_t kHalf = block::kAccumulatorRows;
  // Slots are those of before.
  auto getValues = [&](Value results, const KeyProgress &of) {
    SmallVector<Value> values = of.getValuesButResults();
    values[0] = results;
    values.erase(values.begin() + 1);
    return values;
  };
  VectorType type = getValuesType(attention.countMultipliedColumns());
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type)),
        isSecond =
            words.compare(arith::CmpIPredicate::ne, group, words.constant(0));
  SmallVector<Value> otherwise = getValues(none, progress);
  auto either =
      scf::IfOp::create(b, loc, ValueRange(otherwise).getTypes(), isSecond,
                        /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.thenBlock());
    KeyProgress own = progress;
    own.results = makeNoResults();
    KeyPart part = getBlock(getTop());
    part.keys = kHalf;
    SmallVector<Value> results;
    BlockWeights weights = multiplyBoth(
        own,
        {scores, part, /*masked=*/false, &own.states,
         /*valueOffset=*/kHalf * block::kBoxRowBytes, /*releasesKeys=*/false,
         /*releasesValues=*/false},
        results);
    scaleRows(results, weights.scale);
    scf::YieldOp::create(
        b, loc,
        getValues(join(results), begin(weights, own.keySlot, own.valueSlot)));
    b.setInsertionPointToStart(either.elseBlock());
    scf::YieldOp::create(b, loc, otherwise);
  }
  block::ReleaseOp::create(b, loc, keys, progress.keySlot);
  SmallVector<Value> values(either.getResults());
  Value results = accumulate(values.front());
  values.front() = progress.valueSlot;
  values.insert(values.begin(), next(keys, progress.keySlot));
  return KeyProgress::getBehind(results, values);
}

/// The step behind a half block, where there is a further block: of a tile that
/// has none, the weights that are not multiplied yet are filled up with zeros.
KeyProgress Consumer::emitStepBehindHalf(const KeyProgress &progress) {
  Value top = getTop(),
        hasMore = words.isLess(tiles.place.keyBlocks.begin, top);
  SmallVector<Value> otherwise = progress.getValues();
  otherwise.append(progress.weights.size(), words.constant(0));
  auto either =
      scf::IfOp::create(b, loc, ValueRange(otherwise).getTypes(), hasMore,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  KeyProgress after = emitStep(progress, words.sub(top, words.constant(1)),
                               /*masked=*/false);
  scf::YieldOp::create(b, loc, after.getValues());
  b.setInsertionPointToStart(either.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return KeyProgress::get(either.getResults());
}

/// The blocks of keys from number `from` - 1 down to `to`.
KeyProgress Consumer::emitSteps(const KeyProgress &progress, Value from,
                                Value to, bool masked) {
  Value one = words.constant(1);
  auto loop = scf::ForOp::create(b, loc, words.constant(0), words.sub(from, to),
                                 one, progress.getValues());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = words.sub(words.sub(from, one), loop.getInductionVar());
  KeyProgress after =
      emitStep(KeyProgress::get(loop.getRegionIterArgs()), number, masked);
  scf::YieldOp::create(b, loc, after.getValues());
  return KeyProgress::get(loop.getResults());
}

/// The blocks of keys behind the first one, but for the weighted values of the
/// last one.
KeyProgress Consumer::emitOtherBlocks(KeyProgress progress) {
  const KeyBlocks &blocks = tiles.place.keyBlocks;
  auto max = [&](Value x, Value y) -> Value {
    return arith::MaxUIOp::create(b, loc, x, y);
  };
  // Number `top` of them is the first; those down to `whole` and those from
  // `rest` on have keys that do not count.
  Value top = getTop(), begin = blocks.begin;
  if (tiles.hasDiagonal()) {
    progress = emitStepBehindHalf(emitSecondHalf(progress));
    // One block more is done, where there is one.
    Value from = words.sub(max(top, words.add(begin, 1)), words.constant(1));
    return emitSteps(progress, from, begin, /*masked=*/false);
  }
  Value whole = words.min(top, max(blocks.wholeEnd, begin)),
        rest = words.min(whole, max(blocks.wholeBegin, begin));
  if (tiles.hasPartsAtEnd())
    progress = emitSteps(progress, top, whole, /*masked=*/true);
  else
    whole = top;
  if (!tiles.hasPartsAtBegin())
    rest = begin;
  progress = emitSteps(progress, whole, rest, /*masked=*/false);
  if (tiles.hasPartsAtBegin())
    progress = emitSteps(progress, rest, begin, /*masked=*/true);
  return progress;
}

/// From the states and results of this block of a cluster those of all, of the
/// block's part of the columns.
void Consumer::share(SmallVector<Value> &results, RowStates &states) {
  const int64_t splits = tiles.schedule.getSplits(),
                threads = tiles.countConsumers() * block::kGroupThreads;
  const TensorCoreAttention::Memory &memory = tiles.memory;
  SmallVector<Value> own;
  for (int64_t half = 0; half < kThreadRows; ++half) {
    auto ifThere = [&](Value value, double otherwise) -> Value {
      return arith::SelectOp::create(b, loc, tiles.place.hasKeys, value,
                                     scores->number(otherwise));
    };
    states.largest[half] =
        ifThere(states.largest[half], -std::numeric_limits<double>::infinity());
    states.sum[half] = ifThere(states.sum[half], 0);
    own.append({states.largest[half], states.sum[half]});
  }
  Value stateOfRows = join(own);
  block::PutSumsOp::create(b, loc, stateOfRows, memory.states, threads);
  block::MeetOp::create(b, loc);
  SmallVector<RowStates> parts(splits);
  for (auto [rank, part] : llvm::enumerate(parts)) {
    Value all = block::PeerSumsOp::create(b, loc, stateOfRows.getType(),
                                          memory.states, threads, rank);
    for (int64_t half = 0; half < kThreadRows; ++half) {
      part.largest[half] = vector::ExtractOp::create(b, loc, all, 2 * half);
      part.sum[half] = vector::ExtractOp::create(b, loc, all, 2 * half + 1);
    }
  }
  Value scale[kThreadRows];
  states = scores->merge(parts, states, scale);
  scaleRows(results, scale);
  block::PutSumsOp::create(b, loc, join(results), memory.sums, threads);
  block::MeetOp::create(b, loc);
  auto type =
      VectorType::get({int64_t(results.size()) / splits}, b.getF32Type());
  Value sums =
      block::TakeSumsOp::create(b, loc, type, memory.sums, threads, splits);
  results = split(sums);
}

/// Stores a tile's results, of the sums of the keys that the thread has.
void Consumer::finish(SmallVector<Value> &results, RowStates &states) {
  for (Value &sum : states.sum)
    sum = scores->addUp(sum);
  if (tiles.isSplit())
    share(results, states);
  stored->emit(results, states, *scores);
}

/// A tile, from and to the slots of queries, keys and values.
SmallVector<Value> Consumer::emitTile(ValueRange slots) {
  AttentionScores own = makeScores();
  scores = &own;
  querySlot = slots[0];
  KeyProgress progress = emitFirst(slots[1], slots[2]);
  progress.results = makeNoResults();
  progress = emitOtherBlocks(progress);
  block::ReleaseOp::create(b, loc, queries, querySlot);
  block::WaitFullOp::create(b, loc, values, progress.valueSlot);
  SmallVector<Value> results = read(multiplyWeights(progress),
                                    /*earlier=*/0, progress.weights);
  block::ReleaseOp::create(b, loc, values, progress.valueSlot);
  finish(results, progress.states);
  return {next(queries, querySlot), progress.keySlot,
          next(values, progress.valueSlot)};
}

/// A tile whose first block of keys has been weighed, from and to the slot of
/// its queries and the progress; the same of the tile that follows. Where none
/// does, what is in shared memory is multiplied and not used, as a branch would
/// serialise the products that are in flight.
SmallVector<Value> Consumer::emitOverlappedTile(ValueRange carried) {
  AttentionScores own = makeScores();
  scores = &own;
  querySlot = carried.front();
  KeyProgress progress = emitOtherBlocks(
      KeyProgress::getBehind(makeNoResults(), carried.drop_front()));
  block::ReleaseOp::create(b, loc, queries, querySlot);
  querySlot = next(queries, querySlot);
  TilePlace place = tiles.place;
  Value follows = tiles.enterNext();
  AttentionScores following = makeScores();
  frame.emitIf(follows, [&] {
    block::WaitFullOp::create(b, loc, queries, querySlot);
    block::WaitFullOp::create(b, loc, keys, progress.keySlot);
  });
  SmallVector<Value> results;
  Step step{&following, getFirstPart(), /*masked=*/true, /*before=*/nullptr};
  step.releasesKeys = false;
  BlockWeights weights = multiplyBoth(progress, step, results);
  Value keySlot = progress.keySlot;
  if (!tiles.hasDiagonal()) {
    // No stage is given back that was not filled.
    frame.emitIf(follows,
                 [&] { block::ReleaseOp::create(b, loc, keys, keySlot); });
    keySlot = next(keys, keySlot);
  }
  KeyProgress after = begin(weights, keySlot, next(values, progress.valueSlot));
  tiles.place = place;
  finish(results, progress.states);
  SmallVector<Value> carriedOn = after.getValuesButResults();
  carriedOn.insert(carriedOn.begin(), querySlot);
  return carriedOn;
}

/// Each tile begins while the one before it ends.
void Consumer::emitOverlappedTiles() {
  tiles.enterFirst();
  AttentionScores first = makeScores();
  scores = &first;
  auto firstSlot = [&]() -> Value {
    return block::FirstSlotOp::create(b, loc);
  };
  querySlot = firstSlot();
  SmallVector<Value> carried =
      emitFirst(firstSlot(), firstSlot()).getValuesButResults();
  carried.insert(carried.begin(), querySlot);
  tiles.emitTiles(/*draws=*/false, carried, [&](ValueRange carried) {
    return emitOverlappedTile(carried);
  });
}

void Consumer::emit() {
  auto firstSlot = [&]() -> Value {
    return block::FirstSlotOp::create(b, loc);
  };
  if (tiles.schedule.getQueryStages() > 1)
    emitOverlappedTiles();
  else
    tiles.emitTiles(/*draws=*/false, {firstSlot(), firstSlot(), firstSlot()},
                    [&](ValueRange slots) { return emitTile(slots); });
  stored->finish();
}

void tc::emitAttentionConsumer(AttentionTiles &tiles, Value queries, Value keys,
                               Value values, Scope &scope) {
  emitVersions(
      tiles.frame, scope,
      emitHasAlignedPairs(tiles.frame, tiles.attention.parts.key), {},
      [&](bool areAligned, Scope &inner) {
        Consumer(tiles, queries, keys, values, areAligned, inner).emit();
        return SmallVector<Value>();
      });
}
