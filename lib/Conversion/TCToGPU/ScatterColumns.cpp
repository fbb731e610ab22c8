//===- ScatterColumns.cpp - Columns written to computed places ------------===//

#include "ScatterColumns.h"
#include "../KernelEmission/Loops.h"
#include "ScatterPoints.h"
#include "SharedSlots.h"

using namespace mlir;
using namespace tc;

namespace {
class ColumnScatterer : ScatterPoints {
public:
  ColumnScatterer(GPUFrame &frame, GPUScatterScheduleAttr schedule)
      : ScatterPoints(frame), schedule(schedule),
        columnDim(unsigned(schedule.getVectorDim())) {}

  LaunchShape emit();

private:
  /// Points of a chunk, one a thread, that go to the block's strip.
  struct Chunk {
    SmallVector<Slots> numbers; ///< of the elements, of each write
    Slots list;                 ///< the points in the strip, in order
    Slots words;                ///< a bit for each thread, of every warp
  };

  void emitGroup(const Group &group, Value strip, Value column, Scope &scope);
  Value emitList(const Group &group, const Chunk &chunk, Value first,
                 Value count, Value strip, Scope &scope);
  Value countBits(Value word);
  void emitListed(const Group &group, const Chunk &chunk, Value first,
                  Value count, Value strip, Value column, Scope &scope);
  Value isOwn(Value number, Value strip) {
    return isOwned(number, strip, schedule.getStrips());
  }

  /// Points whose values are loaded together.
  static constexpr int64_t kTogether = 8;

  GPUScatterScheduleAttr schedule;
  unsigned columnDim;
};
} // namespace

Value ColumnScatterer::countBits(Value word) {
  return LLVM::CtPopOp::create(b, loc, b.getI64Type(), word);
}

/// Lists the points of the chunk from `first` on that the block's strip has, in
/// their order, and gives their count.
Value ColumnScatterer::emitList(const Group &group, const Chunk &chunk,
                                Value first, Value count, Value strip,
                                Scope &scope) {
  Scope point(scope);
  point.bind(columnDim, frame.constant(0));
  Value thread = frame.threadNumber, any;
  for (Value element :
       storeNumbers(group, chunk.numbers, first, count, point)) {
    Value own = isOwn(element, strip);
    any = any ? Value(arith::OrIOp::create(b, loc, any, own)) : own;
  }
  Value lanes = frame.constant(kWarpThreads), one = frame.constant(1);
  Value warp = arith::DivUIOp::create(b, loc, thread, lanes),
        lane = arith::RemUIOp::create(b, loc, thread, lanes);
  Value word = arith::ExtUIOp::create(b, loc, b.getI64Type(), gatherBits(any));
  chunk.words.store(word, warp);
  gpu::BarrierOp::create(b, loc);
  // Behind those of the warps before, and of the lanes before.
  Value below = frame.sub(arith::ShLIOp::create(b, loc, one, lane), one);
  Value place = countBits(arith::AndIOp::create(b, loc, word, below));
  Value all = frame.constant(0);
  for (int64_t other = 0; other < frame.threads / kWarpThreads; ++other) {
    Value index = frame.constant(other);
    Value bits = countBits(chunk.words.load(b.getI64Type(), index));
    Value isBefore = compare(arith::CmpIPredicate::ult, index, warp);
    place = frame.add(place, arith::SelectOp::create(b, loc, isBefore, bits,
                                                     frame.constant(0)));
    all = frame.add(all, bits);
  }
  emitWhen(frame, scope, any,
           [&](Scope &) { chunk.list.store(thread, place); });
  gpu::BarrierOp::create(b, loc);
  return all;
}

/// Writes the listed points to the thread's column, in order.
void ColumnScatterer::emitListed(const Group &group, const Chunk &chunk,
                                 Value first, Value count, Value strip,
                                 Value column, Scope &scope) {
  Type i64 = b.getI64Type();
  Value size = frame.dimSize(columnDim), one = frame.constant(1);
  Value isColumn = compare(arith::CmpIPredicate::slt, column, size);
  Value present = minimum(column, frame.sub(size, one));
  emitSteps(
      frame, scope, frame.constant(0), count, kTogether,
      [&](Scope &batch, Value begin) {
        SmallVector<Value> places;
        SmallVector<std::unique_ptr<Scope>> scopes;
        for (int64_t next = 0; next < kTogether; ++next) {
          Value place = minimum(frame.add(begin, frame.constant(next)),
                                frame.sub(count, one));
          places.push_back(chunk.list.load(i64, place));
          Scope &point = *scopes.emplace_back(std::make_unique<Scope>(batch));
          bindDigits(frame, point, group.dims, frame.add(first, places.back()));
          point.bind(columnDim, present);
          for (WriteOp write : group.writes)
            points.emit(write.getValue(), point);
        }
        for (int64_t next = 0; next < kTogether; ++next) {
          Value isListed =
              compare(arith::CmpIPredicate::slt,
                      frame.add(begin, frame.constant(next)), count);
          for (auto [write, slots] :
               llvm::zip_equal(group.writes, chunk.numbers)) {
            WriteOp owned = write;
            Value own = arith::AndIOp::create(b, loc, isListed, isColumn);
            if (group.writes.size() > 1) // the strip may have others alone
              own = arith::AndIOp::create(
                  b, loc, own, isOwn(slots.load(i64, places[next]), strip));
            emitWhen(frame, *scopes[next], own, [&](Scope &target) {
              points.access.emitWrite(owned, target);
            });
          }
        }
      });
}

void ColumnScatterer::emitGroup(const Group &group, Value strip, Value column,
                                Scope &scope) {
  Chunk chunk{shareNumbers(group), Slots::share(frame, frame.threads),
              Slots::share(frame, frame.threads / kWarpThreads)};
  emitChunks(group, scope, [&](Scope &inner, Value first, Value count) {
    Value listed = emitList(group, chunk, first, count, strip, inner);
    emitListed(group, chunk, first, listed, strip, column, inner);
  });
}

LaunchShape ColumnScatterer::emit() {
  SmallVector<unsigned> rows;
  for (unsigned dim : outer.set_bits())
    if (dim != columnDim)
      rows.push_back(dim);
  SizeExpr tiles = frame.kernel.getDimSize(columnDim).ceilDiv(
      SizeExpr::constant(b.getContext(), frame.threads));
  Value width = frame.constant(frame.threads), tileCount = frame.size(tiles);
  SmallVector<Group> groups = getGroups();
  return emitBlocks(countPoints(rows).mul(tiles), schedule.getStrips(),
                    [&](Scope &scope, Value part, Value strip) {
                      Value row =
                          arith::DivUIOp::create(b, loc, part, tileCount);
                      Value tile = frame.sub(part, frame.mul(row, tileCount));
                      bindDigits(frame, scope, rows, row);
                      Value column =
                          frame.add(frame.mul(tile, width), frame.threadNumber);
                      for (const Group &group : groups)
                        emitGroup(group, strip, column, scope);
                    });
}

LaunchShape tc::emitScatterColumns(GPUFrame &frame,
                                   GPUScatterScheduleAttr schedule) {
  return ColumnScatterer(frame, schedule).emit();
}
