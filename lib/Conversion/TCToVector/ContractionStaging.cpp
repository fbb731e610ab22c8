//===- ContractionStaging.cpp - Operands laid out for register tiles ------===//

#include "ContractionProducts.h"
#include "KernelEmitters.h"
#include "TC/Analysis/ElementDistance.h"
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

class Staging {
public:
  /// Of rows, or of a panel, whose staged elements are `staged`.
  Staging(KernelFrame &frame, const ContractionPlan &plan, Value operand,
          Type staged, ReducedBlock block)
      : frame(frame), plan(plan), operand(operand), staged(staged),
        block(block), step(plan.pair * plan.width) {}

  /// Calls `body` for every `step` reduced points, with one vector of staged
  /// elements for each point of `dims` whose number is in `numbers`. Beyond
  /// the block's points vectors hold 0.
  void alongReduced(
      Scope &scope, ArrayRef<unsigned> dims, ValueRange numbers,
      llvm::function_ref<void(Scope &, Value position, const Vectors &)> body);
  /// Whether elements of reduced points lie one after the other.
  bool isLinear() const;

  void packAcross(Scope &scope, Value low, Value high, Value scratch);
  void packAlong(Scope &scope, Value low, Value high, Value scratch);
  Value at(Value scratch, Value offset) const {
    return LLVM::GEPOp::create(frame.builder, frame.loc, scratch.getType(),
                               staged, scratch, ValueRange{offset});
  }
  /// `vector` (of compute elements) in the staged type.
  Value convert(Value vector) const;
  void interleavePairs(Scope &scope, Value scratch);

private:
  void alongLinear(
      Scope &scope, ArrayRef<unsigned> dims, ValueRange numbers,
      llvm::function_ref<void(Scope &, Value position, const Vectors &)> body);
  Value loadLinear(ReadOp read, Value pointer, Value position);
  Value reducedMask(Value position);

  KernelFrame &frame;
  const ContractionPlan &plan;
  Value operand;
  Type staged;
  ReducedBlock block;
  int64_t step;
};

Staging getPanelStaging(KernelFrame &frame, const ContractionPlan &plan,
                        ReducedBlock block) {
  return Staging(frame, plan, plan.roles.panel, getPanelElement(plan), block);
}
} // namespace

Value tc::getBlockPosition(KernelFrame &frame, const ContractionPlan &plan,
                           Scope &scope, ReducedBlock block) {
  Value position = frame.constant(0);
  for (auto [index, dim] : llvm::enumerate(plan.roles.reduced)) {
    Value point = scope.indices[dim];
    if (index == 0)
      point = frame.sub(point, block.low);
    position = frame.add(frame.mul(position, frame.dimSize(dim)), point);
  }
  return position;
}

