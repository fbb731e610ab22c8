//===- Packing.cpp - How one operand is packed ----------------------------===//

#include "Packing.h"
#include "../KernelEmission/Loops.h"
#include "TC/Analysis/ElementStrides.h"
#include "TileOperations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

Value Packing::at(Value scratch, Value offset) const {
  return LLVM::GEPOp::create(frame.builder, frame.loc, scratch.getType(),
                             element, scratch, ValueRange{offset});
}

void Packing::store(Value vector, Value scratch, Value offset) {
  LLVM::StoreOp::create(frame.builder, frame.loc, vector, at(scratch, offset),
                        /*alignment=*/getElementBytes(element));
}

Value Packing::interleave(Value even, Value odd) {
  int64_t lanes = cast<VectorType>(even.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    llvm::append_range(order, ArrayRef<int64_t>{lane, lanes + lane});
  return vector::ShuffleOp::create(frame.builder, frame.loc, even, odd, order);
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
  return maskFirst(frame, step, frame.sub(block.points, position));
}

Value Packing::loadLinear(ReadOp read, Value pointer, Value position,
                          Value mask) {
  auto &builder = frame.builder;
  Type type = read.getResult().getType(), storage = getStorageType(type);
  Value address = LLVM::GEPOp::create(builder, frame.loc, pointer.getType(),
                                      storage, pointer, ValueRange{position});
  Value loaded =
      loadLanes(frame, VectorType::get({step}, storage), address, mask);
  if (storage == element)
    return loaded;
  return convert(widen(frame, loaded, type));
}

void Packing::alongLinear(Scope &scope, ValueRange numbers, VectorsBody body) {
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
                vectors.push_back(
                    loadLinear(read, pointer, position, reducedMask(position)));
              body(inner, position, vectors);
            });
}

void Packing::alongReduced(Scope &scope, ValueRange numbers, VectorsBody body) {
  if (getLinearRead(frame.kernel, operand, packed.reduced))
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
