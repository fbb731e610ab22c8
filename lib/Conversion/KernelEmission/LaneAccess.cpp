//===- LaneAccess.cpp - Loads and stores of vectors -----------------------===//

#include "LaneAccess.h"
#include "Monoid.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

unsigned tc::getAlignment(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return getElementBytes(complex ? complex.getElementType() : elementType);
}

Value tc::makeConstantMask(OpBuilder &builder, Location loc, int64_t lanes,
                           bool value) {
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, value));
}

/// Bytes of which the address of the lanes is a multiple.
static unsigned getAlignment(const Address &address, Type elementType) {
  return std::max(address.alignment, tc::getAlignment(elementType));
}

/// Lanes from `begin` on of a vector.
static Value takeLanes(OpBuilder &builder, Location loc, Value vector,
                       int64_t begin, int64_t count) {
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

/// Everything between the lanes is loaded too, in whole vectors, and dropped:
/// a gather loads element by element. Aligned vectors are in memory as a whole.
static Value emitStridedLoad(KernelFrame &frame, const Address &address,
                             Type elementType, int64_t lanes, bool isLast) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  const int64_t stride = address.stride, span = lanes * stride;
  auto type = VectorType::get({span}, getStorageType(elementType));
  SmallVector<int64_t> take;
  for (int64_t lane = 0; lane < lanes; ++lane)
    take.push_back(lane * stride);
  if (address.alignment) {
    Value all = LLVM::LoadOp::create(builder, loc, type, address.pointer,
                                     address.alignment);
    return vector::ShuffleOp::create(builder, loc, all, all, take);
  }
  Value mask =
      address.mask ? address.mask : makeConstantMask(builder, loc, lanes, true);
  // Behind the last lane there may be nothing to load.
  SmallVector<int64_t> spread(span, lanes);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t used = address.mask || (isLast && lane + 1 == lanes) ? 1 : stride;
    std::fill_n(spread.begin() + lane * stride, used, lane);
  }
  mask = vector::ShuffleOp::create(
      builder, loc, mask, makeConstantMask(builder, loc, lanes, false), spread);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value all = LLVM::MaskedLoadOp::create(
      builder, loc, type, address.pointer, mask, zero,
      builder.getI32IntegerAttr(getAlignment(elementType)));
  return vector::ShuffleOp::create(builder, loc, all, all, take);
}

static Value emitLanesLoad(KernelFrame &frame, const Address &address,
                           Type elementType, int64_t lanes, bool isLast) {
  if (address.kind == Address::Strided)
    return emitStridedLoad(frame, address, elementType, lanes, isLast);
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type type = getLaneType(getStorageType(elementType), lanes);
  unsigned alignment = getAlignment(address, elementType);
  bool isWhole = address.kind == Address::Contiguous && !address.mask;
  if (isWhole && address.evictsLast)
    return frame.emitKeptLoad(type, address.pointer, alignment);
  if (isWhole)
    return LLVM::LoadOp::create(builder, loc, type, address.pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  // One access of a vector that is partly there may pass the buffer's end,
  // which a target makes of a constant mask where the alignment allows it.
  if (address.kind == Address::Contiguous)
    return LLVM::MaskedLoadOp::create(
        builder, loc, type, address.pointer, address.mask, zero,
        builder.getI32IntegerAttr(tc::getAlignment(elementType)));
  Value mask =
      address.mask ? address.mask : makeConstantMask(builder, loc, lanes, true);
  return LLVM::masked_gather::create(builder, loc, type, address.pointer, mask,
                                     zero,
                                     builder.getI32IntegerAttr(alignment));
}

static void emitLanesStore(KernelFrame &frame, const Address &address,
                           Value value, Type elementType) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto alignment =
      builder.getI32IntegerAttr(getAlignment(address, elementType));
  if (address.kind == Address::Contiguous) {
    LLVM::MaskedStoreOp::create(builder, loc, value, address.pointer,
                                address.mask, alignment);
    return;
  }
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  Value mask =
      address.mask ? address.mask : makeConstantMask(builder, loc, lanes, true);
  LLVM::masked_scatter::create(builder, loc, value, address.pointer, mask,
                               alignment);
}

