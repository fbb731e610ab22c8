//===- AttentionProducts.cpp - Products of attention ----------------------===//

#include "AttentionProducts.h"

using namespace mlir;
using namespace tc;

AttentionProducts::AttentionProducts(AttentionTiles &tiles, Value queries,
                                     Value keys, Value values)
    : AttentionEmission(tiles), element(tiles.attention.parts.values.getType()),
      queries(queries), keys(keys), values(values),
      group(words.sub(words.div(block::WarpOp::create(b, loc), kGroupWarps),
                      words.constant(1))),
      queryOffset(
          words.mul(group, block::kAccumulatorRows * block::kBoxRowBytes)) {}

/// The scores of keys in a stage, of which neither is waited for.
Value AttentionProducts::multiplyQueries(Value keySlot, const KeyPart &part) {
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
Value AttentionProducts::multiplyWeights(const KeyProgress &progress,
                                         int64_t offset) {
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

SmallVector<Value> AttentionProducts::read(Value accumulator, int64_t earlier,
                                           ValueRange kept) {
  auto type = dyn_cast<block::AccumulatorType>(accumulator.getType());
  if (!type) // the products of warps are done
    return split(accumulator);
  Value all = block::MmaWaitOp::create(
      b, loc, VectorType::get({type.getThreadValues()}, b.getF32Type()),
      accumulator, earlier, kept);
  return split(all);
}

Value AttentionProducts::makeNoResults() {
  VectorType type = getValuesType(attention.countMultipliedColumns());
  return accumulate(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

/// Multiplies a thread's values of an accumulator by the `scale` of their rows:
/// number 2 h of each 4 and the next are of the thread's row h.
void AttentionProducts::scaleRows(MutableArrayRef<Value> results,
                                  const Value *scale) {
  for (auto [index, value] : llvm::enumerate(results))
    value =
        arith::MulFOp::create(b, loc, value, scale[index / 2 % kThreadRows]);
}
