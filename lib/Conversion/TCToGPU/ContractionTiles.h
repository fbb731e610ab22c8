//===- ContractionTiles.h - The tiles of a product --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H

#include "ContractionKernel.h"
#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc {

/// Warps of a warp group.
inline constexpr int64_t kGroupWarps = block::kGroupThreads / kWarpThreads;

/// Arithmetic on i32 that are not negative.
struct Words {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  mlir::Value narrow(mlir::Value value) {
    return mlir::arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                         value);
  }
  mlir::Value widen(mlir::Value value) {
    return mlir::arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulIOp::create(builder, loc, a, b);
  }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return mlir::arith::DivUIOp::create(builder, loc, a, b);
  }
  mlir::Value rem(mlir::Value a, mlir::Value b) {
    return mlir::arith::RemUIOp::create(builder, loc, a, b);
  }
  mlir::Value min(mlir::Value a, mlir::Value b) {
    return mlir::arith::MinUIOp::create(builder, loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) {
    return b == 0 ? a : add(a, constant(b));
  }
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, constant(b)); }
  mlir::Value div(mlir::Value a, int64_t b) { return div(a, constant(b)); }
  mlir::Value rem(mlir::Value a, int64_t b) { return rem(a, constant(b)); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::ult, a, b);
  }
};

/// A tile: its point of the batch dimensions, walked as one, and its first row
/// and lane (i32).
struct TileCorner {
  mlir::Value batch, row, lane;
};

/// The tiles of a product with a schedule, and how a block walks them.
class ContractionTiles {
public:
  ContractionTiles(GPUFrame &frame, const TensorCoreProduct &product,
                   GPUContractionScheduleAttr schedule);

  GPUFrame &frame;
  const TensorCoreProduct &product;
  GPUContractionScheduleAttr schedule;
  Words words;

  /// Warp groups that multiply.
  int64_t countConsumers() const {
    return schedule.getRows() / block::kAccumulatorRows;
  }
  /// Of a stage: the bytes before the tile of the lanes' operand, and all.
  int64_t getLaneOffset() const {
    return schedule.getRows() * block::kBoxRowBytes;
  }
  int64_t getStageBytes() const {
    return getLaneOffset() + schedule.getLanes() * block::kBoxRowBytes;
  }
  block::PipelineType getPipelineType() const;
  /// This block's number in its cluster (i32), of two or more blocks.
  mlir::Value getRank() { return words.narrow(frame.clusterRank); }

  /// The number of tiles, of all blocks of a cluster together.
  SizeExpr countTiles() const { return batches.mul(tileRows).mul(tileLanes); }
  /// Steps of a block along what is summed over (i32), at least 1; how many
  /// there are at least. Blocks that share a tile have as many each: what the
  /// copy engine copies from behind the end is zero.
  mlir::Value countSteps();
  int64_t countKnownSteps() const;
  bool isSplit() const { return schedule.getSplits() > 1; }

  /// Runs `body` for each tile of this block, with values that it carries on,
  /// from `first`; those after the last tile.
  using TileBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const TileCorner &, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitTiles(mlir::ValueRange first,
                                           TileBody body);

  /// The tensor maps of the two operands, and of the results where the copy
  /// engine stores them.
  mlir::ArrayAttr getTensorMaps() const;
  /// Lanes of a box of results.
  int64_t getStoredLanes() const {
    return schedule.getLanes() % block::kBoxElements == 0
               ? block::kBoxElements
               : block::kBoxElements / 2;
  }
  /// Where the results that wait to be stored, or sums that blocks share, begin
  /// in shared memory, and its bytes.
  int64_t getStoreOffset() const;
  int64_t getSharedBytes() const;
  /// The indices of batch dimensions `dims` at point `batch` of all (i32).
  llvm::SmallVector<mlir::Value> getBatchIndices(llvm::ArrayRef<unsigned> dims,
                                                 mlir::Value batch);

private:
  int64_t countStepElements() const {
    return block::kBoxElements * schedule.getSplits();
  }
  TileCorner getCorner(mlir::Value tile);
  TensorMapAttr getTensorMap(const TensorCoreProduct::Matrix &matrix,
                             SizeExpr outer, SizeExpr inner, int64_t rows,
                             int64_t columns = block::kBoxElements) const;
  TensorMapAttr getOperandMap(const TensorCoreProduct::Matrix &matrix,
                              SizeExpr own, int64_t tile) const;
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }

  SizeExpr batches, tileRows, tileLanes;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H
