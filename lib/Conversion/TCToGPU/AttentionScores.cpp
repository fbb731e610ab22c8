//===- AttentionScores.cpp - Softmax of blocks of scores ------------------===//
//
// Weights are 2 to the power of scores, in units of ln 2, less the largest so
// far, with one multiply-add for both.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "DropoutWords.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Values of an accumulator that a thread has of 8 columns: a pair in each of
/// its rows.
static constexpr int64_t kPair = 2, kUnitColumns = 8, kRowStep = 8;

/// The row of a thread, of its two, that value number `index` is of.
static int64_t getHalf(size_t index) {
  return int64_t(index) / kPair % kThreadRows;
}

AttentionScores::AttentionScores(AttentionTiles &tiles, Value row, Value column,
                                 bool areAligned, Scope &scope)
    : tiles(tiles), frame(tiles.frame), attention(tiles.attention),
      words(tiles.words), column(column), batch(scope, Scope::Detached()),
      alignment(frame.kernel, tiles.attention.parts.key, kPair),
      hasPairs(areAligned && alignment.isUseful()), unaligned(frame),
      emitter(frame, tiles.attention.parts.key, kPair),
      reads(tiles.attention.getScoreReads(frame.kernel)) {
  factor = number(attention.factor / std::log(2.0));
  negative = number(-attention.factor / std::log(2.0));
  lowest = number(-std::numeric_limits<double>::infinity());
  tiles.bindBatches(batch);
  emitter.provide(attention.scaled, [this](Scope &) { return current; });
  for (int64_t half = 0; half < kThreadRows; ++half)
    rows[half] = tiles.emitRow(words.add(row, half * kRowStep));
}

Value AttentionScores::number(double value) {
  return arith::ConstantFloatOp::create(frame.builder, frame.loc,
                                        frame.builder.getF32Type(),
                                        llvm::APFloat(float(value)));
}
Value AttentionScores::multiply(Value a, Value b) {
  return arith::MulFOp::create(frame.builder, frame.loc, a, b);
}
Value AttentionScores::multiplyAdd(Value a, Value b, Value c) {
  return LLVM::FMAOp::create(frame.builder, frame.loc, a, b, c);
}
Value AttentionScores::exp2(Value x) {
  return frame.emitAssembly(x.getType(), x, "ex2.approx.ftz.f32 $0, $1;",
                            "=f,f");
}
/// NaN counts for nothing here: the weights of its row are NaN all the same.
Value AttentionScores::max(Value a, Value b) {
  return arith::MaxNumFOp::create(frame.builder, frame.loc, a, b);
}
Value AttentionScores::add(Value a, Value b) {
  return arith::AddFOp::create(frame.builder, frame.loc, a, b);
}

/// Four chains, which do not wait for each other.
Value AttentionScores::fold(ArrayRef<Value> values, Combine combine) {
  constexpr size_t kChains = 4;
  SmallVector<Value> chains(values.take_front(kChains));
  for (size_t index = kChains; index < values.size(); ++index)
    chains[index % kChains] = combine(chains[index % kChains], values[index]);
  while (chains.size() > 1) {
    Value last = chains.pop_back_val();
    chains.back() = combine(chains.back(), last);
  }
  return chains.front();
}

/// Of the four threads that have values of a row.
Value AttentionScores::exchange(Value value, Combine combine) {
  constexpr int64_t kLastLane = kWarpThreads - 1;
  for (int64_t distance : {1, 2})
    value =
        combine(value, NVVM::ShflOp::create(
                           frame.builder, frame.loc, value.getType(),
                           words.constant(kAllLanes), value,
                           words.constant(distance), words.constant(kLastLane),
                           NVVM::ShflKind::bfly, UnitAttr()));
  return value;
}

Value AttentionScores::addUp(Value sum) {
  return exchange(sum, [&](Value a, Value b) { return add(a, b); });
}

