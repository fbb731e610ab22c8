//===- AccessEmitter.cpp - Reads and writes through index maps ------------===//

#include "PointEmitter.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

AccessEmitter::AccessEmitter(PointEmitter &points)
    : points(points), frame(points.frame) {}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Reports an index out of range, where `mask` and `present` allow it, and
/// gives 0 instead.
static Value checkRange(KernelFrame &frame, Value index, Value size, Value mask,
                        Value present) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value zero = frame.constant(0);
  if (auto vector = dyn_cast<VectorType>(index.getType())) {
    size = broadcast(frame, size, vector.getNumElements());
    zero = broadcast(frame, zero, vector.getNumElements());
  }
  Value outside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        index, size);
  Value failed = outside;
  // One index for all lanes counts where any of them is accessed.
  if (mask && !isa<VectorType>(index.getType()) &&
      isa<VectorType>(mask.getType()))
    mask = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                       mask);
  if (mask)
    failed = arith::AndIOp::create(builder, loc, failed, mask);
  if (isa<VectorType>(failed.getType()))
    failed = vector::ReductionOp::create(builder, loc,
                                         vector::CombiningKind::OR, failed);
  if (present)
    failed = arith::AndIOp::create(builder, loc, failed, present);
  frame.reportIndexOutOfRange(failed);
  return arith::SelectOp::create(builder, loc, outside, zero, index);
}

Value tc::restrictMask(OpBuilder &builder, Location loc, Value mask,
                       Value other) {
  return mask ? Value(arith::AndIOp::create(builder, loc, mask, other)) : other;
}

/// Of no elements not even the first is there, which an index out of range
/// becomes.
static void restrictToElements(KernelFrame &frame, Address &address,
                               SizeExpr size) {
  if (size.getConstant().value_or(0) > 0)
    return;
  Value isAny =
      arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ne,
                            frame.size(size), frame.constant(0));
  address.exists =
      restrictMask(frame.builder, frame.loc, address.exists, isAny);
}

/// Lanes of a vector in `scope`.
static int64_t countLanes(const Scope &scope) {
  return scope.lanes ? scope.lanes->count : 1;
}

SmallVector<Value> AccessEmitter::emitDynamicIndices(ValueRange indices,
                                                     Scope &scope) {
  SmallVector<Value> emitted;
  for (Value index : indices) {
    Value value = points.emit(index, scope);
    Type wide =
        getLaneType(frame.builder.getI64Type(),
                    isVector(frame, index, scope) ? scope.lanes->count : 1);
    if (value.getType() != wide)
      value = arith::ExtSIOp::create(frame.builder, frame.loc, wide, value);
    emitted.push_back(value);
  }
  return emitted;
}

/// Sets the kind of the address by the stride of the lanes, and adds the lanes'
/// own mask where each lane has its own element. A write whose map has the
/// lanes' dimension has an address for each lane, also in a buffer without
/// elements, whose strides are 0.
static void placeLanes(KernelFrame &frame, Address &address, ShapedType type,
                       AffineMap map, bool isRead, bool indicesVary,
                       int64_t maxStride, Value laneMask, Scope &scope) {
  auto stride = getElementStride(type, map, scope.lanes->dim);
  bool maskVaries = address.mask && isa<VectorType>(address.mask.getType());
  address.stride = stride ? stride->getConstant().value_or(0) : 0;
  if (indicesVary || !stride)
    address.kind = Address::PerLane;
  else if (stride->isConstant(1))
    address.kind = Address::Contiguous;
  else if (isRead && 2 <= address.stride && address.stride <= maxStride)
    address.kind = Address::Strided;
  else if (!stride->isConstant(0) ||
           (!isRead &&
            (maskVaries || KernelDims::ofMap(map, frame.kernel.getNumDims())
                               .test(scope.lanes->dim))))
    address.kind = Address::PerLane;
  if (address.kind == Address::Uniform && !maskVaries)
    return;
  if (address.mask && !maskVaries)
    address.mask = broadcast(frame, address.mask, scope.lanes->count);
  if (laneMask)
    address.mask =
        restrictMask(frame.builder, frame.loc, address.mask, laneMask);
}

