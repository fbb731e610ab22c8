//===- AttentionBackwardWeights.cpp - Weights of its gradients ------------===//

#include "AttentionBackwardWeights.h"
#include "CopiedBoxes.h"
#include "DropoutWords.h"
#include "TC/Dialect/TC/IR/AttentionDropout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

using Gradients = TensorCoreAttentionBackward;

/// Values of an accumulator that a thread has of 8 columns: a pair in each of
/// its two rows, which are 8 apart.
static constexpr int64_t kPair = 2, kUnitColumns = 8, kThreadRows = 2,
                         kRowStep = 8, kUnitValues = kPair * kThreadRows;

double BackwardWeights::getFactor() {
  auto dropout = tiles.stage.getDropout();
  return dropout ? getKeptFactor(*dropout) : 1;
}

SmallVector<BackwardWeights::Limits>
BackwardWeights::emitLimits(const BackwardStep &step) {
  const auto &bounds = gradients.bounds;
  Value query = words.add(words.mul(step.tile, tiles.queries), column);
  SmallVector<Limits> limits;
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value key =
              words.add(words.add(tiles.firstKey, rowInTile), half * kRowStep),
          distance = words.sub(key, query);
    Limits limit;
    if (bounds.last)
      limit.first = words.add(distance, -*bounds.last);
    if (bounds.first)
      limit.last = words.add(distance, -*bounds.first);
    if (tiles.hasPartialTile())
      limit.first = arith::SelectOp::create(
          b, loc, words.isLess(key, tiles.size(gradients.keyCount)),
          limit.first ? limit.first : words.constant(0),
          words.constant(tiles.queries));
    limits.push_back(limit);
  }
  return limits;
}

/// Whether (i1) a key counts for query number `query` of a thread's ones; null
/// where it does for certain.
Value BackwardWeights::emitCounts(const Limits &limits, int64_t query) {
  Value number = words.constant(query), counts;
  if (limits.first)
    counts = words.compare(arith::CmpIPredicate::sge, number, limits.first);
  if (limits.last)
    counts = restrictMask(
        b, loc, counts,
        words.compare(arith::CmpIPredicate::sle, number, limits.last));
  return counts;
}

void BackwardWeights::bindBatches(Scope &point, const BackwardStep &step) {
  for (auto [dim, index] : llvm::zip_equal(
           gradients.batches, emitBatchIndices(frame, gradients.batches,
                                               gradients.batches, step.batch)))
    point.bind(dim, words.widen(index));
}

/// What is added to each of `count` scores of a step, at the last query and key
/// where those are behind them; empty where that is nothing.
SmallVector<Value> BackwardWeights::emitAdded(const BackwardStep &step,
                                              int64_t count) {
  if (!gradients.added)
    return {};
  auto restrict = [&](Value index, SizeExpr points, int64_t unit) {
    auto known = points.getConstant();
    if (known && *known % unit == 0)
      return index;
    return words.min(index, words.sub(tiles.size(points), words.constant(1)));
  };
  PointEmitter emitter(frame, std::nullopt, 1);
  Scope batch(scope, Scope::Detached());
  bindBatches(batch, step);
  Value firstQuery = words.add(words.mul(step.tile, tiles.queries), column);
  SmallVector<Value> added(count);
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value key =
        words.add(words.add(tiles.firstKey, rowInTile), half * kRowStep);
    Scope row(batch);
    row.bind(unsigned(tiles.stage.getKeyDim()),
             words.widen(restrict(key, gradients.keyCount, Gradients::kKeys)));
    for (int64_t unit = 0; unit < count / kUnitValues; ++unit)
      for (int64_t odd = 0; odd < kPair; ++odd) {
        Scope point(row);
        Value query = words.add(firstQuery, unit * kUnitColumns + odd);
        point.bind(
            unsigned(tiles.stage.getQueryDim()),
            words.widen(restrict(query, gradients.queryCount, tiles.queries)));
        added[unit * kUnitValues + half * kPair + odd] =
            emitter.emit(gradients.added, point);
      }
  }
  return added;
}

/// The logarithms of the sums in units of ln 2, negated. What is added to
/// scores may leave all keys of a query out: -inf is not subtracted from itself
/// then, and what is added for queries behind the last one is not theirs.
SmallVector<Value> BackwardWeights::emitSubtracted(ArrayRef<Value> sums,
                                                   const BackwardStep &step) {
  Value negative = number(-1 / std::log(2.0)),
        lowest = number(-std::numeric_limits<double>::infinity()),
        firstQuery = words.add(words.mul(step.tile, tiles.queries), column);
  auto known = gradients.queryCount.getConstant();
  const bool hasEnd = !known || *known % tiles.queries != 0;
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  SmallVector<Value> subtracted;
  for (auto [index, sum] : llvm::enumerate(sums)) {
    Value result = arith::MulFOp::create(b, loc, sum, negative);
    if (gradients.added) {
      Value isLowest =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, lowest);
      result = select(isLowest, number(0), result);
    }
    if (gradients.added && hasEnd) {
      const auto place = int64_t(index);
      Value query =
          words.add(firstQuery, place / kPair * kUnitColumns + place % kPair);
      result = select(words.isLess(query, tiles.size(gradients.queryCount)),
                      result, lowest);
    }
    subtracted.push_back(result);
  }
  return subtracted;
}

