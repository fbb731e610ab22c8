//===- ScatterKernel.cpp - Writes to computed places ----------------------===//

#include "ScatterKernel.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/Monoid.h"
#include "ScatterColumns.h"
#include "ScatterPoints.h"
#include "SharedSlots.h"
#include "TC/Analysis/TaskPlan.h"
#include "Words.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

namespace {
class Scatterer : ScatterPoints {
public:
  Scatterer(GPUFrame &frame, GPUScatterScheduleAttr schedule)
      : ScatterPoints(frame), schedule(schedule) {}

  LaunchShape emitStrips();
  LaunchShape emitAtomic();

private:
  void emitGroup(const Group &group, Value strip, Scope &scope);
  void emitByLanes(const Group &group, Scope &scope);
  void emitInTurns(WriteOp write, Value number, Scope &point);
  Value countBefore(Value number);
  void emitOwned(const Group &group, ArrayRef<Slots> numbers, Value chunk,
                 Value worker, Scope &scope);
  void emitAtomicWrite(WriteOp write, Scope &scope);
  void inLaunch(int64_t step, function_ref<void(Scope &)> body);
  void atElement(WriteOp write, Scope &scope,
                 function_ref<void(Value, Scope &)> body);
  LaunchShape emitLastPoints();
  SizeExpr emitPoints(Scope &scope,
                      function_ref<void(WriteOp, Value number, Scope &)> body);

  GPUScatterScheduleAttr schedule;
};
} // namespace

/// Does this warp's writes of the chunk of points that begins at `chunk`, whose
/// elements have the numbers `numbers`. One thread does them, so that each sees
/// what those before it have stored.
void Scatterer::emitOwned(const Group &group, ArrayRef<Slots> numbers,
                          Value chunk, Value worker, Scope &scope) {
  int64_t warps = schedule.getStrips() * (frame.threads / kWarpThreads);
  Value zero = frame.constant(0), one = frame.constant(1);
  Value lane = arith::AndIOp::create(b, loc, frame.threadNumber,
                                     frame.constant(kWarpThreads - 1));
  Value isFirstLane = compare(arith::CmpIPredicate::eq, lane, zero);
  auto isOwn = [&](Value number) { return isOwned(number, worker, warps); };
  emitSteps(
      frame, scope, zero, frame.constant(frame.threads), kWarpThreads,
      [&](Scope &batch, Value first) {
        Value any;
        for (const Slots &slots : numbers) {
          Value own = isOwn(slots.load(b.getI64Type(), frame.add(first, lane)));
          any = any ? Value(arith::OrIOp::create(b, loc, any, own)) : own;
        }
        Value bits =
            arith::ExtUIOp::create(b, loc, b.getI64Type(), gatherBits(any));
        Value works = arith::AndIOp::create(
            b, loc, isFirstLane, compare(arith::CmpIPredicate::ne, bits, zero));
        emitWhen(frame, batch, works, [&](Scope &inner) {
          emitSteps(
              frame, inner, zero, frame.constant(kWarpThreads), 1,
              [&](Scope &each, Value number) {
                Value bit = arith::AndIOp::create(
                    b, loc, arith::ShRUIOp::create(b, loc, bits, number), one);
                Value isSet = compare(arith::CmpIPredicate::ne, bit, zero);
                emitWhen(frame, each, isSet, [&](Scope &point) {
                  Value at = frame.add(first, number);
                  bindDigits(frame, point, group.dims, frame.add(chunk, at));
                  for (auto [write, slots] :
                       llvm::zip_equal(group.writes, numbers)) {
                    WriteOp owned = write;
                    Value own = isOwn(slots.load(b.getI64Type(), at));
                    emitWhen(frame, point, own, [&](Scope &target) {
                      points.access.emitWrite(owned, target);
                    });
                  }
                });
              });
        });
      });
}

/// Of the lanes of the warp before this one, how many have the element `number`
/// as well (i32).
Value Scatterer::countBefore(Value number) {
  Words words{b, loc};
  Type i32 = b.getI32Type();
  constexpr int64_t kHalf = 32;
  Value low = arith::TruncIOp::create(b, loc, i32, number),
        high = arith::TruncIOp::create(
            b, loc, i32,
            arith::ShRUIOp::create(b, loc, number, frame.constant(kHalf))),
        lane = words.narrow(frame.threadNumber), count = words.constant(0);
  for (int64_t distance = 1; distance < kWarpThreads; ++distance) {
    auto getOther = [&](Value word) -> Value {
      return gpu::ShuffleOp::create(b, loc, word, distance, kWarpThreads,
                                    gpu::ShuffleMode::XOR)
          .getShuffleResult();
    };
    // Each other lane is met once: lane ^ distance, which is less or more.
    Value other = arith::XOrIOp::create(b, loc, lane, words.constant(distance));
    Value isSame = arith::AndIOp::create(
        b, loc, compare(arith::CmpIPredicate::eq, getOther(low), low),
        compare(arith::CmpIPredicate::eq, getOther(high), high));
    Value counts =
        arith::AndIOp::create(b, loc, isSame, words.isLess(other, lane));
    count = words.add(count, arith::ExtUIOp::create(b, loc, i32, counts));
  }
  return count;
}