/// Loops over a block of reduced points; lanes along the emitter's dimension.
static void emitBlockLoops(PointEmitter &emitter, Scope &scope,
                           const ContractionPlan &plan, ReducedBlock block,
                           llvm::function_ref<void(Scope &)> body) {
  ArrayRef<unsigned> reduced = plan.roles.reduced;
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

bool Staging::isLinear() const {
  return getLinearRead(frame.kernel, operand, plan.roles.reduced) != nullptr;
}

Value Staging::convert(Value vector) const {
  auto &builder = frame.builder;
  if (getElementTypeOrSelf(vector) == staged)
    return vector;
  // Lanes of one element are scalars.
  auto withElement = [&](Type element) -> Type {
    auto type = dyn_cast<VectorType>(vector.getType());
    return type ? type.clone(element) : element;
  };
  Type i16 = withElement(staged);
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
Value Staging::reducedMask(Value position) {
  if (plan.isOneBlock && plan.blockPoints() % step == 0)
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

Value Staging::loadLinear(ReadOp read, Value pointer, Value position) {
  auto &builder = frame.builder;
  Type element = read.getResult().getType(), storage = getStorageType(element),
       vector = VectorType::get({step}, storage);
  unsigned alignment = getElementBytes(element);
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
  if (storage == staged)
    return loaded;
  return convert(widen(frame, loaded, element));
}

void Staging::alongLinear(
    Scope &scope, ArrayRef<unsigned> dims, ValueRange numbers,
    llvm::function_ref<void(Scope &, Value, const Vectors &)> body) {
  auto read = operand.getDefiningOp<ReadOp>();
  PointEmitter reader(frame, std::nullopt, 1);
  SmallVector<Value> pointers;
  for (Value number : numbers) {
    Scope point(scope);
    point.lanes.reset();
    bindDigits(frame, point, dims, number);
    for (auto [index, dim] : llvm::enumerate(plan.roles.reduced))
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

void Staging::alongReduced(
    Scope &scope, ArrayRef<unsigned> dims, ValueRange numbers,
    llvm::function_ref<void(Scope &, Value, const Vectors &)> body) {
  if (isLinear())
    return alongLinear(scope, dims, numbers, body);
  auto &builder = frame.builder;
  SmallVector<SmallVector<Value>> digits;
  for (Value number : numbers) {
    Scope point(scope);
    bindDigits(frame, point, dims, number);
    digits.push_back(point.indices);
  }
  std::optional<unsigned> along;
  if (!plan.roles.reduced.empty())
    along = plan.roles.reduced.back();
  PointEmitter reader(frame, along, step);
  emitBlockLoops(reader, scope, plan, block, [&](Scope &inner) {
    Vectors vectors;
    Type type = VectorType::get({step}, getComputeType(operand.getType()));
    Value zero = arith::ConstantOp::create(builder, frame.loc,
                                           builder.getZeroAttr(type));
    for (ArrayRef<Value> indices : digits) {
      Scope point(inner);
      for (unsigned dim : dims)
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
    body(inner, getBlockPosition(frame, plan, inner, block), vectors);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value tc::pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                       Scope &scope, Value row, ReducedBlock block) {
  auto read = plan.roles.rowOperand.getDefiningOp<ReadOp>();
  Scope first(scope);
  for (unsigned dim :
       llvm::concat<const unsigned>(plan.roles.rows, plan.roles.reduced))
    first.bind(dim, frame.constant(0));
  Value start =
      PointEmitter(frame, std::nullopt, 1).access.pointerTo(read, first);
  Value offset =
      frame.add(frame.mul(row, frame.constant(plan.rowStride())),
                frame.mul(block.low, frame.constant(plan.innerPoints)));
  return LLVM::GEPOp::create(frame.builder, frame.loc, start.getType(),
                             getRowElement(plan), start, ValueRange{offset});
}

void tc::stageRows(KernelFrame &frame, const ContractionPlan &plan,
                   Scope &scope, Value low, Value high, ReducedBlock block,
                   Value scratch) {
  auto &builder = frame.builder;
  Type element = getRowElement(plan);
  Staging staging(frame, plan, plan.roles.rowOperand, element, block);
  Value tile = frame.constant(plan.tile.rows);
  Value tiles = arith::CeilDivSIOp::create(builder, frame.loc,
                                           frame.sub(high, low), tile);
  Value end = frame.add(low, frame.mul(tiles, tile));
  Value last = frame.sub(high, frame.constant(1));
  emitSteps(frame, scope, low, end, 1, [&](Scope &row, Value number) {
    // The rest of the last tile repeats the last row.
    Value valid = arith::MinSIOp::create(builder, frame.loc, number, last);
    Value start =
        frame.mul(frame.sub(number, low), frame.constant(plan.rowStride()));
    staging.alongReduced(row, plan.roles.rows, valid,
                         [&](Scope &, Value position, const Vectors &vectors) {
                           LLVM::StoreOp::create(
                               builder, frame.loc, vectors[0],
                               staging.at(scratch, frame.add(start, position)),
                               /*alignment=*/getElementBytes(element));
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
void Staging::packAlong(Scope &scope, Value low, Value high, Value scratch) {
  auto &builder = frame.builder;
  unsigned vectorDim = plan.roles.vectorDim;
  PointEmitter reader(frame, vectorDim,
                      plan.roles.lanes.size() == 1 ? plan.tile.lanes
                                                   : plan.width);
  emitRuns(
      frame, scope, plan.roles.lanes, low, high,
      [&](Scope &run, Value from, Value to, Value origin) {
        Value shift = frame.sub(origin, low);
        reader.emitLoop(
            run, vectorDim, from, to, {}, [&](Scope &lanes, ValueRange) {
              emitBlockLoops(reader, lanes, plan, block, [&](Scope &inner) {
                Value vector = convert(reader.emitVector(operand, inner));
                Value position = getBlockPosition(frame, plan, inner, block);
                Value offset = frame.add(
                    frame.mul(position, frame.constant(plan.panelStride())),
                    frame.add(shift, inner.indices[vectorDim]));
                Value mask = inner.lanes ? inner.lanes->mask : Value();
                unsigned alignment = getElementBytes(staged);
                // The end of a run: the next one's lanes, or the next point's.
                if (mask && plan.storesMasked)
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
  if (plan.pair == 2)
    interleavePairs(scope, scratch);
}

/// From two points one after the other to their pairs, lane by lane.
void Staging::interleavePairs(Scope &scope, Value scratch) {
  auto &builder = frame.builder;
  int64_t lanes = plan.tile.lanes;
  Type half = VectorType::get({lanes}, staged);
  auto row = [&](Value position) {
    return at(scratch, frame.mul(position, frame.constant(plan.panelStride())));
  };
  Value zero =
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(half));
  LLVM::StoreOp::create(builder, frame.loc, zero, row(block.points),
                        getElementBytes(staged));
  emitSteps(
      frame, scope, frame.constant(0), block.points, 2,
      [&](Scope &, Value position) {
        auto load = [&](Value at) -> Value {
          return LLVM::LoadOp::create(builder, frame.loc, half, at,
                                      getElementBytes(staged));
        };
        Value even = load(row(position)),
              odd = load(row(frame.add(position, frame.constant(1))));
        SmallVector<int64_t> order;
        for (int64_t lane = 0; lane < lanes; ++lane)
          llvm::append_range(order, ArrayRef<int64_t>{lane, lanes + lane});
        Value pairs =
            vector::ShuffleOp::create(builder, frame.loc, even, odd, order);
        LLVM::StoreOp::create(builder, frame.loc, pairs, row(position),
                              getElementBytes(staged));
      });
}

/// Vectors along the reduced points, turned around.
void Staging::packAcross(Scope &scope, Value low, Value high, Value scratch) {
  auto &builder = frame.builder;
  Type unit = plan.pair == 2 ? Type(builder.getI32Type()) : staged,
       units = VectorType::get({plan.width}, unit);
  Value last = frame.sub(high, frame.constant(1));
  emitSteps(frame, scope, low, high, plan.width, [&](Scope &group, Value base) {
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < plan.width; ++i)
      numbers.push_back(arith::MinSIOp::create(
          builder, frame.loc, frame.add(base, frame.constant(i)), last));
    Value lane = frame.mul(frame.sub(base, low), frame.constant(plan.pair));
    alongReduced(
        group, plan.roles.lanes, numbers,
        [&](Scope &, Value position, Vectors vectors) {
          if (plan.pair == 2)
            for (Value &vector : vectors)
              vector = vector::BitCastOp::create(
                  builder, frame.loc, cast<VectorType>(units), vector);
          vectors = transposeSquare(frame, vectors);
          Value start = frame.add(
              frame.mul(position, frame.constant(plan.panelStride())), lane);
          for (auto [i, vector] : llvm::enumerate(vectors)) {
            Value offset = frame.add(
                start, frame.constant(i * plan.pair * plan.panelStride()));
            LLVM::StoreOp::create(builder, frame.loc, vector,
                                  at(scratch, offset), getElementBytes(staged));
          }
        });
  });
}

void tc::packPanel(KernelFrame &frame, const ContractionPlan &plan,
                   Scope &scope, Value low, Value high, ReducedBlock block,
                   Value scratch) {
  Staging staging = getPanelStaging(frame, plan, block);
  if (plan.packsAcross)
    staging.packAcross(scope, low, high, scratch);
  else
    staging.packAlong(scope, low, high, scratch);
}
