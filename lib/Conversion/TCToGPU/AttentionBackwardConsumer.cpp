//===- AttentionBackwardConsumer.cpp - Products of its gradients ----------===//
//
// Scores are those of keys by queries: the weights of half of a tile's keys and
// what these are multiplied by stay in the registers of a warp group, for the
// gradients of values and keys. The gradients of the scores are in shared
// memory as well, for those of the queries, of which each warp group multiplies
// a part by all keys of the tile (FlashAttention-3: Shah et al., 2024). The
// sums of a step are stored while the scores of the next one are multiplied.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardConsumer.h"
#include "AttentionBackwardProgress.h"
#include "AttentionBackwardWeights.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

using Gradients = TensorCoreAttentionBackward;

/// Values of an accumulator that a thread has of 8 columns: a pair in each of
/// its two rows, which are 8 apart.
static constexpr int64_t kPair = 2, kUnitColumns = 8, kThreadRows = 2,
                         kRowStep = 8, kUnitValues = kPair * kThreadRows;

namespace {
class BackwardConsumer {
public:
  BackwardConsumer(AttentionBackwardTiles &tiles, Scope &scope);
  void emit();

private:
  Value number(double value) {
    return arith::ConstantFloatOp::create(b, loc, b.getF32Type(),
                                          llvm::APFloat(float(value)));
  }
  block::AccumulatorType getAccumulator(int64_t columns) {
    return block::AccumulatorType::get(b.getContext(), columns, b.getF32Type());
  }
  Value firstSlot() { return block::FirstSlotOp::create(b, loc); }
  Value next(Value pipeline, Value slot) {
    return block::NextSlotOp::create(b, loc, pipeline, slot);
  }
  void locate();
  Value makeZeros(int64_t columns);
  SmallVector<Value> read(Value accumulator, int64_t earlier,
                          ValueRange kept = {});
  SmallVector<Value> loadFloats(Value pipeline, Value slot, int64_t offset);
  Value multiplyRows(Value ring, Value slot, int64_t offset, int64_t boxes);
  Value multiplyWords(Value ring, Value slot, Value sums,
                      ArrayRef<Value> factors);
  SmallVector<Value> pack(ArrayRef<Value> values);
  void storeScores(ArrayRef<Value> packed, Value slot);
  Value multiplyKeys(Value scoreSlot);
  void storeSums(ArrayRef<Value> sums, Value slot);
  /// The scores of a step, which are not waited for, and the logarithms of the
  /// sums of its queries' weights.
  struct Scores {
    Value products;
    SmallVector<Value> logs;
  };
  /// Whether a step loads the logarithms early and gives its sums late. Steps
  /// of 128 queries have no registers for it: full attention of 4x16x4096x64
  /// takes 1552 us so on an H200, not 1502.
  bool isSpread() const { return gradients.splitsDepth(); }
  SmallVector<Value> loadLogs(const BackwardProgress &progress) {
    return loadFloats(tiles.queryRing, progress.slot, tiles.memory.logsumexp);
  }
  Scores multiplyQueries(const BackwardProgress &progress);
  void giveSums(BackwardProgress &progress);
  Scores finishStep(BackwardProgress &progress, bool isLast);
  Scores finishBefore(BackwardProgress &progress);
  void beginStep(BackwardProgress &progress, const Scores &scores,
                 const BackwardStep &step);
  BackwardProgress emitSteps(const RingSlots &slots);
  RingSlots emitTile(const RingSlots &slots);
  void emitResults(Value accumulator, WriteOp write, unsigned columnDim,
                   int64_t columns, double factor);

  AttentionBackwardTiles &tiles;
  GPUFrame &frame;
  OpBuilder &b;
  Location loc;
  Words words;
  const Gradients &gradients;
  Type element;
  Scope &scope;
  BackwardWeights weights;
  Value firstWarp, thread; ///< numbers in the block (i32)
  Value group;             ///< number of the warp group (i32)
  Value rowInTile;         ///< the thread's first key in the tile (i32)
  Value column;            ///< the thread's first one of every 8 (i32)
  Value warpRow;           ///< the warp's first key in the tile (i32)
  Value rowSlot;
};
} // namespace

BackwardConsumer::BackwardConsumer(AttentionBackwardTiles &tiles, Scope &scope)
    : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
      words(tiles.words), gradients(tiles.gradients),
      element(tiles.stage.getQ().getType()), scope(scope),
      weights(tiles, scope) {
  firstWarp = block::WarpOp::create(b, loc);
  thread = words.narrow(frame.threadNumber);
}