/// The lanes of `parts`, a power of two of equal ones, as one vector.
static Value joinLanes(OpBuilder &builder, Location loc,
                       SmallVector<Value> parts) {
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t i = 0; i < parts.size() / 2; ++i) {
      int64_t count =
          2 * cast<VectorType>(parts[2 * i].getType()).getNumElements();
      parts[i] = vector::ShuffleOp::create(
          builder, loc, parts[2 * i], parts[2 * i + 1],
          llvm::to_vector(llvm::seq<int64_t>(0, count)));
    }
  return parts[0];
}

/// Lanes of one access. What a CPU has no masks for, or no gathers as of
/// elements of 8 and 16 bits, is accessed under a branch for each lane, and a
/// load hands on the vector made so far, so that long vectors, accessed as one,
/// would take code of the square of their length.
static int64_t getPartLanes(KernelFrame &frame, const Address &address,
                            Type elementType, int64_t lanes) {
  constexpr int64_t kLeastGatherBytes = 4;
  bool hasMasks = frame.builder.options.hasAvx512 &&
                  (address.kind != Address::PerLane ||
                   getElementBytes(elementType) >= kLeastGatherBytes);
  bool branches = (address.kind == Address::Strided && !address.alignment) ||
                  (address.mask && !hasMasks);
  return branches && lanes > kMostLanesInBranches && llvm::isPowerOf2_64(lanes)
             ? kMostLanesInBranches
             : lanes;
}

static Address takePart(KernelFrame &frame, const Address &address,
                        Type elementType, int64_t begin, int64_t count) {
  auto &builder = frame.builder;
  Address part = address;
  part.alignment = 0;
  part.pointer =
      address.kind == Address::PerLane
          ? takeLanes(builder, frame.loc, address.pointer, begin, count)
          : LLVM::GEPOp::create(
                builder, frame.loc, address.pointer.getType(),
                getStorageType(elementType), address.pointer,
                ArrayRef<LLVM::GEPArg>{int32_t(begin * address.stride)});
  if (address.mask)
    part.mask = takeLanes(builder, frame.loc, address.mask, begin, count);
  return part;
}

static Value emitLoadInParts(KernelFrame &frame, const Address &address,
                             Type elementType, int64_t lanes) {
  int64_t count = getPartLanes(frame, address, elementType, lanes);
  if (count == lanes)
    return emitLanesLoad(frame, address, elementType, lanes, /*isLast=*/true);
  SmallVector<Value> parts;
  for (int64_t begin = 0; begin < lanes; begin += count)
    parts.push_back(emitLanesLoad(
        frame, takePart(frame, address, elementType, begin, count), elementType,
        count, begin + count == lanes));
  return joinLanes(frame.builder, frame.loc, std::move(parts));
}

static void emitStoreInParts(KernelFrame &frame, const Address &address,
                             Value value, Type elementType, int64_t lanes) {
  int64_t count = getPartLanes(frame, address, elementType, lanes);
  if (count == lanes)
    return emitLanesStore(frame, address, value, elementType);
  for (int64_t begin = 0; begin < lanes; begin += count)
    emitLanesStore(frame, takePart(frame, address, elementType, begin, count),
                   takeLanes(frame.builder, frame.loc, value, begin, count),
                   elementType);
}

//===----------------------------------------------------------------------===//
// Stored and computed types
//===----------------------------------------------------------------------===//

/// The type of `value` with another element; a vector of one lane is one still.
static Type withElement(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(element)) : element;
}

/// Pairs of bf16, as they are stored, as f32: in a word of two, one is shifted
/// up and the other one masked.
static Value widenPairs(OpBuilder &builder, Location loc, Value value) {
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  auto words = VectorType::get({lanes / 2}, builder.getI32Type());
  value = vector::BitCastOp::create(builder, loc, words, value);
  auto splat = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(words, APInt(32, bits)));
  };
  Value first = arith::ShLIOp::create(builder, loc, value, splat(16));
  Value second = arith::AndIOp::create(builder, loc, value, splat(0xffff0000u));
  Value all = vector::InterleaveOp::create(builder, loc, first, second);
  return arith::BitcastOp::create(
      builder, loc, VectorType::get({lanes}, builder.getF32Type()), all);
}

static Value emitWidened(KernelFrame &frame, Value value, Type elementType) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto vector = dyn_cast<VectorType>(value.getType());
  if (builder.options.hasPairsOf16Bits && elementType.isBF16() && vector &&
      vector.getNumElements() % 2 == 0)
    return widenPairs(builder, loc, value);
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
                                     withElement(value, elementType), value);
  return vectormath::emitCast(builder, loc, value, elementType, compute);
}

