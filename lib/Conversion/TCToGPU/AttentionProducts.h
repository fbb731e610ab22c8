//===- AttentionProducts.h - Products of attention --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPRODUCTS_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPRODUCTS_H

#include "AttentionScores.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {

/// What a thread knows of the blocks of keys so far.
struct KeyProgress {
  /// An accumulator, or values of warps, without the block before.
  mlir::Value results;
  llvm::SmallVector<mlir::Value> weights; ///< words, of the block before
  RowStates states;
  mlir::Value keySlot, valueSlot;

  llvm::SmallVector<mlir::Value> getValues() const {
    llvm::SmallVector<mlir::Value> values = getValuesButResults();
    values.insert(values.begin(), results);
    return values;
  }
  llvm::SmallVector<mlir::Value> getValuesButResults() const {
    llvm::SmallVector<mlir::Value> values = {keySlot, valueSlot};
    for (int64_t half = 0; half < kThreadRows; ++half)
      values.append({states.largest[half], states.sum[half]});
    llvm::append_range(values, weights);
    return values;
  }
  static KeyProgress get(mlir::ValueRange values) {
    return getBehind(values.front(), values.drop_front());
  }
  static KeyProgress getBehind(mlir::Value results, mlir::ValueRange values) {
    KeyProgress progress;
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
  mlir::Value first;
  int64_t offset;
  mlir::Value shift;
};

/// What warp groups multiply: queries and keys, and weights and values.
class AttentionProducts : public AttentionEmission {
public:
  /// Of queries, keys and values in these pipelines.
  AttentionProducts(AttentionTiles &tiles, mlir::Value queries,
                    mlir::Value keys, mlir::Value values);

  block::AccumulatorType getAccumulator(int64_t columns) {
    return block::AccumulatorType::get(b.getContext(), columns, b.getF32Type());
  }
  /// The type of a thread's values of so many columns.
  mlir::VectorType getValuesType(int64_t columns) {
    return mlir::VectorType::get({getAccumulator(columns).getThreadValues()},
                                 b.getF32Type());
  }
  /// The thread's results as what is added to.
  mlir::Value accumulate(mlir::Value values) {
    if (tiles.schedule.getWarpProducts())
      return values;
    return block::AccumulatorOp::create(
        b, loc, getAccumulator(attention.countMultipliedColumns()), values);
  }
  /// Values as a vector, and the other way round.
  mlir::Value join(llvm::ArrayRef<mlir::Value> values) {
    auto type = mlir::VectorType::get({int64_t(values.size())}, b.getF32Type());
    return mlir::vector::FromElementsOp::create(b, loc, type, values);
  }
  llvm::SmallVector<mlir::Value> split(mlir::Value values) {
    llvm::SmallVector<mlir::Value> elements;
    int64_t count = cast<mlir::VectorType>(values.getType()).getNumElements();
    for (int64_t index = 0; index < count; ++index)
      elements.push_back(
          mlir::vector::ExtractOp::create(b, loc, values, index));
    return elements;
  }
  mlir::Value multiplyQueries(mlir::Value keySlot, const KeyPart &part);
  llvm::SmallVector<mlir::Value> read(mlir::Value accumulator, int64_t earlier,
                                      mlir::ValueRange kept = {});
  mlir::Value next(mlir::Value pipeline, mlir::Value slot) {
    return block::NextSlotOp::create(b, loc, pipeline, slot);
  }
  mlir::Value multiplyWeights(const KeyProgress &progress, int64_t offset = 0);
  mlir::Value makeNoResults();
  void scaleRows(llvm::MutableArrayRef<mlir::Value> results,
                 const mlir::Value *scale);

  mlir::Type element;
  mlir::Value queries, keys, values;
  mlir::Value querySlot;
  /// The number of the warp group of those that multiply (i32), and where its
  /// rows begin in a box of queries.
  mlir::Value group, queryOffset;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPRODUCTS_H