/// Computes where the thread is anew, from copies: these are fewer registers
/// than what loops would have ahead of them.
void BackwardConsumer::locate() {
  constexpr int64_t kQuad = 4, kWarpRows = 16;
  auto copy = [&](Value value) {
    return frame.emitAssembly(value.getType(), value, "mov.b32 $0, $1;", "=r,r",
                              /*isPure=*/false);
  };
  Value warp = copy(firstWarp);
  group = words.sub(words.div(warp, kGroupWarps), words.constant(1));
  Value lane = words.rem(copy(thread), kWarpThreads);
  warpRow = words.mul(words.sub(warp, words.constant(kGroupWarps)), kWarpRows);
  rowInTile = words.add(warpRow, words.div(lane, kQuad));
  column = words.mul(words.rem(lane, kQuad), kPair);
}

Value BackwardConsumer::makeZeros(int64_t columns) {
  block::AccumulatorType type = getAccumulator(columns);
  auto vectorType = VectorType::get({type.getThreadValues()}, b.getF32Type());
  return block::AccumulatorOp::create(
      b, loc, type,
      arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType)));
}

/// The values of an accumulator once all products but the last `earlier` are
/// done.
SmallVector<Value> BackwardConsumer::read(Value accumulator, int64_t earlier,
                                          ValueRange kept) {
  auto type = cast<block::AccumulatorType>(accumulator.getType());
  Value all = block::MmaWaitOp::create(
      b, loc, VectorType::get({type.getThreadValues()}, b.getF32Type()),
      accumulator, earlier, kept);
  SmallVector<Value> values;
  for (int64_t index = 0; index < type.getThreadValues(); ++index)
    values.push_back(vector::ExtractOp::create(b, loc, all, index));
  return values;
}

/// The f32 in a stage of the columns that the thread has values of.
SmallVector<Value> BackwardConsumer::loadFloats(Value pipeline, Value slot,
                                                int64_t offset) {
  auto type = VectorType::get({kPair}, b.getF32Type());
  SmallVector<Value> floats;
  for (int64_t unit = 0; unit < tiles.queries / kUnitColumns; ++unit) {
    Value pair =
        block::LoadInOp::create(b, loc, type, pipeline, slot, offset,
                                words.add(column, unit * kUnitColumns));
    for (int64_t odd = 0; odd < kPair; ++odd)
      floats.push_back(vector::ExtractOp::create(b, loc, pair, odd));
  }
  return floats;
}

/// The products of the warp group's rows of keys or values, `offset` bytes in
/// their stage, and the rows in a stage of a ring, which are not waited for.
Value BackwardConsumer::multiplyRows(Value ring, Value slot, int64_t offset,
                                     int64_t boxes) {
  block::WaitFullOp::create(b, loc, ring, slot);
  const int64_t size =
      ring == tiles.queryRing ? gradients.depth : gradients.columns;
  Value own = words.add(
      words.mul(group, block::kAccumulatorRows * block::kBoxRowBytes), offset);
  Value sums;
  for (int64_t box = 0; box < boxes; ++box) {
    const int64_t depth = llvm::alignTo(
        std::min(size - box * block::kBoxElements, block::kBoxElements),
        block::kInstructionDepth);
    sums = block::MmaOp::create(
        b, loc, getAccumulator(tiles.queries), ring, slot,
        words.add(own, box * Gradients::kKeys * block::kBoxRowBytes),
        box * tiles.queries * block::kBoxRowBytes, depth, element,
        /*b_element=*/TypeAttr(), /*a_across=*/false, /*b_across=*/false,
        tiles.rows, rowSlot, sums, /*adds=*/Value(), /*shift=*/Value());
  }
  return sums;
}

/// `sums` with the products of a matrix in registers and what is in a stage,
/// which are not waited for.
Value BackwardConsumer::multiplyWords(Value ring, Value slot, Value sums,
                                      ArrayRef<Value> factors) {
  return block::MmaWordsOp::create(b, loc, sums.getType(), ring, slot, /*b=*/0,
                                   element, sums, factors,
                                   /*box_rows=*/IntegerAttr());
}

/// Values of a thread as words of two of the matrices' type.
SmallVector<Value> BackwardConsumer::pack(ArrayRef<Value> values) {
  auto pairType = VectorType::get({kPair}, b.getF32Type());
  SmallVector<Value> packed;
  for (size_t index = 0; index < values.size(); index += kPair) {
    Value pair = vector::FromElementsOp::create(b, loc, pairType,
                                                values.slice(index, kPair));
    packed.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(),
                                             narrow(frame, pair, element)));
  }
  return packed;
}

