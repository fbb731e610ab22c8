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
#include "AttentionResults.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// What is known of the blocks of keys so far.
struct Progress {
  /// An accumulator, or values of warps, without the block before.
  Value results;
  SmallVector<Value> weights; ///< words, of the block before
  RowStates states;
  Value keySlot, valueSlot;

  SmallVector<Value> getValues() const {
    SmallVector<Value> values = getValuesButResults();
    values.insert(values.begin(), results);
    return values;
  }
  SmallVector<Value> getValuesButResults() const {
    SmallVector<Value> values = {keySlot, valueSlot};
    for (int64_t half = 0; half < kThreadRows; ++half)
      values.append({states.largest[half], states.sum[half]});
    llvm::append_range(values, weights);
    return values;
  }
  static Progress get(ValueRange values) {
    return getBehind(values.front(), values.drop_front());
  }
  static Progress getBehind(Value results, ValueRange values) {
    Progress progress;
    progress.results = results;
    progress.keySlot = values[0];
    progress.valueSlot = values[1];
    values = values.drop_front(2);
    for (int64_t half = 0; half < kThreadRows; ++half) {
      progress.states.largest[half] = values[2 * half];
      progress.states.sum[half] = values[2 * half + 1];
    }
    progress.weights = llvm::to_vector(values.drop_front(2 * kThreadRows));
    return progress;
  }
};

/// Keys of a block that a warp group has: so many, from a number (i32) on, and
/// where their rows are in the boxes of a stage: `offset` bytes from the begin
/// of a box and, where it is not null, `shift` bytes (i32) behind that.
struct KeyPart {
  int64_t keys;
  Value first;
  int64_t offset;
  Value shift;
};

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

class Consumer {
public:
  Consumer(AttentionTiles &tiles, Value queries, Value keys, Value values,
           bool areAligned, Scope &scope);
  void emit();

private:
  block::AccumulatorType getAccumulator(int64_t columns) {
    return block::AccumulatorType::get(b.getContext(), columns, b.getF32Type());
  }
  /// The type of a thread's values of so many columns.
  VectorType getValuesType(int64_t columns) {
    return VectorType::get({getAccumulator(columns).getThreadValues()},
                           b.getF32Type());
  }
  /// The thread's results as what is added to.
  Value accumulate(Value values) {
    if (tiles.schedule.getWarpProducts())
      return values;
    return block::AccumulatorOp::create(
        b, loc, getAccumulator(attention.countMultipliedColumns()), values);
  }
  /// Values as a vector, and the other way round.
  Value join(ArrayRef<Value> values) {
    auto type = VectorType::get({int64_t(values.size())}, b.getF32Type());
    return vector::FromElementsOp::create(b, loc, type, values);
  }
  SmallVector<Value> split(Value values) {
    SmallVector<Value> elements;
    int64_t count = cast<VectorType>(values.getType()).getNumElements();
    for (int64_t index = 0; index < count; ++index)
      elements.push_back(vector::ExtractOp::create(b, loc, values, index));
    return elements;
  }
  Value multiplyQueries(Value keySlot, const KeyPart &part);
  SmallVector<Value> read(Value accumulator, int64_t earlier,
                          ValueRange kept = {});
  Value next(Value pipeline, Value slot) {
    return block::NextSlotOp::create(b, loc, pipeline, slot);
  }
  Value multiplyWeights(const Progress &progress, int64_t offset = 0);
  Value makeNoResults();
  Progress begin(const BlockWeights &weights, Value keySlot, Value valueSlot);
  Progress emitFirst(Value keySlot, Value valueSlot);
  BlockWeights multiplyBoth(const Progress &progress, const Step &step,
                            SmallVector<Value> &results);
  Progress emitStep(const Progress &progress, Value blockNumber, bool masked);
  Progress emitSteps(const Progress &progress, Value from, Value to,
                     bool masked);
  Value getTop() {
    return words.sub(tiles.place.keyBlocks.end, words.constant(1));
  }
  KeyPart getBlock(Value number) {
    const int64_t keys = tiles.schedule.getKeys();
    return {keys, words.mul(number, keys), 0, {}};
  }
  KeyPart getFirstPart();
  Progress emitSecondHalf(const Progress &progress);
  Progress emitStepBehindHalf(const Progress &progress);
  Progress emitOtherBlocks(Progress progress);
  AttentionScores makeScores() {
    return AttentionScores(tiles, words.add(tiles.place.row, rowInTile), column,
                           areAligned, scope);
  }
  void finish(SmallVector<Value> &results, RowStates &states);
  SmallVector<Value> emitTile(ValueRange slots);
  void emitOverlappedTiles();
  SmallVector<Value> emitOverlappedTile(ValueRange carried);
  void scaleRows(MutableArrayRef<Value> results, const Value *scale);
  void share(SmallVector<Value> &results, RowStates &states);