SmallVector<Value> BackwardWeights::emit(ArrayRef<Value> scores,
                                         ArrayRef<Value> sums,
                                         const BackwardStep &step, Value row,
                                         Value firstColumn) {
  rowInTile = row;
  column = firstColumn;
  Value factor =
            number(tiles.stage.getScale().convertToDouble() / std::log(2.0)),
        ofAdded = number(1 / std::log(2.0)), zero = number(0);
  SmallVector<Value> weights, subtracted = emitSubtracted(sums, step),
                              added = emitAdded(step, int64_t(scores.size()));
  SmallVector<Limits> limits;
  if (step.isMasked)
    limits = emitLimits(step);
  for (auto [index, score] : llvm::enumerate(scores)) {
    const int64_t odd = int64_t(index) % kPair,
                  half = int64_t(index) / kPair % kThreadRows,
                  unit = int64_t(index) / kUnitValues;
    Value behind = subtracted[unit * kPair + odd];
    if (!added.empty())
      behind = LLVM::FMAOp::create(b, loc, added[index], ofAdded, behind);
    Value power = LLVM::FMAOp::create(b, loc, score, factor, behind);
    Value weight = frame.emitAssembly(power.getType(), power,
                                      "ex2.approx.ftz.f32 $0, $1;", "=f,f");
    Value counts = step.isMasked
                       ? emitCounts(limits[half], unit * kUnitColumns + odd)
                       : Value();
    if (counts)
      weight = arith::SelectOp::create(b, loc, counts, weight, zero);
    weights.push_back(weight);
  }
  markDropped(weights, step);
  return weights;
}

/// Negates the weights that dropout does not keep. A block of Philox is for two
/// units of 8 queries of both keys of the thread.
void BackwardWeights::markDropped(MutableArrayRef<Value> weights,
                                  const BackwardStep &step) {
  constexpr int64_t kUnits = 2;
  if (!gradients.kept)
    return;
  KeptWeights kept = *gradients.kept;
  PointEmitter emitter(frame, std::nullopt, 1);
  Scope point(scope, Scope::Detached());
  bindBatches(point, step);
  point.bind(unsigned(tiles.stage.getQueryDim()),
             words.widen(words.mul(step.tile, tiles.queries)));
  DropoutWords dropout(kept, words, emitter.emit(kept.bits.getSeed(), point),
                       emitter.emit(kept.bits.getOffset(), point));
  Value key = words.add(tiles.firstKey, rowInTile),
        row = words.add(words.narrow(emitter.emit(kept.row.getResult(), point)),
                        column),
        rowGroup = dropout.getRowGroup(row),
        keyGroup = dropout.getKeyGroup(key), shift = dropout.getShift(key);
  const auto units = int64_t(weights.size()) / kUnitValues;
  for (int64_t first = 0; first < units; first += kUnits)
    for (int64_t odd = 0; odd < kPair; ++odd) {
      std::array<Value, 4> random = dropout.emit(
          words.add(rowGroup, first / kUnits * kUnitColumns + odd), keyGroup);
      for (int64_t unit = 0; unit < kUnits; ++unit)
        for (int64_t half = 0; half < kThreadRows; ++half) {
          Value &weight =
              weights[(first + unit) * kUnitValues + half * kPair + odd];
          weight = arith::SelectOp::create(
              b, loc, dropout.emitKept(random[unit * kUnits + half], shift),
              weight, arith::NegFOp::create(b, loc, weight));
        }
    }
}

SmallVector<Value> BackwardWeights::keepOnly(ArrayRef<Value> weights) {
  SmallVector<Value> kept(weights);
  if (gradients.kept)
    for (Value &weight : kept)
      weight = arith::MaximumFOp::create(b, loc, weight, number(0));
  return kept;
}

SmallVector<Value>
BackwardWeights::emitScoreGradients(ArrayRef<Value> weights,
                                    ArrayRef<Value> ofWeights,
                                    ArrayRef<Value> products) {
  Value scale = number(tiles.stage.getScale().convertToDouble() * getFactor()),
        zero = number(0),
        negative = number(-tiles.stage.getScale().convertToDouble());
  SmallVector<Value> subtracted, results;
  for (Value product : products)
    subtracted.push_back(arith::MulFOp::create(b, loc, product, negative));
  for (auto [index, weight] : llvm::enumerate(weights)) {
    const int64_t odd = int64_t(index) % kPair,
                  unit = int64_t(index) / kUnitValues;
    Value difference = LLVM::FMAOp::create(b, loc, ofWeights[index], scale,
                                           subtracted[unit * kPair + odd]);
    if (gradients.kept) {
      Value isKept = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                           weight, zero);
      difference = arith::SelectOp::create(
          b, loc, isKept, difference,
          arith::NegFOp::create(b, loc, subtracted[unit * kPair + odd]));
    }
    results.push_back(arith::MulFOp::create(b, loc, weight, difference));
  }
  return results;
}
