//===- AttentionPartProducer.cpp - What threads copy for attention --------===//

#include "AttentionPartProducer.h"
#include "../KernelEmission/AccessEmitter.h"
#include "PartCopies.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// A matrix that tiles have boxes of, and the ring of their stages.
struct Operand {
  const CopiedMatrix &matrix;
  PartCopies copies;
  Value pipeline;
  int64_t rows, boxes; ///< of a stage, the boxes next to each other

  Operand(AttentionTiles &tiles, const CopiedMatrix &matrix, Value pipeline,
          SizeExpr count, int64_t elements, int64_t rows)
      : matrix(matrix),
        copies(tiles.frame, matrix, block::kElementBytes, count,
               SizeExpr::constant(tiles.schedule.getContext(), elements)),
        pipeline(pipeline), rows(rows),
        boxes(llvm::divideCeil(elements, block::kBoxElements)) {}
};

class PartProducer {
public:
  PartProducer(AttentionTiles &tiles, Value queries, Value keys, Value values);
  void emit();

private:
  void emitTiles(bool mayCopy);
  Value fill(Operand &operand, Value slot, Value row, bool mayCopy);
  std::pair<Value, Value> emitBlocks(Value keySlot, Value valueSlot,
                                     bool mayCopy);

  AttentionTiles &tiles;
  OpBuilder &b;
  Location loc;
  Words words;
  Operand queries, keys, values;
};
} // namespace

PartProducer::PartProducer(AttentionTiles &tiles, Value queries, Value keys,
                           Value values)
    : tiles(tiles), b(tiles.frame.builder), loc(tiles.frame.loc),
      words(tiles.words),
      queries(tiles, tiles.attention.queries, queries,
              tiles.attention.queryCount, tiles.attention.depth,
              tiles.schedule.getRows()),
      keys(tiles, tiles.attention.keys, keys, tiles.attention.keyCount,
           tiles.attention.depth, tiles.schedule.getKeys()),
      values(tiles, tiles.attention.values, values, tiles.attention.keyCount,
             tiles.attention.columns, tiles.schedule.getKeys()) {}

/// Fills a stage with rows from `row` on; the slot after it.
Value PartProducer::fill(Operand &operand, Value slot, Value row,
                         bool mayCopy) {
  block::AwaitEmptyOp::create(b, loc, operand.pipeline, slot);
  PartCopies::Box box{operand.pipeline,
                      slot,
                      /*offset=*/0,
                      operand.rows,
                      tiles.getMatrixIndices(operand.matrix),
                      row,
                      words.constant(0),
                      /*outerTile=*/operand.rows,
                      /*innerTile=*/block::kBoxElements};
  for (int64_t number = 0; number < operand.boxes; ++number) {
    box.offset = number * operand.rows * block::kBoxRowBytes;
    box.inner = words.constant(number * block::kBoxElements);
    if (mayCopy)
      operand.copies.emit(box);
    else
      operand.copies.emitByElements(box);
  }
  block::GiveCopiesOp::create(b, loc, operand.pipeline, slot);
  return block::NextSlotOp::create(b, loc, operand.pipeline, slot);
}

/// The blocks of keys, from the last one down, and their values; the slots
/// after them.
std::pair<Value, Value> PartProducer::emitBlocks(Value keySlot, Value valueSlot,
                                                 bool mayCopy) {
  const KeyBlocks &blocks = tiles.place.keyBlocks;
  Value one = words.constant(1);
  auto loop = scf::ForOp::create(b, loc, words.constant(0),
                                 words.sub(blocks.end, blocks.begin), one,
                                 ValueRange{keySlot, valueSlot});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = words.sub(words.sub(blocks.end, one), loop.getInductionVar()),
        row = words.mul(number, tiles.schedule.getKeys());
  Value nextKeys = fill(keys, loop.getRegionIterArgs()[0], row, mayCopy),
        nextValues = fill(values, loop.getRegionIterArgs()[1], row, mayCopy);
  scf::YieldOp::create(b, loc, ValueRange{nextKeys, nextValues});
  return {loop.getResult(0), loop.getResult(1)};
}

void PartProducer::emitTiles(bool mayCopy) {
  auto firstSlot = [&]() -> Value {
    return block::FirstSlotOp::create(b, loc);
  };
  tiles.emitTiles(
      /*draws=*/false, {firstSlot(), firstSlot(), firstSlot()},
      [&](ValueRange slots) {
        Value next = fill(queries, slots[0], tiles.getFirstQuery(), mayCopy);
        auto [keySlot, valueSlot] = emitBlocks(slots[1], slots[2], mayCopy);
        return SmallVector<Value>{next, keySlot, valueSlot};
      });
}

void PartProducer::emit() {
  Value mayCopy;
  for (Operand *operand : {&queries, &keys, &values})
    mayCopy = restrictMask(b, loc, mayCopy, operand->copies.emitMayCopy());
  auto either = scf::IfOp::create(b, loc, mayCopy, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(either.thenBlock()->getTerminator());
  emitTiles(/*mayCopy=*/true);
  b.setInsertionPoint(either.elseBlock()->getTerminator());
  emitTiles(/*mayCopy=*/false);
}

void tc::emitAttentionPartProducer(AttentionTiles &tiles, Value queries,
                                   Value keys, Value values) {
  PartProducer(tiles, queries, keys, values).emit();
}
