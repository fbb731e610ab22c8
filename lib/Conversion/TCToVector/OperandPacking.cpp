//===- OperandPacking.cpp - Operands copied for register tiles ------------===//

#include "OperandPacking.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "CPUFrame.h"
#include "SquareTranspose.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

namespace {
/// Vectors of an operand along the reduced dimensions.
using Vectors = SmallVector<Value>;

class Packing {
public:
  Packing(KernelFrame &frame, const PackedOperand &packed, ReducedBlock block)
      : frame(frame), packed(packed), operand(packed.operand),
        element(packed.element), block(block),
        step(packed.pair * packed.width) {}

  /// Calls `body` for every `step` reduced points, with one vector of packed
  /// elements for each row or lane whose number is in `numbers`. Beyond the
  /// block's points vectors hold 0.
  void alongReduced(
      Scope &scope, ValueRange numbers,
      llvm::function_ref<void(Scope &, Value position, const Vectors &)> body);
  /// Whether elements of reduced points are contiguous.
  bool isLinear() const;

  void packAcross(Scope &scope, Value low, Value high, Value scratch);
  void packAlong(Scope &scope, Value low, Value high, Value scratch);
  Value at(Value scratch, Value offset) const {
    return LLVM::GEPOp::create(frame.builder, frame.loc, scratch.getType(),
                               element, scratch, ValueRange{offset});
  }
  /// `vector` (of compute elements) in the packed type.
  Value convert(Value vector) const;
  Value zeroUnit(Scope &scope, Value scratch);
  void interleavePairs(Scope &scope, Value scratch);

private:
  void alongLinear(
      Scope &scope, ValueRange numbers,
      llvm::function_ref<void(Scope &, Value position, const Vectors &)> body);
  Value loadLinear(ReadOp read, Value pointer, Value position);
  Value reducedMask(Value position);

  KernelFrame &frame;
  const PackedOperand &packed;
  Value operand;
  Type element; ///< in memory
  ReducedBlock block;
  int64_t step;
};
} // namespace

Value tc::getBlockPosition(KernelFrame &frame, ArrayRef<unsigned> reduced,
                           Scope &scope, ReducedBlock block) {
  Value position = frame.constant(0);
  for (auto [index, dim] : llvm::enumerate(reduced)) {
    Value point = scope.indices[dim];
    if (index == 0)
      point = frame.sub(point, block.low);
    position = frame.add(frame.mul(position, frame.dimSize(dim)), point);
  }
  return position;
}

/// Loops over a block of reduced points; lanes along the emitter's dimension.
static void emitBlockLoops(PointEmitter &emitter, Scope &scope,
                           ArrayRef<unsigned> reduced, ReducedBlock block,
                           llvm::function_ref<void(Scope &)> body) {
  if (reduced.empty())
    return body(scope);
  emitter.emitLoop(scope, reduced.front(), block.low, block.high, {},
                   [&](Scope &inner, ValueRange) {
                     return emitter.emitLoops(inner, reduced.drop_front(), {},
                                              [&](Scope &point, ValueRange) {
                                                body(point);
                                                return SmallVector<Value>();
                                              });
                   });
}

//===----------------------------------------------------------------------===//
// How an operand is read
//===----------------------------------------------------------------------===//

bool Packing::isLinear() const {
  return getLinearRead(frame.kernel, operand, packed.reduced) != nullptr;
}

Value Packing::convert(Value vector) const {
  auto &builder = frame.builder;
  if (getElementTypeOrSelf(vector) == element)
    return vector;
  // Lanes of one element are scalars.
  auto withElement = [&](Type other) -> Type {
    auto type = dyn_cast<VectorType>(vector.getType());
    return type ? type.clone(other) : other;
  };
  Type i16 = withElement(element);
  if (!operand.getDefiningOp<ReadOp>())
    return arith::BitcastOp::create(
        builder, frame.loc, i16,
        arith::TruncFOp::create(builder, frame.loc,
                                withElement(builder.getBF16Type()), vector));
  if (!operand.getType().isBF16())
    return narrow(frame, vector, operand.getType());
  // What was read as bf16 loses only zeros.
  Type i32 = withElement(builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, frame.loc, i32, vector);
  auto sixteen = builder.getI32IntegerAttr(16);
  TypedAttr shift = sixteen;
  if (auto shaped = dyn_cast<ShapedType>(i32))
    shift = DenseElementsAttr::get(shaped, sixteen);
  bits = arith::ShRUIOp::create(
      builder, frame.loc, bits,
      arith::ConstantOp::create(builder, frame.loc, shift));
  return arith::TruncIOp::create(builder, frame.loc, i16, bits);
}

/// Which of the `step` points from `position` on are in the block; null when
/// all are.
Value Packing::reducedMask(Value position) {
  if (packed.isWholeVectors)
    return nullptr;
  auto &builder = frame.builder;
  Type i32 = builder.getI32Type(), vector = VectorType::get({step}, i32);
  SmallVector<int32_t> numbers =
      llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(step)));
  Value lanes = arith::ConstantOp::create(
      builder, frame.loc,
      DenseElementsAttr::get(cast<ShapedType>(vector),
                             ArrayRef<int32_t>(numbers)));
  Value left = arith::TruncIOp::create(builder, frame.loc, i32,
                                       frame.sub(block.points, position));
  left = vector::BroadcastOp::create(builder, frame.loc, vector, left);
  return arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                               lanes, left);
}

