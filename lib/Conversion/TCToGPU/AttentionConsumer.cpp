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
#include "../KernelEmission/KernelWrites.h"
#include "AlignedVersion.h"
#include "AttentionScores.h"
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
  Value multiplyQueries(Value keySlot);
  SmallVector<Value> read(Value accumulator, int64_t earlier,
                          ValueRange kept = {});
  Value next(Value pipeline, Value slot) {
    return block::NextSlotOp::create(b, loc, pipeline, slot);
  }
  Value multiplyWeights(const Progress &progress);
  Value makeNoResults();
  Progress begin(const BlockWeights &weights, Value keySlot, Value valueSlot);
  Progress emitFirst(Value keySlot, Value valueSlot);
  BlockWeights multiplyBoth(const Progress &progress, AttentionScores &of,
                            Value blockNumber, bool masked,
                            const RowStates *before,
                            SmallVector<Value> &results);
  Progress emitStep(const Progress &progress, Value blockNumber, bool masked);
  Progress emitSteps(const Progress &progress, Value from, Value to,
                     bool masked);
  Value getTop() {
    return words.sub(tiles.place.keyBlocks.end, words.constant(1));
  }
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
  void emitResults(ArrayRef<Value> results, const RowStates &states);
  void leaveOut(Scope &point, Value lane, const UnalignedVectors &unaligned);
  void emitWritesOf(ArrayRef<Value> results, const RowStates &states,
                    bool isAligned, SmallVector<Value> *stored, Scope &inner);
  void emitRowWrites(const RowStates &states);
  Value scaleLargest(const RowStates &states, int64_t half) {
    return arith::MulFOp::create(b, loc, states.largest[half],
                                 scores->number(attention.factor));
  }
  void bindRow(Scope &row, int64_t half);

  AttentionTiles &tiles;
  GPUFrame &frame;
  OpBuilder &b;
  Location loc;
  Words words;
  const TensorCoreAttention &attention;
  Type element;
  Value queries, keys, values;
  Value querySlot, queryOffset;
  Value rowInTile; ///< the thread's first one (i32)
  Value column;    ///< the thread's first one of every 8 (i32)
  bool areAligned; ///< what is read for two neighbouring keys
  Scope &scope;
  AttentionScores *scores = nullptr; ///< of the tile
  std::optional<TileStores> stores;
};
} // namespace

Consumer::Consumer(AttentionTiles &tiles, Value queries, Value keys,
                   Value values, bool areAligned, Scope &scope)
    : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
      words(tiles.words), attention(tiles.attention),
      element(tiles.attention.parts.values.getType()), queries(queries),
      keys(keys), values(values), areAligned(areAligned), scope(scope) {
  constexpr int64_t kPair = 2, kQuad = 4, kWarpRows = 16;
  Value group = words.sub(words.div(block::WarpOp::create(b, loc), kGroupWarps),
                          words.constant(1));
  queryOffset = words.mul(group, block::kAccumulatorRows * block::kBoxRowBytes);
  Value thread = words.narrow(frame.threadNumber),
        lane = words.rem(thread, kWarpThreads),
        warp = words.rem(words.div(thread, kWarpThreads), kGroupWarps);
  rowInTile =
      words.add(words.mul(group, block::kAccumulatorRows),
                words.add(words.mul(warp, kWarpRows), words.div(lane, kQuad)));
  column = words.mul(words.rem(lane, kQuad), kPair);
  if (tiles.schedule.getAsyncStore())
    stores.emplace(frame, attention.parts.batches, *attention.results,
                   attention.columns, tiles.memory.results,
                   attention.getWaitingBytes());
}

/// The scores of the keys in a stage, of which neither is waited for.
Value Consumer::multiplyQueries(Value keySlot) {
  GPUAttentionScheduleAttr schedule = tiles.schedule;
  Value sums;
  for (int64_t box = 0; box < tiles.countDepthBoxes(); ++box) {
    const int64_t depth = llvm::alignTo(
                      std::min(attention.depth - box * block::kBoxElements,
                               block::kBoxElements),
                      block::kInstructionDepth),
                  keyBox = box * schedule.getKeys() * block::kBoxRowBytes;
    Value queryBox =
        words.add(queryOffset, box * schedule.getRows() * block::kBoxRowBytes);
    if (schedule.getWarpProducts())
      sums = block::MmaSyncOp::create(
          b, loc, getValuesType(schedule.getKeys()), keys, keySlot,
          block::kAccumulatorRows, queryBox, keyBox, schedule.getKeys(), depth,
          element, /*a_across=*/false, /*b_across=*/false, queries, querySlot,
          sums);
    else
      sums = block::MmaOp::create(
          b, loc, getAccumulator(schedule.getKeys()), keys, keySlot, queryBox,
          keyBox, depth, element, /*b_element=*/TypeAttr(), /*a_across=*/false,
          /*b_across=*/false, queries, querySlot, sums, /*adds=*/Value());
  }
  return sums;
}