/// Whether contiguous lanes are long enough for a target's unaligned access.
static bool areLong(Type elementType, const Scope &scope) {
  return scope.lanes->count * getElementBytes(elementType) >=
         UnalignedAccess::kLeastBytes;
}

void AccessEmitter::placeContiguous(Address &address, Operation *op,
                                    Value buffer, bool isAligned,
                                    const Scope &scope) {
  Type element = cast<ShapedType>(buffer.getType()).getElementType();
  if (areLong(element, scope) && !scope.hasWholeVectors &&
      (!isAligned || address.mask))
    address.unaligned = points.unaligned;
  if (address.unaligned)
    address.end = endOf(buffer);
  if (points.hasAlignedLanes(scope))
    address.shift = points.aligned->getShift(op);
}

Address AccessEmitter::emitAddress(Operation *op, Value buffer, AffineMap map,
                                   ValueRange dynamicIndices,
                                   std::optional<IntegerSet> within,
                                   Scope &scope) {
  auto type = cast<ShapedType>(buffer.getType());
  auto &builder = frame.builder;
  unsigned rank = frame.kernel.getNumDims();
  Address address;
  address.kind = Address::Uniform;
  if (within)
    address.mask =
        emitInside(frame, *within, scope, points.unaligned,
                   points.hasAlignedLanes(scope) && !points.beginsAnywhere());
  address.exists = isa<ReadOp>(op) ? scope.readable : scope.present;
  bool isAligned =
      points.hasAlignedLanes(scope) && points.aligned->contains(op);
  bool areInner = scope.lanes && scope.lanes->areInner;
  // One access of all lanes or of none.
  if ((isAligned || areInner) && address.mask &&
      !isa<VectorType>(address.mask.getType()) && dynamicIndices.empty())
    address.exists = restrictMask(builder, frame.loc, address.exists,
                                  std::exchange(address.mask, Value()));

  SmallVector<Value> dynamic = emitDynamicIndices(dynamicIndices, scope);
  if (scope.lanes && scope.lanes->count > 1) {
    bool indicesVary = llvm::any_of(
        dynamic, [](Value index) { return isa<VectorType>(index.getType()); });
    placeLanes(frame, address, type, map, isa<ReadOp>(op), indicesVary,
               isAligned ? std::numeric_limits<int64_t>::max()
                         : points.maxStride,
               isAligned && scope.hasWholeVectors ? Value() : scope.lanes->mask,
               scope);
    // Of aligned vectors, those that are all there are loaded with what is
    // between the lanes.
    if (address.kind == Address::Strided && isAligned && address.mask)
      address.kind = Address::PerLane;
    if (isAligned && (address.kind == Address::Contiguous ||
                      address.kind == Address::Strided))
      address.alignment = points.aligned->getBytes(type.getElementType());
  }
  SmallVector<Value> inputs =
      indexInputs(frame, scope, address.kind == Address::PerLane);
  inputs.append(dynamic);
  Value offset = frame.constant(0);
  Sizes sizes = getSizes(type), strides = getRowMajorStrides(type);
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    Value position = emitAffine(frame, expr, inputs);
    bool checked = false;
    for (unsigned i = 0; i < dynamic.size(); ++i)
      checked |= expr.isFunctionOfDim(rank + i);
    if (checked) {
      position = checkRange(frame, position, frame.size(sizes[index]),
                            address.mask, scope.present);
      restrictToElements(frame, address, sizes[index]);
    }
    offset = addIndices(
        frame, offset, mulIndices(frame, position, frame.size(strides[index])));
  }
  Type element = getStorageType(type.getElementType()),
       pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (address.kind == Address::PerLane)
    offset = broadcast(frame, offset, scope.lanes->count);
  if (address.kind == Address::Contiguous) {
    placeContiguous(address, op, buffer, isAligned, scope);
    address.isInner = areInner && dynamicIndices.empty();
    // Lanes out of the dimension are neither stored nor folded.
    address.isZeroElsewhere = within.has_value();
  }
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    pointer = VectorType::get({vector.getNumElements()}, pointer);
  address.pointer =
      LLVM::GEPOp::create(builder, frame.loc, pointer, element,
                          frame.pointer(buffer), ValueRange{offset});
  return address;
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