/// Stores the gradients of scores as boxes of a row of 64 queries for each key.
void BackwardConsumer::storeScores(ArrayRef<Value> packed, Value slot) {
  Value place = words.mul(warpRow, block::kBoxRowBytes);
  for (int64_t box = 0; box < tiles.queries / block::kBoxElements; ++box)
    block::StoreWordsOp::create(
        b, loc, packed.slice(box * block::kCopyOutWords, block::kCopyOutWords),
        tiles.scoreRing, slot,
        words.add(place, box * Gradients::kKeys * block::kBoxRowBytes));
}

/// The products of the scores' gradients and the keys, of the warp group's part
/// of the depth or of the queries, which are not waited for.
Value BackwardConsumer::multiplyKeys(Value scoreSlot) {
  constexpr int64_t kPartBytes = block::kBoxElements * block::kBoxRowBytes,
                    kBoxBytes = Gradients::kKeys * block::kBoxRowBytes;
  const bool splitsDepth = gradients.splitsDepth();
  const int64_t columns = splitsDepth ? tiles.queries : gradients.depth;
  Value own = words.mul(group, kBoxBytes), sums;
  for (int64_t part = 0; part < Gradients::kKeys / block::kBoxElements;
       ++part) {
    Value a = words.add(own, part * kPartBytes);
    sums = block::MmaOp::create(b, loc, getAccumulator(columns),
                                splitsDepth ? tiles.scoreRing : tiles.rows,
                                splitsDepth ? scoreSlot : rowSlot, a,
                                part * kPartBytes, block::kBoxElements, element,
                                /*b_element=*/TypeAttr(),
                                /*a_across=*/true, /*b_across=*/true,
                                splitsDepth ? tiles.rows : tiles.scoreRing,
                                splitsDepth ? rowSlot : scoreSlot, sums,
                                /*adds=*/Value(), /*shift=*/Value());
  }
  return sums;
}

void BackwardConsumer::storeSums(ArrayRef<Value> sums, Value slot) {
  constexpr int64_t kLanes = 32;
  SmallVector<Value> values(sums);
  // Boxes are of whole rows.
  while (!gradients.splitsDepth() &&
         int64_t(values.size()) * kPair % kLanes != 0)
    values.push_back(number(0));
  auto type = VectorType::get({int64_t(values.size())}, b.getF32Type());
  Value all = vector::FromElementsOp::create(b, loc, type, values);
  block::AwaitEmptyOp::create(b, loc, tiles.sums, slot);
  block::StoreValuesOp::create(b, loc, all, tiles.sums, slot, tiles.queries,
                               words.mul(group, block::kAccumulatorRows),
                               /*across=*/gradients.splitsDepth());
}

/// Begins to multiply the queries of the next step by the keys. The logarithms
/// may be loaded at once: ahead of what is stored next, which the products keep
/// from the shared memory.
BackwardConsumer::Scores
BackwardConsumer::multiplyQueries(const BackwardProgress &progress) {
  Value products = multiplyRows(tiles.queryRing, progress.slot, /*offset=*/0,
                                gradients.countDepthBoxes());
  return {products, isSpread() ? loadLogs(progress) : SmallVector<Value>()};
}