/// Results with the products of the block before and its values, which are not
/// waited for.
Value Consumer::multiplyWeights(const Progress &progress) {
  block::WaitFullOp::create(b, loc, values, progress.valueSlot);
  if (tiles.schedule.getWarpProducts())
    return block::MmaSyncWordsOp::create(
        b, loc, progress.results.getType(), values, progress.valueSlot, /*b=*/0,
        element, progress.results, progress.weights);
  return block::MmaWordsOp::create(
      b, loc, getAccumulator(attention.countMultipliedColumns()), values,
      progress.valueSlot, /*b=*/0, element, progress.results, progress.weights);
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

Progress Consumer::emitFirst(Value keySlot, Value valueSlot) {
  block::WaitFullOp::create(b, loc, queries, querySlot);
  block::WaitFullOp::create(b, loc, keys, keySlot);
  Value products = multiplyQueries(keySlot);
  scores->begin(getTop(), /*masked=*/true);
  SmallVector<Value> sums = read(products, /*earlier=*/0);
  block::ReleaseOp::create(b, loc, keys, keySlot);
  return begin(scores->emit(sums, /*before=*/nullptr), next(keys, keySlot),
               valueSlot);
}

/// Scores of block number `blockNumber` of keys and, at the same time, the
/// products of the weights of the block before: the results with these, and the
/// weights of the scores, which `of` computes, for states `before`.
BlockWeights Consumer::multiplyBoth(const Progress &progress,
                                    AttentionScores &of, Value blockNumber,
                                    bool masked, const RowStates *before,
                                    SmallVector<Value> &results) {
  Value sums = multiplyQueries(progress.keySlot),
        products = multiplyWeights(progress);
  of.begin(blockNumber, masked);
  SmallVector<Value> own = read(sums, /*earlier=*/1);
  block::ReleaseOp::create(b, loc, keys, progress.keySlot);
  BlockWeights weights = of.emit(own, before);
  results = read(products, /*earlier=*/0, progress.weights);
  block::ReleaseOp::create(b, loc, values, progress.valueSlot);
  return weights;
}

Progress Consumer::emitStep(const Progress &progress, Value blockNumber,
                            bool masked) {
  block::WaitFullOp::create(b, loc, keys, progress.keySlot);
  SmallVector<Value> results;
  BlockWeights weights = multiplyBoth(progress, *scores, blockNumber, masked,
                                      &progress.states, results);
  scaleRows(results, weights.scale);
  Progress after = begin(weights, next(keys, progress.keySlot),
                         next(values, progress.valueSlot));
  after.results = accumulate(join(results));
  return after;
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
  Value top = getTop(), begin = blocks.begin,
        whole = words.min(top, max(blocks.wholeEnd, begin)),
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

/// Restricts a pair of columns from `lane` on to those that there are: behind
/// them are those that fill up what tensor cores multiply.
void Consumer::leaveOut(Scope &point, Value lane,
                        const UnalignedVectors &unaligned) {
  constexpr int64_t kPair = 2;
  if (attention.columns == attention.countMultipliedColumns())
    return;
  Value end = words.constant(attention.columns);
  if (attention.columns % kPair == 0)
    point.present =
        restrictMask(b, loc, point.present, words.isLess(lane, end));
  else
    point.lanes->mask = unaligned.lanesBefore(words.sub(end, lane), kPair);
}

/// Binds a thread's row, which need not be there.
void Consumer::bindRow(Scope &row, int64_t half) {
  tiles.bindBatches(row);
  tiles.bindRow(row, scores->rows[half]);
  if (Value isThere = scores->rows[half].isThere)
    row.present = restrictMask(b, loc, row.present, isThere);
}

/// What is written of a row's softmax alone, by the first of the threads that
/// have the row and by one block of a cluster.
void Consumer::emitRowWrites(const RowStates &states) {
  TiledAttention parts = attention.parts;
  if (parts.rowWrites.empty())
    return;
  PointEmitter emitter(frame, std::nullopt, 1);
  Value isFirst =
      words.compare(arith::CmpIPredicate::eq, column, words.constant(0));
  if (tiles.isSplit())
    isFirst =
        arith::AndIOp::create(b, loc, isFirst, frame.isZero(frame.clusterRank));
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value sum = states.sum[half], largest = scaleLargest(states, half);
    emitter.provide(parts.sum->getResult(0), [&](Scope &) { return sum; });
    emitter.provide(parts.largest->getResult(0),
                    [&](Scope &) { return largest; });
    Scope row(scope, Scope::Detached());
    bindRow(row, half);
    row.present = restrictMask(b, loc, row.present, isFirst);
    for (WriteOp write : parts.rowWrites)
      emitter.access.emitWrite(write, row);
  }
}

void Consumer::emitWritesOf(ArrayRef<Value> results, const RowStates &states,
                            bool isAligned, SmallVector<Value> *stored,
                            Scope &inner) {
  constexpr int64_t kPair = 2, kUnit = 8, kUnitValues = kPair * kThreadRows;
  TiledAttention parts = attention.parts;
  VectorAlignment alignment(frame.kernel, parts.column, kPair);
  UnalignedVectors unaligned(frame);
  PointEmitter emitter(frame, parts.column, kPair);
  if (isAligned && alignment.isUseful())
    emitter.aligned = &alignment;
  else
    emitter.unaligned = &unaligned.getSingleLanes();
  Value current, reciprocal[kThreadRows], largest[kThreadRows];
  int64_t half = 0;
  emitter.provide(parts.output.getResult(), [&](Scope &) { return current; });
  emitter.provide(parts.sum->getResult(0),
                  [&](Scope &) { return states.sum[half]; });
  emitter.provide(parts.largest->getResult(0),
                  [&](Scope &) { return largest[half]; });
  DivOp normalized = attention.normalized;
  if (normalized)
    emitter.provide(normalized.getResult(), [&](Scope &) -> Value {
      return arith::MulFOp::create(b, loc, current,
                                   broadcast(frame, reciprocal[half], kPair));
    });
  if (stored)
    collectWords(frame, emitter, parts.columnWrites.front(), *stored);
  for (WriteOp write : parts.rowWrites)
    emitter.provideStore(write, [](Scope &) {});
  std::optional<Scope> rows[kThreadRows];
  for (half = 0; half < kThreadRows; ++half) {
    largest[half] = scaleLargest(states, half);
    Scope &row = rows[half].emplace(inner, Scope::Detached());
    bindRow(row, half);
    if (normalized)
      reciprocal[half] = arith::DivFOp::create(
          b, loc, scores->number(1), emitter.emit(normalized.getY(), row));
  }
  Value first = column;
  if (tiles.isSplit())
    first = words.add(column, words.mul(words.narrow(frame.clusterRank),
                                        attention.countMultipliedColumns() /
                                            tiles.schedule.getSplits()));
  for (int64_t unit = 0; unit < int64_t(results.size()) / kUnitValues; ++unit)
    for (half = 0; half < kThreadRows; ++half) {
      Scope point(*rows[half]);
      Value lane = words.add(first, unit * kUnit);
      point.bind(parts.column, words.widen(lane));
      point.lanes = Lanes{parts.column, kPair, /*mask=*/nullptr};
      if (tiles.isSplit() || (unit + 1) * kUnit > attention.columns)
        leaveOut(point, lane, unaligned);
      current = join(results.slice(unit * kUnitValues + half * kPair, kPair));
      emitWrites(emitter, point);
    }
}

/// Stores a tile's results, or gives them to the copy engine.
void Consumer::emitResults(ArrayRef<Value> results, const RowStates &states) {
  SmallVector<Type> types;
  if (stores)
    types.assign(results.size() / 2, b.getI32Type());
  TiledAttention parts = attention.parts;
  Value isAligned = stores
                        ? emitHasAlignedReads(frame, parts.column, parts.values)
                        : emitHasAlignedPairs(frame, parts.column);
  SmallVector<Value> stored = emitVersions(
      frame, scope, isAligned, types, [&](bool isAligned, Scope &inner) {
        SmallVector<Value> collected;
        emitWritesOf(results, states, isAligned, stores ? &collected : nullptr,
                     inner);
        return collected;
      });
  emitRowWrites(states);
  if (!stores)
    return;
  SmallVector<Value> tile = stores->getResults(
      {tiles.place.batch, tiles.place.row, words.constant(0)}, stored);
  for (int64_t box = 0; box < stores->countBoxes(); ++box)
    stores->emit(tile, box);
}

/// Stores a tile's results, of the sums of the keys that the thread has.
void Consumer::finish(SmallVector<Value> &results, RowStates &states) {
  for (Value &sum : states.sum)
    sum = scores->addUp(sum);
  if (tiles.isSplit())
    share(results, states);
  emitResults(results, states);
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
  BlockWeights weights =
      multiplyBoth(progress, following, getTop(),
                   /*masked=*/true, /*before=*/nullptr, results);
  Progress after = begin(weights, next(keys, progress.keySlot),
                         next(values, progress.valueSlot));
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
  if (stores)
    block::CopyOutWaitOp::create(b, loc);
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
