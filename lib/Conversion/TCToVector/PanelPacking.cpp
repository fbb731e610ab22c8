//===- PanelPacking.cpp - Panels copied for register tiles ----------------===//

#include "PanelPacking.h"
#include "../KernelEmission/Loops.h"
#include "Packing.h"
#include "SquareTranspose.h"
#include "TC/Analysis/KernelIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class PanelPacking : Packing {
public:
  using Packing::Packing;

  void packAlong(Scope &scope, Value low, Value high, Value scratch);
  void packAcross(Scope &scope, Value low, Value high, Value scratch);

private:
  void storeZero(Value scratch, Value position);
  void zeroPartial(Scope &scope, Value low, Value high, Value scratch);
  Value zeroUnit(Scope &scope, Value scratch);
  void interleavePairs(Scope &scope, Value scratch);
};
} // namespace

/// Zeros in all lanes of a reduced point.
void PanelPacking::storeZero(Value scratch, Value position) {
  auto &builder = frame.builder;
  VectorType type = VectorType::get({packed.lanes}, element);
  store(
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(type)),
      scratch, frame.mul(position, frame.constant(packed.stride)));
}

/// Zeros in a panel that has fewer than all lanes.
void PanelPacking::zeroPartial(Scope &scope, Value low, Value high,
                               Value scratch) {
  auto lanes = countPoints(frame.kernel, packed.dims);
  if (lanes && *lanes % packed.lanes == 0)
    return;
  auto &builder = frame.builder;
  Value isPartial =
      arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                            frame.sub(high, low), frame.constant(packed.lanes));
  Value end = arith::SelectOp::create(builder, frame.loc, isPartial,
                                      block.points, frame.constant(0));
  emitSteps(frame, scope, frame.constant(0), end, 1,
            [&](Scope &, Value position) { storeZero(scratch, position); });
}

/// Vectors along the lanes, point after point.
void PanelPacking::packAlong(Scope &scope, Value low, Value high,
                             Value scratch) {
  auto &builder = frame.builder;
  unsigned vectorDim = packed.dims.back();
  // One dimension: a vector has all lanes of a point, those that are not there
  // as zeros.
  bool hasAllLanes = packed.dims.size() == 1;
  PointEmitter reader(frame, vectorDim,
                      hasAllLanes ? packed.lanes : packed.width);
  if (packed.fillsPanel() && !hasAllLanes)
    zeroPartial(scope, low, high, scratch);
  emitRuns(
      frame, scope, packed.dims, low, high,
      [&](Scope &run, Value from, Value to, Value origin) {
        Value shift = frame.sub(origin, low);
        reader.emitLoop(
            run, vectorDim, from, to, {}, [&](Scope &lanes, ValueRange) {
              emitBlockLoops(
                  reader, lanes, packed.reduced, block, [&](Scope &inner) {
                    Value vector = convert(reader.emitVector(operand, inner));
                    Value position =
                        getBlockPosition(frame, packed.reduced, inner, block);
                    Value offset = frame.add(
                        frame.mul(position, frame.constant(packed.stride)),
                        frame.add(shift, inner.indices[vectorDim]));
                    Value mask = inner.lanes ? inner.lanes->mask : Value();
                    // The end of a run: the next one's lanes, or the next
                    // point's.
                    if (mask && packed.storesMasked &&
                        !(packed.fillsPanel() && hasAllLanes))
                      LLVM::MaskedStoreOp::create(builder, frame.loc, vector,
                                                  at(scratch, offset), mask,
                                                  getElementBytes(element));
                    else
                      store(vector, scratch, offset);
                  });
              return SmallVector<Value>();
            });
      });
  if (packed.pair == 2)
    interleavePairs(scope, scratch);
}

/// Zeros behind the last of the points that are there, up to a whole unit;
/// where the unit ends.
Value PanelPacking::zeroUnit(Scope &scope, Value scratch) {
  auto &builder = frame.builder;
  if (packed.unit <= packed.pair) {
    if (packed.pair == 2)
      storeZero(scratch, block.points);
    return block.points;
  }
  Value unit = frame.constant(packed.unit);
  Value end = frame.mul(
      arith::CeilDivSIOp::create(builder, frame.loc, block.points, unit), unit);
  emitSteps(frame, scope, block.points, end, 1,
            [&](Scope &, Value position) { storeZero(scratch, position); });
  return end;
}

/// From two points one after the other to their pairs, lane by lane.
void PanelPacking::interleavePairs(Scope &scope, Value scratch) {
  auto &builder = frame.builder;
  int64_t lanes = packed.lanes;
  Type half = VectorType::get({lanes}, element);
  auto row = [&](Value position) {
    return at(scratch, frame.mul(position, frame.constant(packed.stride)));
  };
  Value end = zeroUnit(scope, scratch);
  emitSteps(frame, scope, frame.constant(0), end, 2,
            [&](Scope &, Value position) {
              auto load = [&](Value at) -> Value {
                return LLVM::LoadOp::create(builder, frame.loc, half, at,
                                            getElementBytes(element));
              };
              Value even = load(row(position)),
                    odd = load(row(frame.add(position, frame.constant(1))));
              LLVM::StoreOp::create(builder, frame.loc, interleave(even, odd),
                                    row(position), getElementBytes(element));
            });
}

/// Vectors along the reduced points, transposed in registers.
void PanelPacking::packAcross(Scope &scope, Value low, Value high,
                              Value scratch) {
  auto &builder = frame.builder;
  Type unit = packed.pair == 2 ? Type(builder.getI32Type()) : element,
       units = VectorType::get({packed.width}, unit);
  Value last = frame.sub(high, frame.constant(1));
  Value end =
      packed.fillsPanel() ? frame.add(low, frame.constant(packed.lanes)) : high;
  emitSteps(
      frame, scope, low, end, packed.width, [&](Scope &group, Value base) {
        SmallVector<Value> numbers;
        for (int64_t i = 0; i < packed.width; ++i)
          numbers.push_back(arith::MinSIOp::create(
              builder, frame.loc, frame.add(base, frame.constant(i)), last));
        Value lane =
            frame.mul(frame.sub(base, low), frame.constant(packed.pair));
        alongReduced(
            group, numbers, [&](Scope &, Value position, Vectors vectors) {
              if (packed.pair == 2)
                for (Value &vector : vectors)
                  vector = vector::BitCastOp::create(
                      builder, frame.loc, cast<VectorType>(units), vector);
              vectors = transposeSquare(frame, vectors);
              Value start = frame.add(
                  frame.mul(position, frame.constant(packed.stride)), lane);
              for (auto [i, vector] : llvm::enumerate(vectors)) {
                Value offset = frame.add(
                    start, frame.constant(i * packed.pair * packed.stride));
                store(vector, scratch, offset);
              }
            });
      });
}

void tc::packPanel(KernelFrame &frame, const PackedOperand &panel, Scope &scope,
                   Value low, Value high, ReducedBlock block, Value scratch) {
  PanelPacking packing(frame, panel, block);
  if (panel.packsAcross)
    packing.packAcross(scope, low, high, scratch);
  else
    packing.packAlong(scope, low, high, scratch);
}