Value Packing::loadLinear(ReadOp read, Value pointer, Value position) {
  auto &builder = frame.builder;
  Type type = read.getResult().getType(), storage = getStorageType(type),
       vector = VectorType::get({step}, storage);
  unsigned alignment = getElementBytes(type);
  Value address = LLVM::GEPOp::create(builder, frame.loc, pointer.getType(),
                                      storage, pointer, ValueRange{position});
  Value loaded;
  if (Value mask = reducedMask(position)) {
    Value zero = arith::ConstantOp::create(builder, frame.loc,
                                           builder.getZeroAttr(vector));
    loaded =
        LLVM::MaskedLoadOp::create(builder, frame.loc, vector, address, mask,
                                   zero, builder.getI32IntegerAttr(alignment));
  } else {
    loaded =
        LLVM::LoadOp::create(builder, frame.loc, vector, address, alignment);
  }
  if (storage == element)
    return loaded;
  return convert(widen(frame, loaded, type));
}

void Packing::alongLinear(
    Scope &scope, ValueRange numbers,
    llvm::function_ref<void(Scope &, Value, const Vectors &)> body) {
  auto read = operand.getDefiningOp<ReadOp>();
  PointEmitter reader(frame, std::nullopt, 1);
  SmallVector<Value> pointers;
  for (Value number : numbers) {
    Scope point(scope);
    point.lanes.reset();
    bindDigits(frame, point, packed.dims, number);
    for (auto [index, dim] : llvm::enumerate(packed.reduced))
      point.bind(dim, index == 0 ? block.low : frame.constant(0));
    pointers.push_back(reader.access.pointerTo(read, point));
  }
  emitSteps(frame, scope, frame.constant(0), block.points, step,
            [&](Scope &inner, Value position) {
              Vectors vectors;
              for (Value pointer : pointers)
                vectors.push_back(loadLinear(read, pointer, position));
              body(inner, position, vectors);
            });
}

void Packing::alongReduced(
    Scope &scope, ValueRange numbers,
    llvm::function_ref<void(Scope &, Value, const Vectors &)> body) {
  if (isLinear())
    return alongLinear(scope, numbers, body);
  auto &builder = frame.builder;
  SmallVector<SmallVector<Value>> digits;
  for (Value number : numbers) {
    Scope point(scope);
    bindDigits(frame, point, packed.dims, number);
    digits.push_back(point.indices);
  }
  std::optional<unsigned> along;
  if (!packed.reduced.empty())
    along = packed.reduced.back();
  PointEmitter reader(frame, along, step);
  emitBlockLoops(reader, scope, packed.reduced, block, [&](Scope &inner) {
    Vectors vectors;
    Type type = VectorType::get({step}, getComputeType(operand.getType()));
    Value zero = arith::ConstantOp::create(builder, frame.loc,
                                           builder.getZeroAttr(type));
    for (ArrayRef<Value> indices : digits) {
      Scope point(inner);
      for (unsigned dim : packed.dims)
        point.bind(dim, indices[dim]);
      Value vector = reader.emitVector(operand, point);
      if (!isa<VectorType>(vector.getType())) // no reduced dimension
        vector = vector::InsertOp::create(builder, frame.loc, vector, zero,
                                          ArrayRef<int64_t>{0});
      else if (Value mask = inner.lanes ? inner.lanes->mask : Value())
        vector =
            arith::SelectOp::create(builder, frame.loc, mask, vector, zero);
      vectors.push_back(convert(vector));
    }
    body(inner, getBlockPosition(frame, packed.reduced, inner, block), vectors);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void tc::packRows(KernelFrame &frame, const PackedOperand &rows, Scope &scope,
                  Value low, Value high, int64_t tileRows, ReducedBlock block,
                  Value scratch) {
  auto &builder = frame.builder;
  Packing packing(frame, rows, block);
  Value tile = frame.constant(tileRows);
  Value tiles = arith::CeilDivSIOp::create(builder, frame.loc,
                                           frame.sub(high, low), tile);
  Value end = frame.add(low, frame.mul(tiles, tile));
  Value last = frame.sub(high, frame.constant(1));
  emitSteps(frame, scope, low, end, 1, [&](Scope &row, Value number) {
    // The rest of the last tile repeats the last row.
    Value valid = arith::MinSIOp::create(builder, frame.loc, number, last);
    Value start =
        frame.mul(frame.sub(number, low), frame.constant(rows.stride));
    packing.alongReduced(
        row, valid, [&](Scope &, Value position, const Vectors &vectors) {
          LLVM::StoreOp::create(builder, frame.loc, vectors[0],
                                packing.at(scratch, frame.add(start, position)),
                                /*alignment=*/getElementBytes(rows.element));
        });
  });
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

void tc::emitRuns(KernelFrame &frame, Scope &scope, ArrayRef<unsigned> dims,
                  Value low, Value high,
                  llvm::function_ref<void(Scope &, Value, Value, Value)> body) {
  if (dims.size() == 1)
    return body(scope, low, high, frame.constant(0));
  auto &builder = frame.builder;
  Value size = frame.dimSize(dims.back());
  Value first = arith::DivUIOp::create(builder, frame.loc, low, size);
  Value end = arith::CeilDivUIOp::create(builder, frame.loc, high, size);
  emitSteps(frame, scope, first, end, 1, [&](Scope &run, Value number) {
    bindDigits(frame, run, dims.drop_back(), number);
    Value origin = frame.mul(number, size);
    Value from = arith::MaxSIOp::create(
        builder, frame.loc, frame.sub(low, origin), frame.constant(0));
    Value to = arith::MinSIOp::create(builder, frame.loc,
                                      frame.sub(high, origin), size);
    body(run, from, to, origin);
  });
}

/// Vectors along the lanes, point after point.
void Packing::packAlong(Scope &scope, Value low, Value high, Value scratch) {
  auto &builder = frame.builder;
  unsigned vectorDim = packed.dims.back();
  PointEmitter reader(frame, vectorDim,
                      packed.dims.size() == 1 ? packed.lanes : packed.width);
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
                    unsigned alignment = getElementBytes(element);
                    // The end of a run: the next one's lanes, or the next
                    // point's.
                    if (mask && packed.storesMasked && !packed.fillsPanel)
                      LLVM::MaskedStoreOp::create(builder, frame.loc, vector,
                                                  at(scratch, offset), mask,
                                                  alignment);
                    else
                      LLVM::StoreOp::create(builder, frame.loc, vector,
                                            at(scratch, offset), alignment);
                  });
              return SmallVector<Value>();
            });
      });
  if (packed.pair == 2)
    interleavePairs(scope, scratch);
}

