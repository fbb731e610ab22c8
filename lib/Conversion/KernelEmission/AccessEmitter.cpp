//===- AccessEmitter.cpp - Reads and writes through index maps ------------===//

#include "Monoid.h"
#include "PointEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Index arithmetic, scalar or on lanes
//===----------------------------------------------------------------------===//

Value PointEmitter::laneNumbers(int64_t count) {
  auto &builder = frame.builder;
  SmallVector<int64_t> numbers = llvm::to_vector(llvm::seq<int64_t>(0, count));
  auto type = VectorType::get({count}, builder.getI64Type());
  return arith::ConstantOp::create(
      builder, frame.loc,
      DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

SmallVector<Value> PointEmitter::indexInputs(Scope &scope, bool lanesAsVector) {
  SmallVector<Value> inputs(scope.indices);
  if (lanesAsVector && scope.lanes && scope.lanes->count > 1) {
    Value base = broadcast(inputs[scope.lanes->dim], scope.lanes->count);
    inputs[scope.lanes->dim] = arith::AddIOp::create(
        frame.builder, frame.loc, base, laneNumbers(scope.lanes->count));
  }
  return inputs;
}

bool PointEmitter::matchLanes(Value &a, Value &b) {
  auto vector = dyn_cast<VectorType>(a.getType());
  if (!vector)
    vector = dyn_cast<VectorType>(b.getType());
  if (!vector)
    return false;
  a = broadcast(a, vector.getNumElements());
  b = broadcast(b, vector.getNumElements());
  return true;
}

Value PointEmitter::add(Value a, Value b) {
  if (!matchLanes(a, b))
    return frame.add(a, b);
  return arith::AddIOp::create(frame.builder, frame.loc, a, b);
}

Value PointEmitter::mul(Value a, Value b) {
  if (!matchLanes(a, b))
    return frame.mul(a, b);
  return arith::MulIOp::create(frame.builder, frame.loc, a, b);
}

Value PointEmitter::emitFloorDiv(Value value, Value divisor) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    divisor = broadcast(divisor, vector.getNumElements());
  return arith::FloorDivSIOp::create(frame.builder, frame.loc, value, divisor);
}

/// Inputs: the domain's dimensions, then the dynamic indices.
Value PointEmitter::emitAffine(AffineExpr expr, ArrayRef<Value> inputs) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return frame.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return inputs[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return frame.size(frame.affineSymbol(symbol.getPosition()));
  auto operation = cast<AffineBinaryOpExpr>(expr);
  Value left = emitAffine(operation.getLHS(), inputs),
        right = emitAffine(operation.getRHS(), inputs);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(left, right);
  case AffineExprKind::Mul:
    return mul(left, right);
  case AffineExprKind::FloorDiv:
    return emitFloorDiv(left, right);
  case AffineExprKind::CeilDiv: {
    Value negative = mul(left, frame.constant(-1));
    return mul(emitFloorDiv(negative, right), frame.constant(-1));
  }
  default: { // mod
    Value whole = mul(emitFloorDiv(left, right), right);
    return add(left, mul(whole, frame.constant(-1)));
  }
  }
}

