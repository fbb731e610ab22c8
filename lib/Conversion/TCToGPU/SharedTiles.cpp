//===- SharedTiles.cpp - Tiles whose sums blocks share in memory ----------===//
//
// A thread has the sums of the same points in every block, and reads those that
// the thread of its number has left. So warps wait for each other and not
// blocks: each has a counter for its sums, which is 1 while these are there,
// and which the warp that has read them sets back to 0.
//
//===----------------------------------------------------------------------===//

#include "SharedTiles.h"
#include "TC/Runtime/ABI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// What the threads that multiply leave, a block's sums after another's.
class PostedSums {
public:
  PostedSums(ContractionTiles &tiles, VectorType type)
      : tiles(tiles), b(tiles.frame.builder), loc(tiles.frame.loc),
        words(tiles.words), type(type),
        threads(tiles.countConsumers() * block::kGroupThreads),
        number(words.sub(words.narrow(tiles.frame.threadNumber),
                         words.constant(block::kGroupThreads))) {}
  /// Leaves those of this block.
  void post(Value values);
  /// Waits for those of the block of this one's rank in cluster `cluster`, and
  /// takes them: `sums` with them added.
  Value take(Value cluster, Value sums);

private:
  static constexpr int64_t kVector = block::kSumVector,
                           kBytes = block::kSumVectorBytes,
                           kCounterBytes = sizeof(uint32_t);
  int64_t countVectors() const { return type.getNumElements() / kVector; }
  Value getPlace(Value block);
  Value getPart(Value place, int64_t vector);
  Value getFour(Value values, int64_t vector);
  Value getCounter(Value block);
  void setCounter(Value counter, int64_t value, LLVM::AtomicOrdering ordering);
  void meetWarp();
  void await(Value counter);

  ContractionTiles &tiles;
  OpBuilder &b;
  Location loc;
  Words words;
  VectorType type; ///< of a thread's sums
  int64_t threads;
  Value number; ///< of the thread, of those that multiply (i32)
};
} // namespace

/// Vectors of neighbouring threads are neighbours in memory.
Value PostedSums::getPlace(Value block) {
  GPUFrame &frame = tiles.frame;
  Value vector =
      frame.add(frame.mul(words.widen(block),
                          frame.constant(threads * countVectors() * kBytes)),
                frame.mul(words.widen(number), frame.constant(kBytes)));
  Value base = frame.pointer(frame.kernel.getWorkspaceArgument());
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ValueRange{vector});
}

Value PostedSums::getPart(Value place, int64_t vector) {
  return LLVM::GEPOp::create(
      b, loc, place.getType(), b.getI8Type(), place,
      ArrayRef<LLVM::GEPArg>{int32_t(vector * threads * kBytes)});
}

Value PostedSums::getFour(Value values, int64_t vector) {
  const auto first = int32_t(vector * kVector);
  return LLVM::ShuffleVectorOp::create(
      b, loc, values, values,
      llvm::to_vector(llvm::seq<int32_t>(first, first + int32_t(kVector))));
}

Value PostedSums::getCounter(Value block) {
  Value warp = words.add(words.mul(block, threads / kWarpThreads),
                         words.div(number, kWarpThreads));
  return LLVM::GEPOp::create(b, loc, tiles.frame.counters.getType(),
                             b.getI32Type(), tiles.frame.counters,
                             ValueRange{words.widen(warp)});
}

void PostedSums::setCounter(Value counter, int64_t value,
                            LLVM::AtomicOrdering ordering) {
  LLVM::StoreOp::create(b, loc, words.constant(value), counter, kCounterBytes,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false, ordering, kDevice);
}

/// What the threads of the warp have stored is there for all of them, and so
/// for whoever sees what one of them releases.
void PostedSums::meetWarp() {
  NVVM::SyncWarpOp::create(b, loc, words.constant(kAllLanes));
}

void PostedSums::await(Value counter) {
  scf::WhileOp::create(
      b, loc, TypeRange(), ValueRange(),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value there = LLVM::LoadOp::create(
            b, loc, b.getI32Type(), counter, kCounterBytes,
            /*isVolatile=*/false, /*isNonTemporal=*/false,
            /*isInvariant=*/false, /*isInvariantGroup=*/false,
            LLVM::AtomicOrdering::acquire, kDevice);
        scf::ConditionOp::create(
            b, loc,
            words.compare(arith::CmpIPredicate::eq, there, words.constant(0)),
            ValueRange());
      },
      [&](OpBuilder &b, Location loc, ValueRange) {
        scf::YieldOp::create(b, loc);
      });
}

void PostedSums::post(Value values) {
  Value own = words.narrow(tiles.frame.blockNumber), place = getPlace(own);
  for (int64_t vector = 0; vector < countVectors(); ++vector)
    LLVM::StoreOp::create(b, loc, getFour(values, vector),
                          getPart(place, vector), kBytes);
  meetWarp();
  Value counter = getCounter(own), lane = words.rem(number, kWarpThreads);
  tiles.frame.emitIf(tiles.frame.isZero(words.widen(lane)), [&] {
    setCounter(counter, 1, LLVM::AtomicOrdering::release);
  });
}

/// A vector is added once it is loaded, as registers do not hold all of both.
/// All threads of the warp set the counter: LLVM moves sums behind a branch.
Value PostedSums::take(Value cluster, Value sums) {
  const int64_t blocks = tiles.schedule.getCluster();
  Value block = cluster;
  if (blocks > 1)
    block = words.add(words.mul(cluster, blocks), tiles.getRank());
  Value counter = getCounter(block), place = getPlace(block);
  await(counter);
  SmallVector<Value> values;
  for (int64_t vector = 0; vector < countVectors(); ++vector) {
    Value own = getFour(sums, vector),
          others = LLVM::LoadOp::create(b, loc, own.getType(),
                                        getPart(place, vector), kBytes),
          four = type.getElementType().isF32()
                     ? arith::AddFOp::create(b, loc, own, others).getResult()
                     : arith::AddIOp::create(b, loc, own, others).getResult();
    for (int64_t lane = 0; lane < kVector; ++lane)
      values.push_back(vector::ExtractOp::create(b, loc, four, lane));
  }
  meetWarp();
  setCounter(counter, 0, LLVM::AtomicOrdering::monotonic);
  return vector::FromElementsOp::create(b, loc, type, values);
}

void tc::emitPostedSums(ContractionTiles &tiles, Value values) {
  PostedSums(tiles, cast<VectorType>(values.getType())).post(values);
}

Value tc::emitAllSums(ContractionTiles &tiles, const TileWork &work,
                      Value values) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  Words words = tiles.words;
  PostedSums posted(tiles, cast<VectorType>(values.getType()));
  // Number 0 has none before it; nor has a block that has the tile's first
  // step.
  Value zero = words.constant(0);
  Value own = arith::SelectOp::create(
      b, loc, words.compare(arith::CmpIPredicate::eq, work.begin, zero), zero,
      tiles.getCluster());
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{own.getType(), values.getType()},
      ValueRange{own, values},
      [&](OpBuilder &, Location, ValueRange carried) {
        Value hasMore =
            words.isLess(work.firstShared, tiles.getFirstShared(carried[0]));
        scf::ConditionOp::create(b, loc, hasMore, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value before = words.sub(carried[0], words.constant(1)),
              sums = posted.take(before, carried[1]);
        scf::YieldOp::create(b, loc, ValueRange{before, sums});
      });
  return loop.getResult(1);
}