/// Zeros behind the last of the points that are there, up to a whole unit;
/// where the unit ends.
Value Packing::zeroUnit(Scope &scope, Value scratch) {
  auto &builder = frame.builder;
  VectorType type = VectorType::get({packed.lanes}, element);
  Value zero =
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(type));
  auto store = [&](Value position) {
    LLVM::StoreOp::create(
        builder, frame.loc, zero,
        at(scratch, frame.mul(position, frame.constant(packed.stride))),
        getElementBytes(element));
  };
  if (packed.unit <= packed.pair) {
    if (packed.pair == 2)
      store(block.points);
    return block.points;
  }
  Value unit = frame.constant(packed.unit);
  Value end = frame.mul(
      arith::CeilDivSIOp::create(builder, frame.loc, block.points, unit), unit);
  emitSteps(frame, scope, block.points, end, 1,
            [&](Scope &, Value position) { store(position); });
  return end;
}

/// From two points one after the other to their pairs, lane by lane.
void Packing::interleavePairs(Scope &scope, Value scratch) {
  auto &builder = frame.builder;
  int64_t lanes = packed.lanes;
  Type half = VectorType::get({lanes}, element);
  auto row = [&](Value position) {
    return at(scratch, frame.mul(position, frame.constant(packed.stride)));
  };
  Value end = zeroUnit(scope, scratch);
  emitSteps(
      frame, scope, frame.constant(0), end, 2, [&](Scope &, Value position) {
        auto load = [&](Value at) -> Value {
          return LLVM::LoadOp::create(builder, frame.loc, half, at,
                                      getElementBytes(element));
        };
        Value even = load(row(position)),
              odd = load(row(frame.add(position, frame.constant(1))));
        SmallVector<int64_t> order;
        for (int64_t lane = 0; lane < lanes; ++lane)
          llvm::append_range(order, ArrayRef<int64_t>{lane, lanes + lane});
        Value pairs =
            vector::ShuffleOp::create(builder, frame.loc, even, odd, order);
        LLVM::StoreOp::create(builder, frame.loc, pairs, row(position),
                              getElementBytes(element));
      });
}

/// Vectors along the reduced points, transposed in registers.
void Packing::packAcross(Scope &scope, Value low, Value high, Value scratch) {
  auto &builder = frame.builder;
  Type unit = packed.pair == 2 ? Type(builder.getI32Type()) : element,
       units = VectorType::get({packed.width}, unit);
  Value last = frame.sub(high, frame.constant(1));
  Value end =
      packed.fillsPanel ? frame.add(low, frame.constant(packed.lanes)) : high;
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
                LLVM::StoreOp::create(builder, frame.loc, vector,
                                      at(scratch, offset),
                                      getElementBytes(element));
              }
            });
      });
}

void tc::packPanel(KernelFrame &frame, const PackedOperand &panel, Scope &scope,
                   Value low, Value high, ReducedBlock block, Value scratch) {
  Packing packing(frame, panel, block);
  if (panel.packsAcross)
    packing.packAcross(scope, low, high, scratch);
  else
    packing.packAlong(scope, low, high, scratch);
}