SmallVector<Value> AttentionScores::pack(ArrayRef<Value> values, Type type) {
  auto &b = frame.builder;
  auto pairType = VectorType::get({kPair}, b.getF32Type());
  SmallVector<Value> packed;
  for (size_t index = 0; index < values.size(); index += kPair) {
    Value pair = vector::FromElementsOp::create(b, frame.loc, pairType,
                                                values.slice(index, kPair));
    packed.push_back(LLVM::BitcastOp::create(b, frame.loc, b.getI32Type(),
                                             narrow(frame, pair, type)));
  }
  return packed;
}

void AttentionScores::begin(Value first, int64_t keys, bool isMasked) {
  points.clear();
  firstKey = words.add(first, column);
  masked = isMasked;
  if (!masked && attention.isPlain())
    return;
  // Keys behind the end are read one by one.
  bool loadsPairs = hasPairs && !masked;
  emitter.aligned = loadsPairs ? &alignment : nullptr;
  emitter.unaligned = loadsPairs ? nullptr : &unaligned.getSingleLanes();
  auto known = attention.keyCount.getConstant();
  bool hasEnd = masked && (!known || *known % keys != 0);
  for (int64_t index = 0; index < keys / (kPair * kThreadRows); ++index) {
    Value key = words.add(firstKey, index / kThreadRows * kUnitColumns);
    Scope &point =
        *points.emplace_back(std::make_unique<Scope>(batch, Scope::Detached()));
    tiles.bindRow(point, rows[index % kThreadRows]);
    point.bind(attention.parts.key, words.widen(key));
    point.lanes = Lanes{attention.parts.key, kPair, /*mask=*/nullptr};
    if (hasEnd)
      point.lanes->mask = unaligned.lanesBefore(
          words.sub(tiles.size(attention.keyCount), key), kPair);
    // What has branches stays behind the products.
    for (ReadOp read : masked ? ArrayRef<ReadOp>() : ArrayRef(reads))
      point.loaded[read.getResult()] = emitter.access.emitStored(read, point);
  }
}

/// What the softmax is of, at a point.
Value AttentionScores::transformPair(Value pair, Scope &point) {
  auto &b = frame.builder;
  current = pair;
  TiledAttention parts = attention.parts;
  Value softmaxOf =
      masked ? Value(parts.largest.getValue()) : attention.unmasked;
  Value result = softmaxOf == attention.scaled
                     ? pair
                     : emitter.emitVector(softmaxOf, point);
  if (!point.lanes->mask)
    return result;
  return arith::SelectOp::create(b, frame.loc, point.lanes->mask, result,
                                 broadcast(frame, lowest, kPair));
}

SmallVector<Value> AttentionScores::transform(ArrayRef<Value> scores) {
  if (points.empty())
    return SmallVector<Value>(scores);
  auto &b = frame.builder;
  auto pairType = VectorType::get({kPair}, b.getF32Type());
  SmallVector<Value> results;
  for (auto [index, point] : llvm::enumerate(points)) {
    Value pair = vector::FromElementsOp::create(
        b, frame.loc, pairType, scores.slice(index * kPair, kPair));
    Value value = transformPair(pair, *point);
    for (int64_t lane = 0; lane < kPair; ++lane)
      results.push_back(vector::ExtractOp::create(b, frame.loc, value, lane));
  }
  return results;
}

/// The largest score of a row, in units of ln 2, negated; of a row without keys
/// so far 0, as -inf is not subtracted from itself.
Value AttentionScores::getSubtracted(Value largest) {
  auto &b = frame.builder;
  Value isLowest = arith::CmpFOp::create(
      b, frame.loc, arith::CmpFPredicate::OEQ, largest, lowest);
  return arith::SelectOp::create(b, frame.loc, isLowest, number(0.0),
                                 multiply(largest, negative));
}

Value AttentionScores::weigh(Value score, Value subtracted) {
  return exp2(multiplyAdd(score, factor, subtracted));
}