Value tc::widen(KernelFrame &frame, Value value, Type elementType) {
  Value computed = emitWidened(frame, value, elementType);
  if (computed != value && isa<FloatType>(elementType))
    frame.widened[computed] = {value, elementType};
  return computed;
}

Value tc::narrow(KernelFrame &frame, Value value, Type elementType) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  if (elementType.isInteger(1))
    return arith::ExtUIOp::create(
        builder, loc, withElement(value, builder.getI8Type()), value);
  Type compute = getComputeType(elementType);
  if (!isa<FloatType>(elementType) || compute == elementType)
    return value;
  if (auto [stored, type] = frame.widened.lookup(value); type == elementType)
    return stored;
  value = vectormath::emitCast(builder, loc, value, compute, elementType);
  if (Type storage = getStorageType(elementType); storage != elementType)
    value = arith::BitcastOp::create(builder, loc, withElement(value, storage),
                                     value);
  return value;
}

//===----------------------------------------------------------------------===//
// One access
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

/// The element at a uniform address, in the lanes that the mask has if it has
/// lanes; loaded where any of them wants it.
static Value emitUniformLoad(KernelFrame &frame, const Address &address,
                             Type storage, unsigned alignment) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto loadFrom = [&](Value pointer) -> Value {
    return LLVM::LoadOp::create(builder, loc, storage, pointer, alignment);
  };
  auto load = [&]() { return loadFrom(address.pointer); };
  if (!address.mask)
    return load();
  auto lanes = dyn_cast<VectorType>(address.mask.getType());
  if (Value zeros = lanes ? Value() : frame.getZeros())
    return loadFrom(arith::SelectOp::create(builder, loc, address.mask,
                                            address.pointer, zeros));
  if (!lanes)
    return loadIf(builder, loc, address.mask, storage, load);
  Value isAny = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::OR, address.mask);
  Value element = loadIf(builder, loc, isAny, storage, load);
  auto type = VectorType::get(lanes.getShape(), storage);
  return arith::SelectOp::create(
      builder, loc, address.mask,
      vector::BroadcastOp::create(builder, loc, type, element),
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
}

Value tc::emitLoad(KernelFrame &frame, const Address &address, Type elementType,
                   int64_t lanes) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type storage = getStorageType(elementType);
  unsigned alignment = getAlignment(elementType);
  bool isOne = address.kind == Address::Uniform &&
               !isa_and_nonnull<VectorType>(
                   address.mask ? address.mask.getType() : Type());
  Type type = getLaneType(storage, isOne ? 1 : lanes);
  if (address.exists) {
    Address existing = address;
    existing.exists = nullptr;
    return loadIf(builder, loc, address.exists, type, [&] {
      return emitLoad(frame, existing, elementType, lanes);
    });
  }
  if (address.kind == Address::Uniform)
    return emitUniformLoad(frame, address, storage, alignment);
  if (address.unaligned)
    return address.unaligned->load(address, elementType, lanes);
  return emitLoadInParts(frame, address, elementType, lanes);
}

void tc::emitStore(KernelFrame &frame, const Address &address, Value value,
                   Type elementType, CombineKind combine, int64_t lanes,
                   bool nontemporal) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  unsigned alignment = ::getAlignment(address, elementType);
  if (address.exists) {
    Address existing = address;
    existing.exists = nullptr;
    storeIf(builder, loc, address.exists, [&] {
      emitStore(frame, existing, value, elementType, combine, lanes,
                nontemporal);
    });
    return;
  }
  if (combine != CombineKind::Replace) {
    Value old =
        widen(frame, emitLoad(frame, address, elementType, lanes), elementType);
    value = Monoid(combine, elementType).fold(builder, loc, old, value);
  }
  value = narrow(frame, value, elementType);
  if (address.kind == Address::Uniform) {
    auto store = [&] {
      LLVM::StoreOp::create(builder, loc, value, address.pointer, alignment);
    };
    return address.mask ? storeIf(builder, loc, address.mask, store) : store();
  }
  if (address.unaligned)
    return address.unaligned->store(address, value, elementType);
  if (address.kind == Address::Contiguous && !address.mask) {
    bool past =
        nontemporal && getElementBytes(elementType) * lanes % kLineBytes == 0;
    LLVM::StoreOp::create(builder, loc, value, address.pointer,
                          past ? kLineBytes : alignment,
                          /*isVolatile=*/false, /*isNonTemporal=*/past);
    return;
  }
  emitStoreInParts(frame, address, value, elementType, lanes);
}