/// Gives what has been stored of the step before, where there is one.
void BackwardConsumer::giveSums(BackwardProgress &progress) {
  Value hasBefore = words.compare(arith::CmpIPredicate::ne, progress.steps,
                                  words.constant(0));
  auto given = scf::IfOp::create(b, loc, progress.sumSlot.getType(), hasBefore,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(given.elseBlock());
  scf::YieldOp::create(b, loc, progress.sumSlot);
  b.setInsertionPointToStart(given.thenBlock());
  block::GiveOp::create(b, loc, tiles.sums, progress.sumSlot);
  scf::YieldOp::create(b, loc, next(tiles.sums, progress.sumSlot));
  progress.sumSlot = given.getResult(0);
}

/// Multiplies the gradients of the last step's scores by keys and queries, and
/// begins to multiply the queries of the next one, if there is one, by the
/// keys. What is stored may be given later, once it is in shared memory anyway,
/// but not behind the last step.
BackwardConsumer::Scores
BackwardConsumer::finishStep(BackwardProgress &progress, bool isLast) {
  constexpr int64_t kKeyParts = Gradients::kKeys / block::kBoxElements;
  progress.keys = multiplyWords(tiles.queryRing, progress.before, progress.keys,
                                progress.packed);
  block::AwaitEmptyOp::create(b, loc, tiles.scoreRing, progress.scoreSlot);
  storeScores(progress.packed, progress.scoreSlot);
  block::MeetGroupsOp::create(b, loc, Gradients::kConsumers);
  Value sums = multiplyKeys(progress.scoreSlot);
  Scores scores;
  if (!isLast)
    scores = multiplyQueries(progress);
  const int64_t behind = isLast ? 0 : gradients.countDepthBoxes();
  block::MmaWaitEarlierOp::create(b, loc, kKeyParts + behind, progress.packed);
  block::ReleaseOp::create(b, loc, tiles.queryRing, progress.before);
  SmallVector<Value> values = read(sums, /*earlier=*/behind);
  block::ReleaseOp::create(b, loc, tiles.scoreRing, progress.scoreSlot);
  storeSums(values, progress.sumSlot);
  progress.scoreSlot = next(tiles.scoreRing, progress.scoreSlot);
  if (isLast || !isSpread()) {
    block::GiveOp::create(b, loc, tiles.sums, progress.sumSlot);
    progress.sumSlot = next(tiles.sums, progress.sumSlot);
  }
  return scores;
}

/// Finds the weights and the gradients of the scores of a step, and multiplies
/// the weights by the gradients of the results.
void BackwardConsumer::beginStep(BackwardProgress &progress,
                                 const Scores &scores,
                                 const BackwardStep &step) {
  const int64_t columnBoxes = gradients.countColumnBoxes();
  Value slot = progress.slot,
        ofWeights = multiplyRows(tiles.gradRing, slot, tiles.memory.keyBytes,
                                 columnBoxes);
  SmallVector<Value> signedWeights = weights.emit(
      read(scores.products, /*earlier=*/columnBoxes),
      isSpread() ? scores.logs : loadLogs(progress), step, rowInTile, column);
  SmallVector<Value> packed = pack(weights.keepOnly(signedWeights));
  progress.values =
      multiplyWords(tiles.gradRing, slot, progress.values, packed);
  if (isSpread())
    giveSums(progress);
  SmallVector<Value> ofScores = weights.emitScoreGradients(
      signedWeights, read(ofWeights, /*earlier=*/1),
      loadFloats(tiles.gradRing, slot, tiles.memory.products));
  progress.packed = pack(ofScores);
  // Registers that products under way read are not carried by a loop.
  block::MmaWaitEarlierOp::create(b, loc, 0, packed);
  block::ReleaseOp::create(b, loc, tiles.gradRing, slot);
  progress.before = slot;
  progress.slot = next(tiles.queryRing, slot);
}

/// Finishes the step before, where there is one, and begins to multiply the
/// queries of the next one by the keys.
BackwardConsumer::Scores
BackwardConsumer::finishBefore(BackwardProgress &progress) {
  locate();
  Type slotType = progress.scoreSlot.getType();
  SmallVector<Type> types = {progress.keys.getType(),
                             getAccumulator(tiles.queries), slotType, slotType};
  const auto others = types.size();
  if (isSpread())
    types.append(tiles.queries / kUnitColumns * kPair, b.getF32Type());
  Value hasBefore = words.compare(arith::CmpIPredicate::ne, progress.steps,
                                  words.constant(0));
  auto either =
      scf::IfOp::create(b, loc, types, hasBefore, /*withElseRegion=*/true);
  auto yield = [&](const Scores &scores) {
    SmallVector<Value> values = {progress.keys, scores.products,
                                 progress.scoreSlot, progress.sumSlot};
    llvm::append_range(values, scores.logs);
    scf::YieldOp::create(b, loc, values);
  };
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.elseBlock());
  yield(multiplyQueries(progress));
  b.setInsertionPointToStart(either.thenBlock());
  yield(finishStep(progress, /*isLast=*/false));
  progress.keys = either.getResult(0);
  progress.scoreSlot = either.getResult(2);
  progress.sumSlot = either.getResult(3);
  return {either.getResult(1),
          SmallVector<Value>(either.getResults().drop_front(others))};
}

/// All steps of a tile, of which there is one at least: each is finished while
/// the next one begins.
BackwardProgress BackwardConsumer::emitSteps(const RingSlots &slots) {
  const int64_t packed = block::kAccumulatorRows * tiles.queries /
                         (kWarpThreads * kGroupWarps * kPair);
  BackwardProgress progress = {
      makeZeros(gradients.depth),
      makeZeros(gradients.columns),
      slots.slot,
      slots.slot,
      slots.sumSlot,
      slots.scoreSlot,
      words.constant(0),
      SmallVector<Value>(size_t(packed), words.constant(0))};
  progress = BackwardProgress::get(tiles.emitSteps(
      progress.getValues(), [&](const BackwardStep &step, ValueRange values) {
        auto inner = BackwardProgress::get(values);
        beginStep(inner, finishBefore(inner), step);
        inner.steps = words.constant(1);
        return inner.getValues();
      }));
  locate();
  finishStep(progress, /*isLast=*/true);
  return progress;
}