/// i1, or a vector of i1 when the set depends on the lanes.
Value PointEmitter::emitInside(IntegerSet set, Scope &scope) {
  bool vector =
      scope.lanes && scope.lanes->count > 1 &&
      KernelDims::ofSet(set, frame.kernel.getNumDims()).test(scope.lanes->dim);
  SmallVector<Value> inputs = indexInputs(scope, vector);
  Value inside;
  for (auto [index, constraint] : llvm::enumerate(set.getConstraints())) {
    Value value = emitAffine(constraint, inputs);
    Value zero = frame.constant(0);
    if (auto type = dyn_cast<VectorType>(value.getType()))
      zero = broadcast(zero, type.getNumElements());
    auto predicate =
        set.isEq(index) ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
    Value holds =
        arith::CmpIOp::create(frame.builder, frame.loc, predicate, value, zero);
    if (vector)
      holds = broadcast(holds, scope.lanes->count);
    inside = inside ? Value(arith::AndIOp::create(frame.builder, frame.loc,
                                                  inside, holds))
                    : holds;
  }
  return inside ? inside
                : Value(arith::ConstantIntOp::create(frame.builder, frame.loc,
                                                     1, 1));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Reports an index out of range (where `mask` allows) and gives 0 instead.
Value PointEmitter::checkRange(Value index, Value size, Value mask) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value zero = frame.constant(0);
  if (auto vector = dyn_cast<VectorType>(index.getType())) {
    size = broadcast(size, vector.getNumElements());
    zero = broadcast(zero, vector.getNumElements());
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
  frame.reportIndexOutOfRange(failed);
  return arith::SelectOp::create(builder, loc, outside, zero, index);
}

/// `mask`, if there is one, and `other`.
static Value restrictMask(OpBuilder &builder, Location loc, Value mask,
                          Value other) {
  return mask ? Value(arith::AndIOp::create(builder, loc, mask, other)) : other;
}

/// Of no elements not even the first is there, which an index out of range
/// becomes.
void PointEmitter::restrictToElements(Address &address, SizeExpr size) {
  if (size.getConstant().value_or(0) > 0)
    return;
  Value isAny =
      arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ne,
                            frame.size(size), frame.constant(0));
  address.exists =
      restrictMask(frame.builder, frame.loc, address.exists, isAny);
}

/// Lanes up to this many elements apart are loaded with what is between them.
static constexpr int64_t kMaxLanesApart = 4;

SmallVector<Value> PointEmitter::emitDynamicIndices(ValueRange indices,
                                                    Scope &scope) {
  SmallVector<Value> emitted;
  for (Value index : indices) {
    Value value = emit(index, scope);
    Type wide = getLaneType(frame.builder.getI64Type(),
                            isVector(index, scope) ? scope.lanes->count : 1);
    if (value.getType() != wide)
      value = arith::ExtSIOp::create(frame.builder, frame.loc, wide, value);
    emitted.push_back(value);
  }
  return emitted;
}

/// Decides how the lanes' elements lie to each other, and adds the lanes' own
/// mask where each has its element. A write that the lanes move to other places
/// has one for each lane, also in a buffer without elements, where all places
/// are 0 elements apart.
void PointEmitter::placeLanes(Address &address, ShapedType type, AffineMap map,
                              bool isRead, bool indicesVary, Scope &scope) {
  auto apart = getElementDistance(type, map, scope.lanes->dim);
  bool maskVaries = address.mask && isa<VectorType>(address.mask.getType());
  address.apart = apart ? apart->getConstant().value_or(0) : 0;
  if (indicesVary || !apart)
    address.kind = Address::PerLane;
  else if (apart->isConstant(1))
    address.kind = Address::Contiguous;
  else if (isRead && 2 <= address.apart && address.apart <= kMaxLanesApart)
    address.kind = Address::Strided;
  else if (!apart->isConstant(0) || maskVaries ||
           (!isRead && KernelDims::ofMap(map, frame.kernel.getNumDims())
                           .test(scope.lanes->dim)))
    address.kind = Address::PerLane;
  if (address.kind == Address::Uniform)
    return;
  if (address.mask && !maskVaries)
    address.mask = broadcast(address.mask, scope.lanes->count);
  if (Value laneMask = scope.lanes->mask)
    address.mask =
        restrictMask(frame.builder, frame.loc, address.mask, laneMask);
}