RowStates AttentionScores::merge(ArrayRef<RowStates> parts,
                                 const RowStates &own,
                                 Value (&scale)[kThreadRows]) {
  RowStates merged;
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value largest = parts.front().largest[half], sum;
    for (const RowStates &part : parts.drop_front())
      largest = max(largest, part.largest[half]);
    Value subtracted = getSubtracted(largest);
    for (const RowStates &part : parts) {
      Value weight = weigh(part.largest[half], subtracted);
      sum = sum ? multiplyAdd(part.sum[half], weight, sum)
                : multiply(part.sum[half], weight);
    }
    merged.largest[half] = largest;
    merged.sum[half] = sum;
    scale[half] = weigh(own.largest[half], subtracted);
  }
  return merged;
}

/// Replaces the weights that dropout does not keep by 0. A block of Philox is
/// for up to four units of 8 keys in both rows of the thread: as many as are of
/// the same 32 keys wherever the block of keys begins.
void AttentionScores::drop(MutableArrayRef<Value> weights) {
  constexpr int64_t kUnitValues = kPair * kThreadRows, kGroupKeys = 32;
  if (!attention.kept)
    return;
  const int64_t units = int64_t(weights.size()) / kUnitValues,
                step = units * kUnitColumns % kGroupKeys == 0 ? 4 : 2;
  KeptWeights kept = *attention.kept;
  Scope row(batch, Scope::Detached());
  tiles.bindRow(row, rows[0]);
  DropoutWords dropout(kept, words, emitter.emit(kept.bits.getSeed(), row),
                       emitter.emit(kept.bits.getOffset(), row));
  Value rowGroup = dropout.getRowGroup(
            words.narrow(emitter.emit(kept.row.getResult(), row))),
        zero = number(0.0);
  for (int64_t first = 0; first < units; first += step) {
    Value key = words.add(firstKey, first * kUnitColumns),
          keyGroup = dropout.getKeyGroup(key), shift = dropout.getShift(key);
    for (int64_t odd = 0; odd < kPair; ++odd) {
      std::array<Value, 4> random =
          dropout.emit(rowGroup, words.add(keyGroup, odd));
      for (int64_t index = 0; index < step * kThreadRows; ++index) {
        const int64_t unit = index / kThreadRows, half = index % kThreadRows;
        Value &weight =
            weights[(first + unit) * kUnitValues + half * kPair + odd];
        // The third and the fourth unit have the high bits.
        Value isKept = dropout.emitKept(random[half * kThreadRows + unit % 2],
                                        unit < 2 ? shift : Value());
        weight = arith::SelectOp::create(frame.builder, frame.loc, isKept,
                                         weight, zero);
      }
    }
  }
}

BlockWeights AttentionScores::emit(ArrayRef<Value> sums,
                                   const RowStates *before) {
  SmallVector<Value> scores = transform(sums), ofRow[kThreadRows];
  for (auto [index, score] : llvm::enumerate(scores))
    ofRow[getHalf(index)].push_back(score);
  auto largestOf = [&](Value x, Value y) { return max(x, y); };
  auto sumOf = [&](Value x, Value y) { return add(x, y); };
  BlockWeights result;
  Value subtracted[kThreadRows];
  for (int64_t half = 0; half < kThreadRows; ++half) {
    if (before)
      ofRow[half].push_back(before->largest[half]);
    Value largest = exchange(fold(ofRow[half], largestOf), largestOf);
    result.states.largest[half] = largest;
    subtracted[half] = getSubtracted(largest);
    if (before)
      result.scale[half] = weigh(before->largest[half], subtracted[half]);
  }
  for (auto [index, score] : llvm::enumerate(scores))
    result.weights.push_back(weigh(score, subtracted[getHalf(index)]));
  for (int64_t half = 0; half < kThreadRows; ++half) {
    SmallVector<Value> own;
    for (auto [index, weight] : llvm::enumerate(result.weights))
      if (getHalf(index) == half)
        own.push_back(weight);
    Value sum = fold(own, sumOf);
    result.states.sum[half] =
        before ? multiplyAdd(before->sum[half], result.scale[half], sum) : sum;
  }
  drop(result.weights);
  return result;
}