/// Does `write` of the lane's point to the element `number`, -1 for none. Lanes
/// with one element do it one after the other, those with several together.
void Scatterer::emitInTurns(WriteOp write, Value number, Scope &point) {
  Words words{b, loc};
  Value isPoint = compare(arith::CmpIPredicate::sge, number, frame.constant(0));
  Value turn = arith::SelectOp::create(b, loc, isPoint, countBefore(number),
                                       words.constant(0));
  points.emit(write.getValue(), point);
  Value last =
      NVVM::ReduxOp::create(b, loc, turn.getType(), turn, NVVM::ReduxKind::UMAX,
                            words.constant(kAllLanes));
  emitSteps(frame, point, frame.constant(0),
            frame.add(words.widen(last), frame.constant(1)), 1,
            [&](Scope &round, Value number) {
              Value isTurn =
                  arith::AndIOp::create(b, loc, isPoint,
                                        compare(arith::CmpIPredicate::eq, turn,
                                                words.narrow(number)));
              emitWhen(frame, round, isTurn, [&](Scope &target) {
                points.access.emitWrite(write, target);
              });
              NVVM::SyncWarpOp::create(b, loc, words.constant(kAllLanes));
            });
}

/// Goes through the points in chunks of one for each lane of the only warp.
void Scatterer::emitByLanes(const Group &group, Scope &scope) {
  Value count = frame.size(group.count);
  emitSteps(frame, scope, frame.constant(0), count, kWarpThreads,
            [&](Scope &point, Value first) {
              Value number = frame.add(first, frame.threadNumber);
              Value isPoint = compare(arith::CmpIPredicate::slt, number, count);
              bindDigits(frame, point, group.dims,
                         minimum(number, frame.sub(count, frame.constant(1))));
              for (WriteOp write : group.writes)
                emitInTurns(write, emitNumber(write, isPoint, point), point);
            });
}

/// Goes through the points in chunks of one for each thread, whose elements all
/// threads of the block find out together.
void Scatterer::emitGroup(const Group &group, Value strip, Scope &scope) {
  Value warps = frame.constant(frame.threads / kWarpThreads);
  Value warp = arith::DivUIOp::create(b, loc, frame.threadNumber,
                                      frame.constant(kWarpThreads));
  Value worker = frame.add(frame.mul(strip, warps), warp);
  SmallVector<Slots> numbers = shareNumbers(group);
  emitChunks(group, scope, [&](Scope &inner, Value chunk, Value count) {
    Scope point(inner);
    storeNumbers(group, numbers, chunk, count, point);
    gpu::BarrierOp::create(b, loc);
    emitOwned(group, numbers, chunk, worker, inner);
  });
}

LaunchShape Scatterer::emitStrips() {
  SmallVector<unsigned> rows(outer.set_bits());
  SmallVector<Group> groups = getGroups();
  return emitBlocks(countPoints(rows), schedule.getStrips(),
                    [&](Scope &scope, Value row, Value strip) {
                      bindDigits(frame, scope, rows, row);
                      for (const Group &group : groups)
                        if (frame.threads * schedule.getStrips() ==
                            kWarpThreads)
                          emitByLanes(group, scope);
                        else
                          emitGroup(group, strip, scope);
                    });
}

static LLVM::AtomicBinOp getAtomicOp(CombineKind kind, Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  switch (kind) {
  case CombineKind::Max:
    return isUnsigned ? LLVM::AtomicBinOp::umax : LLVM::AtomicBinOp::max;
  case CombineKind::Min:
    return isUnsigned ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::min;
  default:
    return isa<FloatType>(type) ? LLVM::AtomicBinOp::fadd
                                : LLVM::AtomicBinOp::add;
  }
}

void Scatterer::emitAtomicWrite(WriteOp write, Scope &scope) {
  if (write.getCombine() == CombineKind::Replace)
    return points.access.emitWrite(write, scope);
  Address address = points.access.addressOf(write, scope);
  Value value = points.emit(write.getValue(), scope);
  auto combine = [&](Scope &) {
    LLVM::AtomicRMWOp::create(
        b, loc, getAtomicOp(write.getCombine(), write.getValue().getType()),
        address.pointer, value, LLVM::AtomicOrdering::monotonic, "device");
  };
  if (Value accessed = isAccessed(address))
    emitWhen(frame, scope, accessed, combine);
  else
    combine(scope);
}