PointEmitter::Address
PointEmitter::emitAddress(Operation *op, Value buffer, AffineMap map,
                          ValueRange dynamicIndices,
                          std::optional<IntegerSet> within, Scope &scope) {
  auto type = cast<ShapedType>(buffer.getType());
  auto &builder = frame.builder;
  unsigned rank = frame.kernel.getNumDims();
  Address address;
  address.kind = Address::Uniform;
  if (within)
    address.mask = emitInside(*within, scope);

  SmallVector<Value> dynamic = emitDynamicIndices(dynamicIndices, scope);
  if (scope.lanes && scope.lanes->count > 1) {
    bool indicesVary = llvm::any_of(
        dynamic, [](Value index) { return isa<VectorType>(index.getType()); });
    placeLanes(address, type, map, isa<ReadOp>(op), indicesVary, scope);
  }
  SmallVector<Value> inputs =
      indexInputs(scope, address.kind == Address::PerLane);
  inputs.append(dynamic);
  Value offset = frame.constant(0);
  Sizes sizes = getSizes(type), strides = getRowMajorStrides(type);
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    Value position = emitAffine(expr, inputs);
    bool checked = false;
    for (unsigned i = 0; i < dynamic.size(); ++i)
      checked |= expr.isFunctionOfDim(rank + i);
    if (checked) {
      position = checkRange(position, frame.size(sizes[index]), address.mask);
      restrictToElements(address, sizes[index]);
    }
    offset = add(offset, mul(position, frame.size(strides[index])));
  }
  Type element = getStorageType(type.getElementType()),
       pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (address.kind == Address::PerLane)
    offset = broadcast(offset, scope.lanes->count);
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    pointer = VectorType::get({vector.getNumElements()}, pointer);
  address.pointer =
      LLVM::GEPOp::create(builder, frame.loc, pointer, element,
                          frame.pointer(buffer), ValueRange{offset});
  return address;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// What `load` gives where `condition` (i1) holds, else zeros.
static Value loadIf(OpBuilder &builder, Location loc, Value condition,
                    Type type, function_ref<Value()> load) {
  auto guarded = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, load()); },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(
            b, loc,
            Value(arith::ConstantOp::create(b, loc, b.getZeroAttr(type))));
      });
  return guarded.getResult(0);
}

/// Runs `store` where `condition` (i1) holds.
static void storeIf(OpBuilder &builder, Location loc, Value condition,
                    function_ref<void()> store) {
  scf::IfOp::create(builder, loc, condition, [&](OpBuilder &b, Location loc) {
    store();
    scf::YieldOp::create(b, loc);
  });
}

Value PointEmitter::emitLoad(const Address &address, Type elementType,
                             Scope &scope) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type storage = getStorageType(elementType);
  unsigned alignment = getAlignment(elementType);
  Type type = getLaneType(
      storage, address.kind == Address::Uniform ? 1 : scope.lanes->count);
  if (address.exists) {
    Address existing = address;
    existing.exists = nullptr;
    return loadIf(builder, loc, address.exists, type,
                  [&] { return emitLoad(existing, elementType, scope); });
  }
  if (address.kind == Address::Uniform) {
    auto load = [&]() -> Value {
      return LLVM::LoadOp::create(builder, loc, storage, address.pointer,
                                  alignment);
    };
    return address.mask ? loadIf(builder, loc, address.mask, type, load)
                        : load();
  }
  if (address.kind == Address::Strided)
    return emitStridedLoad(address, elementType, scope.lanes->count);
  if (address.kind == Address::Contiguous && !address.mask)
    return LLVM::LoadOp::create(builder, loc, type, address.pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (address.kind == Address::Contiguous)
    return LLVM::MaskedLoadOp::create(builder, loc, type, address.pointer,
                                      address.mask, zero,
                                      builder.getI32IntegerAttr(alignment));
  Value mask = address.mask
                   ? address.mask
                   : makeConstantMask(builder, loc, scope.lanes->count, true);
  return LLVM::masked_gather::create(builder, loc, type, address.pointer, mask,
                                     zero,
                                     builder.getI32IntegerAttr(alignment));
}

