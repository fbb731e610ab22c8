//===- AttentionBackwardWeights.cpp - Weights of its gradients ------------===//

#include "AttentionBackwardWeights.h"
#include "CopiedBoxes.h"
#include "DropoutWords.h"
#include "TC/Dialect/TC/IR/AttentionDropout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

/// Values of an accumulator that a thread has of 8 columns: a pair in each of
/// its two rows, which are 8 apart.
static constexpr int64_t kPair = 2, kUnitColumns = 8, kThreadRows = 2,
                         kRowStep = 8, kUnitValues = kPair * kThreadRows;

double BackwardWeights::getFactor() {
  auto dropout = tiles.stage.getDropout();
  return dropout ? getKeptFactor(*dropout) : 1;
}

/// For each of a thread's two keys, how many of a step's queries from the
/// thread's first one on the key does not count for (i32, of any sign).
SmallVector<Value> BackwardWeights::emitLimits(const BackwardStep &step) {
  constexpr int64_t kNone = -1;
  Value query = words.add(words.mul(step.tile, tiles.queries), column);
  SmallVector<Value> limits;
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value key =
              words.add(words.add(tiles.firstKey, rowInTile), half * kRowStep),
          limit = tiles.stage.getCausal() ? words.sub(key, query)
                                          : words.constant(kNone);
    if (tiles.hasPartialTile())
      limit = arith::SelectOp::create(
          b, loc, words.isLess(key, tiles.size(gradients.keyCount)), limit,
          words.constant(tiles.queries));
    limits.push_back(limit);
  }
  return limits;
}

SmallVector<Value> BackwardWeights::emit(ArrayRef<Value> scores,
                                         ArrayRef<Value> sums,
                                         const BackwardStep &step, Value row,
                                         Value firstColumn) {
  rowInTile = row;
  column = firstColumn;
  Value factor =
            number(tiles.stage.getScale().convertToDouble() / std::log(2.0)),
        negative = number(-1 / std::log(2.0)), zero = number(0);
  SmallVector<Value> subtracted, weights, limits;
  for (Value sum : sums)
    subtracted.push_back(arith::MulFOp::create(b, loc, sum, negative));
  if (step.isMasked)
    limits = emitLimits(step);
  for (auto [index, score] : llvm::enumerate(scores)) {
    const int64_t odd = int64_t(index) % kPair,
                  half = int64_t(index) / kPair % kThreadRows,
                  unit = int64_t(index) / kUnitValues;
    Value power = LLVM::FMAOp::create(b, loc, score, factor,
                                      subtracted[unit * kPair + odd]);
    Value weight = frame.emitAssembly(power.getType(), power,
                                      "ex2.approx.ftz.f32 $0, $1;", "=f,f");
    if (step.isMasked)
      weight = arith::SelectOp::create(
          b, loc,
          words.compare(arith::CmpIPredicate::sge,
                        words.constant(unit * kUnitColumns + odd),
                        limits[half]),
          weight, zero);
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
  for (auto [dim, index] : llvm::zip_equal(
           gradients.batches, emitBatchIndices(frame, gradients.batches,
                                               gradients.batches, step.batch)))
    point.bind(dim, words.widen(index));
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