/// Stores `factor` times what an accumulator has by `write`, whose columns are
/// the dimension `columnDim`.
void BackwardConsumer::emitResults(Value accumulator, WriteOp write,
                                   unsigned columnDim, int64_t columns,
                                   double factor) {
  SmallVector<Value> values = read(accumulator, /*earlier=*/0);
  if (factor != 1)
    for (Value &value : values)
      value = arith::MulFOp::create(b, loc, value, number(factor));
  auto pairType = VectorType::get({kPair}, b.getF32Type());
  const auto keyDim = unsigned(tiles.stage.getKeyDim());
  UnalignedVectors unaligned(frame);
  PointEmitter emitter(frame, columnDim, kPair);
  emitter.unaligned = &unaligned.getSingleLanes();
  Value current;
  emitter.provide(write.getValue(), [&](Scope &) { return current; });
  ArrayRef<unsigned> batches = ArrayRef(gradients.batches).drop_back();
  SmallVector<Value> indices =
      emitBatchIndices(frame, batches, batches, tiles.batch);
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value key =
        words.add(words.add(tiles.firstKey, rowInTile), half * kRowStep);
    Scope row(scope, Scope::Detached());
    for (auto [dim, index] : llvm::zip_equal(batches, indices))
      row.bind(dim, words.widen(index));
    row.bind(keyDim, words.widen(key));
    if (tiles.hasPartialTile())
      row.present =
          restrictMask(b, loc, row.present,
                       words.isLess(key, tiles.size(gradients.keyCount)));
    for (int64_t unit = 0; unit < columns / kUnitColumns; ++unit) {
      Scope point(row);
      Value lane = words.add(column, unit * kUnitColumns);
      point.bind(columnDim, words.widen(lane));
      point.lanes = Lanes{columnDim, kPair, /*mask=*/nullptr};
      current = vector::FromElementsOp::create(
          b, loc, pairType,
          ArrayRef(values).slice(unit * kUnitValues + half * kPair, kPair));
      emitter.access.emitWrite(write, point);
    }
  }
}

/// A tile, from and to the slots of its rings.
RingSlots BackwardConsumer::emitTile(const RingSlots &slots) {
  rowSlot = slots.rowSlot;
  block::WaitFullOp::create(b, loc, tiles.rows, rowSlot);
  Type keyType = getAccumulator(gradients.depth),
       valueType = getAccumulator(gradients.columns),
       slotType = slots.slot.getType();
  auto either = scf::IfOp::create(
      b, loc, TypeRange{keyType, valueType, slotType, slotType, slotType},
      tiles.emitHasSteps(), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(either.thenBlock());
    BackwardProgress end = emitSteps(slots);
    scf::YieldOp::create(
        b, loc,
        ValueRange{end.keys, end.values, end.slot, end.sumSlot, end.scoreSlot});
    b.setInsertionPointToStart(either.elseBlock());
    Value keys = makeZeros(gradients.depth),
          values = makeZeros(gradients.columns);
    scf::YieldOp::create(
        b, loc,
        ValueRange{keys, values, slots.slot, slots.sumSlot, slots.scoreSlot});
  }
  block::ReleaseOp::create(b, loc, tiles.rows, rowSlot);
  locate();
  AttentionBackwardStageOp stage = tiles.stage;
  emitResults(either.getResult(1), gradients.gradVWrite,
              unsigned(stage.getColumnDim()), gradients.columns,
              weights.getFactor());
  emitResults(either.getResult(0), gradients.gradKWrite,
              unsigned(stage.getDepthDim()), gradients.depth, /*factor=*/1);
  return {either.getResult(2), either.getResult(3), either.getResult(4),
          next(tiles.rows, rowSlot)};
}

void BackwardConsumer::emit() {
  SmallVector<Value> first;
  for (int64_t ring = 0; ring < 4; ++ring)
    first.push_back(firstSlot());
  tiles.emitTiles(/*draws=*/false, first, [&](ValueRange slots) {
    RingSlots after = emitTile({slots[0], slots[1], slots[2], slots[3]});
    return SmallVector<Value>{after.slot, after.sumSlot, after.scoreSlot,
                              after.rowSlot};
  });
}

void tc::emitAttentionBackwardConsumer(AttentionBackwardTiles &tiles,
                                       Scope &scope) {
  BackwardConsumer(tiles, scope).emit();
}