/// From the stored form of `elementType` to the one it is computed in.
static Value widen(vectormath::VectorMathBuilder &builder, Location loc,
                   Value value, Type elementType) {
  auto vector = dyn_cast<VectorType>(value.getType());
  int64_t lanes = vector ? vector.getNumElements() : 1;
  if (elementType.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  Type compute = getComputeType(elementType);
  if (!isa<FloatType>(elementType) || compute == elementType)
    return value;
  if (getStorageType(elementType) != elementType)
    value = arith::BitcastOp::create(builder, loc,
                                     getLaneType(elementType, lanes), value);
  return vectormath::emitCast(builder, loc, value, elementType, compute);
}

/// The other way.
static Value narrow(vectormath::VectorMathBuilder &builder, Location loc,
                    Value value, Type elementType) {
  auto vector = dyn_cast<VectorType>(value.getType());
  int64_t lanes = vector ? vector.getNumElements() : 1;
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(
        builder, loc, getLaneType(builder.getI8Type(), lanes), value);
  Type compute = getComputeType(elementType);
  if (!isa<FloatType>(elementType) || compute == elementType)
    return value;
  value = vectormath::emitCast(builder, loc, value, compute, elementType);
  if (Type storage = getStorageType(elementType); storage != elementType)
    value = arith::BitcastOp::create(builder, loc, getLaneType(storage, lanes),
                                     value);
  return value;
}

Value PointEmitter::widen(Value stored, Type type) {
  return ::widen(frame.builder, frame.loc, stored, type);
}

Value PointEmitter::narrow(Value computed, Type type) {
  return ::narrow(frame.builder, frame.loc, computed, type);
}

Value PointEmitter::emitStored(ReadOp read, Scope &scope) {
  Address address = emitAddress(read, read.getSource(), read.getMap(),
                                read.getIndices(), read.getWithin(), scope);
  return emitLoad(address, read.getResult().getType(), scope);
}

Value PointEmitter::pointerTo(ReadOp read, Scope &scope) {
  return emitAddress(read, read.getSource(), read.getMap(), {}, std::nullopt,
                     scope)
      .pointer;
}

Value PointEmitter::pointerTo(WriteOp write, Scope &scope) {
  return emitAddress(write, write.getDestination(), write.getMap(), {},
                     std::nullopt, scope)
      .pointer;
}

Value PointEmitter::emitRead(ReadOp read, Scope &scope) {
  Value value = widen(emitStored(read, scope), read.getResult().getType());
  // A read that does not move with the lanes may still be one of them.
  return isVector(read.getResult(), scope)
             ? broadcast(value, scope.lanes->count)
             : value;
}

void PointEmitter::emitStore(const Address &address, Value value,
                             Type elementType, CombineKind combine,
                             Scope &scope) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  unsigned alignment = getAlignment(elementType);
  if (address.exists) {
    Address existing = address;
    existing.exists = nullptr;
    storeIf(builder, loc, address.exists,
            [&] { emitStore(existing, value, elementType, combine, scope); });
    return;
  }
  if (combine != CombineKind::Replace) {
    Value old = widen(emitLoad(address, elementType, scope), elementType);
    value = Monoid(combine, elementType).fold(builder, loc, old, value);
  }
  value = ::narrow(builder, loc, value, elementType);
  if (address.kind == Address::Uniform) {
    auto store = [&] {
      LLVM::StoreOp::create(builder, loc, value, address.pointer, alignment);
    };
    return address.mask ? storeIf(builder, loc, address.mask, store) : store();
  }
  if (address.kind == Address::Contiguous && !address.mask) {
    bool past =
        nontemporal &&
        getElementBytes(elementType) * scope.lanes->count % kLineBytes == 0;
    LLVM::StoreOp::create(builder, loc, value, address.pointer,
                          past ? kLineBytes : alignment,
                          /*isVolatile=*/false, /*isNonTemporal=*/past);
    return;
  }
  if (address.kind == Address::Contiguous) {
    LLVM::MaskedStoreOp::create(builder, loc, value, address.pointer,
                                address.mask,
                                builder.getI32IntegerAttr(alignment));
    return;
  }
  Value mask = address.mask
                   ? address.mask
                   : makeConstantMask(builder, loc, scope.lanes->count, true);
  LLVM::masked_scatter::create(builder, loc, value, address.pointer, mask,
                               builder.getI32IntegerAttr(alignment));
}

void PointEmitter::emitWrite(WriteOp write, Scope &scope) {
  Address address = emitAddress(write, write.getDestination(), write.getMap(),
                                write.getIndices(), write.getWithin(), scope);
  Value value = address.kind == Address::Uniform
                    ? emit(write.getValue(), scope)
                    : emitVector(write.getValue(), scope);
  if (team && !scope.apart)
    address.mask =
        restrictMask(frame.builder, frame.loc, address.mask, team->emitTurn());
  emitStore(address, value, write.getValue().getType(), write.getCombine(),
            scope);
}