/// Runs `body` for every write at every point of its dimensions, which have a
/// number in the order of the domain. Gives the blocks that have a thread for
/// each point.
SizeExpr
Scatterer::emitPoints(Scope &scope,
                      function_ref<void(WriteOp, Value number, Scope &)> body) {
  Value width = frame.constant(frame.threads);
  SizeExpr most = SizeExpr::constant(b.getContext(), 0);
  for (const Group &group : getGroups()) {
    SmallVector<unsigned> dims(outer.set_bits());
    llvm::append_range(dims, group.dims);
    llvm::sort(dims);
    SizeExpr count = countPoints(dims);
    most = most.max(
        count.ceilDiv(SizeExpr::constant(b.getContext(), frame.threads)));
    Value first =
        frame.add(frame.mul(frame.blockNumber, width), frame.threadNumber);
    emitSteps(frame, scope, first, frame.size(count),
              frame.mul(frame.blockCount, width),
              [&](Scope &inner, Value number) {
                bindDigits(frame, inner, dims, number);
                for (WriteOp write : group.writes)
                  body(write, number, inner);
              });
  }
  return most;
}

LaunchShape Scatterer::emitAtomic() {
  if (replacesAtomically(frame.kernel))
    return emitLastPoints();
  LaunchShape shape;
  Scope root(frame);
  shape.count = emitPoints(root, [&](WriteOp write, Value, Scope &scope) {
    emitAtomicWrite(write, scope);
  });
  return shape;
}

/// Runs `body` in launch number `step`. Its scope is not inside of one that all
/// launches share: a value is computed in the code of each.
void Scatterer::inLaunch(int64_t step, function_ref<void(Scope &)> body) {
  Scope root(frame);
  emitWhen(
      frame, root,
      compare(arith::CmpIPredicate::eq, frame.step(), frame.constant(step)),
      body);
}

/// Runs `body` where `write` stores at all, with the number of its element.
void Scatterer::atElement(WriteOp write, Scope &scope,
                          function_ref<void(Value, Scope &)> body) {
  Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value element = emitNumber(write, always, scope);
  emitWhen(frame, scope,
           compare(arith::CmpIPredicate::ne, element, frame.constant(-1)),
           [&](Scope &inner) { body(element, inner); });
}

/// The workspace has the number of the last point at each element, one buffer
/// after the other: -1 in the first launch, the maxima of the second one, which
/// the third one compares with the numbers of the points.
LaunchShape Scatterer::emitLastPoints() {
  Slots all(frame, frame.pointer(frame.kernel.getWorkspaceArgument()));
  llvm::DenseMap<Operation *, Slots> lasts;
  SizeExpr elements = SizeExpr::constant(b.getContext(), 0);
  for (WriteOp write : frame.kernel.getBodyBlock().getOps<WriteOp>())
    if (write.isScatter() && write.getCombine() == CombineKind::Replace) {
      lasts.try_emplace(write, all.from(frame.size(elements)));
      auto type = cast<ShapedType>(write.getDestination().getType());
      elements = elements.add(getElementCount(getSizes(type), b.getContext()));
    }
  inLaunch(0, [&](Scope &scope) {
    Value width = frame.constant(frame.threads);
    Value first =
        frame.add(frame.mul(frame.blockNumber, width), frame.threadNumber);
    emitSteps(frame, scope, first, frame.size(elements),
              frame.mul(frame.blockCount, width), [&](Scope &, Value number) {
                all.store(frame.constant(-1), number);
              });
  });
  SizeExpr blocks;
  inLaunch(1, [&](Scope &scope) {
    blocks = emitPoints(scope, [&](WriteOp write, Value number, Scope &point) {
      if (auto last = lasts.find(write); last != lasts.end())
        atElement(write, point, [&](Value element, Scope &) {
          LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::max,
                                    last->second.addressOf(element), number,
                                    LLVM::AtomicOrdering::monotonic, "device");
        });
    });
  });
  inLaunch(2, [&](Scope &scope) {
    emitPoints(scope, [&](WriteOp write, Value number, Scope &point) {
      auto last = lasts.find(write);
      if (last == lasts.end())
        return emitAtomicWrite(write, point);
      atElement(write, point, [&](Value element, Scope &inner) {
        Value isLast = compare(arith::CmpIPredicate::eq, number,
                               last->second.load(b.getI64Type(), element));
        emitWhen(frame, inner, isLast, [&](Scope &target) {
          points.access.emitWrite(write, target);
        });
      });
    });
  });
  LaunchShape shape;
  shape.count = blocks;
  shape.steps = {
      elements.ceilDiv(SizeExpr::constant(b.getContext(), frame.threads)),
      blocks, blocks};
  return shape;
}

FailureOr<LaunchShape> tc::emitScatterKernel(GPUFrame &frame,
                                             GPUScatterScheduleAttr schedule) {
  KernelOp kernel = frame.kernel;
  if (auto bytes = getWorkspaceBytes(kernel); bytes && !kernel.getWorkspace())
    return kernel.emitOpError("'")
           << kernel.getName() << "' has no workspace; expected one of "
           << bytes->str() << " bytes (run tc-assign-workspaces first)";
  Scatterer scatterer(frame, schedule);
  LaunchShape shape = schedule.getAtomic() ? scatterer.emitAtomic()
                      : schedule.getVectorDim() >= 0
                          ? emitScatterColumns(frame, schedule)
                          : scatterer.emitStrips();
  shape.grain = SizeExpr::constant(frame.builder.getContext(), 1);
  shape.threads = frame.threads;
  return shape;
}