  AttentionTiles &tiles;
  GPUFrame &frame;
  OpBuilder &b;
  Location loc;
  Words words;
  const TensorCoreAttention &attention;
  Type element;
  Value queries, keys, values;
  Value querySlot, queryOffset;
  Value group;     ///< the number of the warp group of those (i32)
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
    : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
      words(tiles.words), attention(tiles.attention),
      element(tiles.attention.parts.values.getType()), queries(queries),
      keys(keys), values(values), areAligned(areAligned), scope(scope) {
  constexpr int64_t kPair = 2, kQuad = 4, kWarpRows = 16;
  group = words.sub(words.div(block::WarpOp::create(b, loc), kGroupWarps),
                    words.constant(1));
  queryOffset = words.mul(group, block::kAccumulatorRows * block::kBoxRowBytes);
  Value thread = words.narrow(frame.threadNumber),
        lane = words.rem(thread, kWarpThreads),
        warp = words.rem(words.div(thread, kWarpThreads), kGroupWarps);
  rowInTile =
      words.add(words.mul(group, block::kAccumulatorRows),
                words.add(words.mul(warp, kWarpRows), words.div(lane, kQuad)));
  column = words.mul(words.rem(lane, kQuad), kPair);
  stored.emplace(tiles, column, scope);
}

/// The scores of keys in a stage, of which neither is waited for.
Value Consumer::multiplyQueries(Value keySlot, const KeyPart &part) {
  GPUAttentionScheduleAttr schedule = tiles.schedule;
  Value sums;
  for (int64_t box = 0; box < tiles.countDepthBoxes(); ++box) {
    const int64_t depth = llvm::alignTo(
                      std::min(attention.depth - box * block::kBoxElements,
                               block::kBoxElements),
                      block::kInstructionDepth),
                  keyBox = box * schedule.getKeys() * block::kBoxRowBytes +
                           part.offset;
    Value queryBox =
        words.add(queryOffset, box * schedule.getRows() * block::kBoxRowBytes);
    if (schedule.getWarpProducts())
      sums = block::MmaSyncOp::create(
          b, loc, getValuesType(part.keys), keys, keySlot,
          block::kAccumulatorRows, queryBox, keyBox, part.keys, depth, element,
          /*a_across=*/false, /*b_across=*/false, queries, querySlot, sums);
    else
      sums = block::MmaOp::create(b, loc, getAccumulator(part.keys), keys,
                                  keySlot, queryBox, keyBox, depth, element,
                                  /*b_element=*/TypeAttr(), /*a_across=*/false,
                                  /*b_across=*/false, queries, querySlot, sums,
                                  /*adds=*/Value(), part.shift);
  }
  return sums;
}

/// Results with the products of the weights and their values, the first ones of
/// which are `offset` bytes from the begin of a box, not waited for.
Value Consumer::multiplyWeights(const Progress &progress, int64_t offset) {
  constexpr int64_t kWordKeys = 4; // of all threads that have a row
  const int64_t keyCount = tiles.schedule.getKeys();
  const bool isPart = kWordKeys * int64_t(progress.weights.size()) != keyCount;
  if (tiles.schedule.getWarpProducts())
    return block::MmaSyncWordsOp::create(
        b, loc, progress.results.getType(), values, progress.valueSlot, offset,
        element, progress.results, progress.weights);
  return block::MmaWordsOp::create(
      b, loc, getAccumulator(attention.countMultipliedColumns()), values,
      progress.valueSlot, offset, element, progress.results, progress.weights,
      isPart ? b.getI64IntegerAttr(keyCount) : IntegerAttr());
}

SmallVector<Value> Consumer::read(Value accumulator, int64_t earlier,
                                  ValueRange kept) {
  auto type = dyn_cast<block::AccumulatorType>(accumulator.getType());
  if (!type) // the products of warps are done
    return split(accumulator);
  Value all = block::MmaWaitOp::create(
      b, loc, VectorType::get({type.getThreadValues()}, b.getF32Type()),
      accumulator, earlier, kept);
  return split(all);
}

Value Consumer::makeNoResults() {
  VectorType type = getValuesType(attention.countMultipliedColumns());
  return accumulate(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

/// What is known behind the first block of keys, but for the results.
Progress Consumer::begin(const BlockWeights &weights, Value keySlot,
                         Value valueSlot) {
  Progress progress;
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

Progress Consumer::emitFirst(Value keySlot, Value valueSlot) {
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
BlockWeights Consumer::multiplyBoth(const Progress &progress, const Step &step,
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

Progress Consumer::emitStep(const Progress &progress, Value blockNumber,
                            bool masked) {
  block::WaitFullOp::create(b, loc, keys, progress.keySlot);
  SmallVector<Value> results;
  BlockWeights weights = multiplyBoth(
      progress, {scores, getBlock(blockNumber), masked, &progress.states},
      results);
  scaleRows(results, weights.scale);
  Progress after = begin(weights, next(keys, progress.keySlot),
                         next(values, progress.valueSlot));
  after.results = accumulate(join(results));
  return after;
}

/// Of a block at the diagonal, behind the half that `getFirstPart` says: the
/// second warp group has all keys of the first half as well. The weights that
/// are not multiplied yet are of the first half then, in either of them.
Progress Consumer::emitSecondHalf(const Progress &progress) {
  constexpr int64_t kHalf = block::kAccumulatorRows;
  // Slots are those of before.
  auto getValues = [&](Value results, const Progress &of) {
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
    Progress own = progress;
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
  return Progress::getBehind(results, values);
}

/// The step behind a half block, where there is a further block: of a tile that
/// has none, the weights that are not multiplied yet are filled up with zeros.
Progress Consumer::emitStepBehindHalf(const Progress &progress) {
  Value top = getTop(),
        hasMore = words.isLess(tiles.place.keyBlocks.begin, top);
  SmallVector<Value> otherwise = progress.getValues();
  otherwise.append(progress.weights.size(), words.constant(0));
  auto either =
      scf::IfOp::create(b, loc, ValueRange(otherwise).getTypes(), hasMore,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  Progress after = emitStep(progress, words.sub(top, words.constant(1)),
                            /*masked=*/false);
  scf::YieldOp::create(b, loc, after.getValues());
  b.setInsertionPointToStart(either.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return Progress::get(either.getResults());
}

/// The blocks of keys from number `from` - 1 down to `to`.
Progress Consumer::emitSteps(const Progress &progress, Value from, Value to,
                             bool masked) {
  Value one = words.constant(1);
  auto loop = scf::ForOp::create(b, loc, words.constant(0), words.sub(from, to),
                                 one, progress.getValues());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = words.sub(words.sub(from, one), loop.getInductionVar());
  Progress after =
      emitStep(Progress::get(loop.getRegionIterArgs()), number, masked);
  scf::YieldOp::create(b, loc, after.getValues());
  return Progress::get(loop.getResults());
}

/// Multiplies a thread's values of an accumulator by the `scale` of their rows:
/// number 2 h of each 4 and the next are of the thread's row h.
void Consumer::scaleRows(MutableArrayRef<Value> results, const Value *scale) {
  for (auto [index, value] : llvm::enumerate(results))
    value =
        arith::MulFOp::create(b, loc, value, scale[index / 2 % kThreadRows]);
}

/// The blocks of keys behind the first one, but for the weighted values of the
/// last one.
Progress Consumer::emitOtherBlocks(Progress progress) {
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
  Progress progress = emitFirst(slots[1], slots[2]);
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
  Progress progress = emitOtherBlocks(
      Progress::getBehind(makeNoResults(), carried.drop_front()));
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
  step.releasesKeys = !tiles.hasDiagonal();
  BlockWeights weights = multiplyBoth(progress, step, results);
  Value keySlot = progress.keySlot;
  if (step.releasesKeys)
    keySlot = next(keys, keySlot);
  Progress after = begin(weights, keySlot, next(values, progress.valueSlot));
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