bool AccessEmitter::variesEverywhere(ReadOp read) const {
  return frame.dims.of(read.getResult()).all();
}

Value AccessEmitter::emitStored(ReadOp read, Scope &scope) {
  Address address = emitAddress(read, read.getSource(), read.getMap(),
                                read.getIndices(), read.getWithin(), scope);
  address.evictsLast = points.evictsInputsLast && variesEverywhere(read);
  return emitLoad(frame, address, read.getResult().getType(),
                  countLanes(scope));
}

Value AccessEmitter::endOf(Value buffer) {
  auto type = cast<ShapedType>(buffer.getType());
  SizeExpr elements = SizeExpr::constant(type.getContext(), 1);
  for (SizeExpr size : getSizes(type))
    elements = elements.mul(size);
  return LLVM::GEPOp::create(
      frame.builder, frame.loc,
      LLVM::LLVMPointerType::get(frame.builder.getContext()),
      getStorageType(type.getElementType()), frame.pointer(buffer),
      ValueRange{frame.size(elements)});
}

Value AccessEmitter::pointerTo(ReadOp read, Scope &scope) {
  return emitAddress(read, read.getSource(), read.getMap(), {}, std::nullopt,
                     scope)
      .pointer;
}

Value AccessEmitter::emitCheckedIndex(ReadOp read, Scope &scope) {
  const unsigned number = frame.kernel.getNumDims();
  Sizes sizes = getSizes(cast<ShapedType>(read.getSource().getType()));
  Value index = emitDynamicIndices(read.getIndices(), scope).front();
  for (auto [size, expr] : llvm::zip_equal(sizes, read.getMap().getResults()))
    if (expr.isFunctionOfDim(number))
      index = checkRange(frame, index, frame.size(size), /*mask=*/Value(),
                         scope.present);
  return index;
}

bool AccessEmitter::loadsUnaligned(ReadOp read, const Scope &scope) {
  Type type = read.getResult().getType();
  auto stride = getElementStride(cast<ShapedType>(read.getSource().getType()),
                                 read.getMap(), scope.lanes->dim);
  bool isAligned =
      points.hasAlignedLanes(scope) && points.aligned->contains(read);
  return points.unaligned && read.getIndices().empty() && !isAligned &&
         stride && stride->isConstant(1) && areLong(type, scope);
}

Value AccessEmitter::pointerTo(WriteOp write, Scope &scope) {
  return emitAddress(write, write.getDestination(), write.getMap(), {},
                     std::nullopt, scope)
      .pointer;
}

Value AccessEmitter::emitHeld(ReadOp read, Scope &scope) {
  if (Value held = scope.loaded.lookup(read.getResult()))
    return frame.copyOpaquely(held);
  Value stored = emitStored(read, scope);
  scope.loaded[read.getResult()] = stored;
  return stored;
}

Value AccessEmitter::emitRead(ReadOp read, Scope &scope) {
  Value stored = scope.loaded.lookup(read.getResult());
  if (points.holdsPacked && scope.isDistributed)
    stored = emitHeld(read, scope);
  else if (!stored)
    stored = emitStored(read, scope);
  Value value = widen(frame, stored, read.getResult().getType());
  // A read that does not move with the lanes may still be one of them.
  return isVector(frame, read.getResult(), scope)
             ? broadcast(frame, value, scope.lanes->count)
             : value;
}

Address AccessEmitter::addressOf(WriteOp write, Scope &scope) {
  return emitAddress(write, write.getDestination(), write.getMap(),
                     write.getIndices(), write.getWithin(), scope);
}

void AccessEmitter::emitWrite(WriteOp write, Scope &scope) {
  if (const PointEmitter::Store *store = points.findStore(write))
    return (*store)(scope);
  Address address = addressOf(write, scope);
  Value value = address.kind == Address::Uniform
                    ? points.emit(write.getValue(), scope)
                    : points.emitVector(write.getValue(), scope);
  if (points.team && !scope.isDistributed)
    address.exists = restrictMask(frame.builder, frame.loc, address.exists,
                                  points.team->emitElectWriter());
  emitStore(frame, address, value, write.getValue().getType(),
            write.getCombine(), countLanes(scope), points.nontemporal);
}
