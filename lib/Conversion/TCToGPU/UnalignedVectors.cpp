//===- UnalignedVectors.cpp - Vectors that begin anywhere -----------------===//
//
// The words of a vector that begins anywhere are those of two neighbouring
// aligned vectors: selected by the offset in words, one bit of it after the
// other, and shifted by the rest, two words at a time.
//
//===----------------------------------------------------------------------===//

#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Bytes of a register.
static constexpr int64_t kWordBytes = 4;

/// Bytes of an aligned access of `lanes` elements, or of a part of them.
static int64_t getGranuleBytes(Type elementType, int64_t lanes) {
  return std::min(UnalignedVectors::kGranuleBytes,
                  lanes * getElementBytes(elementType));
}

/// The lanes of a mask as the bits of a number, the first one the lowest.
static uint32_t getAllBits(int64_t lanes) {
  return llvm::maskTrailingOnes<uint32_t>(lanes);
}

Value UnalignedVectors::number(int64_t value) const {
  return arith::ConstantOp::create(
      frame.builder, frame.loc,
      IntegerAttr::get(frame.builder.getI32Type(),
                       APInt(32, uint64_t(value) & 0xffffffffu)));
}

Value UnalignedVectors::isNotZero(Value value) const {
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::ne, value, number(0));
}

/// The mask as bits: those that it was made of, where they are known.
Value UnalignedVectors::emitBits(Value mask, int64_t lanes) const {
  auto &b = frame.builder;
  if (!mask)
    return number(getAllBits(lanes));
  if (Value known = knownBits.lookup(mask))
    return known;
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return arith::AndIOp::create(b, frame.loc, emitBits(both.getLhs(), lanes),
                                 emitBits(both.getRhs(), lanes));
  if (auto same = mask.getDefiningOp<vector::BroadcastOp>())
    return arith::SelectOp::create(b, frame.loc, same.getSource(),
                                   number(getAllBits(lanes)), number(0));
  Value bits = number(0);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value isIn = vector::ExtractOp::create(b, frame.loc, mask, lane);
    Value bit = arith::SelectOp::create(b, frame.loc, isIn,
                                        number(int64_t(1) << lane), number(0));
    bits = arith::OrIOp::create(b, frame.loc, bits, bit);
  }
  return bits;
}

Value UnalignedVectors::makeMask(Value bits, int64_t lanes) const {
  auto &b = frame.builder;
  SmallVector<Value> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(isNotZero(
        arith::AndIOp::create(b, frame.loc, bits, number(int64_t(1) << lane))));
  Value made = vector::FromElementsOp::create(
      b, frame.loc, VectorType::get({lanes}, b.getI1Type()), mask);
  knownBits[made] = bits;
  return made;
}

/// The bits of the lanes from number `lane` (i32 or i64, any number) on.
Value UnalignedVectors::bitsFrom(Value lane, int64_t lanes) const {
  auto &b = frame.builder;
  auto constant = [&](int64_t value) -> Value {
    return lane.getType().isInteger(64) ? frame.constant(value) : number(value);
  };
  Value count = arith::MinSIOp::create(
      b, frame.loc, arith::MaxSIOp::create(b, frame.loc, lane, constant(0)),
      constant(lanes));
  if (lane.getType().isInteger(64))
    count = arith::TruncIOp::create(b, frame.loc, b.getI32Type(), count);
  return arith::AndIOp::create(
      b, frame.loc, arith::ShLIOp::create(b, frame.loc, number(-1), count),
      number(getAllBits(lanes)));
}

Value UnalignedVectors::emitMask(Value low, Value high, int64_t lanes) const {
  auto &b = frame.builder;
  Value bits = arith::XOrIOp::create(b, frame.loc, bitsFrom(high, lanes),
                                     number(getAllBits(lanes)));
  if (low)
    bits = arith::AndIOp::create(b, frame.loc, bits, bitsFrom(low, lanes));
  return makeMask(bits, lanes);
}

/// Of a pair, comparisons are fewer instructions than bits.
static constexpr int64_t kMostCompared = 2;

/// The lanes whose number is such, compared with `lane`.
Value UnalignedVectors::compareLanes(arith::CmpIPredicate predicate, Value lane,
                                     int64_t lanes) const {
  auto &b = frame.builder;
  SmallVector<Value> mask;
  for (int64_t number = 0; number < lanes; ++number)
    mask.push_back(arith::CmpIOp::create(
        b, frame.loc, predicate,
        arith::ConstantOp::create(b, frame.loc,
                                  b.getIntegerAttr(lane.getType(), number)),
        lane));
  return vector::FromElementsOp::create(
      b, frame.loc, VectorType::get({lanes}, b.getI1Type()), mask);
}

Value UnalignedVectors::lanesBefore(Value lane, int64_t lanes) const {
  return lanes <= kMostCompared
             ? compareLanes(arith::CmpIPredicate::slt, lane, lanes)
             : emitMask(/*low=*/{}, lane, lanes);
}

Value UnalignedVectors::lanesFrom(Value lane, int64_t lanes) const {
  return lanes <= kMostCompared
             ? compareLanes(arith::CmpIPredicate::sge, lane, lanes)
             : makeMask(bitsFrom(lane, lanes), lanes);
}

Value UnalignedVectors::emitElementsBefore(Value pointer, Type elementType,
                                           int64_t lanes) const {
  auto &b = frame.builder;
  // The lower half of the address has all of it.
  Value address =
      LLVM::PtrToIntOp::create(b, frame.loc, b.getI32Type(), pointer);
  Value elements = arith::ShRUIOp::create(
      b, frame.loc, address,
      number(llvm::Log2_64(getElementBytes(elementType))));
  return arith::ExtUIOp::create(
      b, frame.loc, b.getI64Type(),
      arith::AndIOp::create(b, frame.loc, elements, number(lanes - 1)));
}

Value UnalignedVectors::emitOffset(PointEmitter &emitter, Operation *access,
                                   ArrayRef<unsigned> dims, Scope &scope,
                                   int64_t lanes) const {
  Scope begin(scope);
  for (unsigned dim : dims)
    begin.bind(dim, frame.constant(0));
  auto emit = [&](auto op, Type elementType) {
    return frame.sub(frame.constant(0),
                     emitElementsBefore(emitter.access.pointerTo(op, begin),
                                        elementType, lanes));
  };
  if (auto read = dyn_cast<ReadOp>(access))
    return emit(read, read.getResult().getType());
  auto write = cast<WriteOp>(access);
  return emit(write, write.getValue().getType());
}

Value UnalignedVectors::emitElementsAfter(Value pointer, Type elementType,
                                          int64_t lanes) const {
  Value after = frame.sub(frame.constant(lanes),
                          emitElementsBefore(pointer, elementType, lanes));
  // As text, so that LLVM does not take the constant out of an address that is
  // made of it: shared memory is not accessed at a negative register plus a
  // positive number.
  return frame.emitAssembly(after.getType(), after, "mov.b64 $0, $1;", "=l,l");
}

/// The vector of `lanes` elements that `words` (i32) are.
static Value toVector(GPUFrame &frame, ArrayRef<Value> words, Type elementType,
                      int64_t lanes) {
  auto &b = frame.builder;
  Value all = vector::FromElementsOp::create(
      b, frame.loc, VectorType::get({int64_t(words.size())}, b.getI32Type()),
      words);
  return vector::BitCastOp::create(
      b, frame.loc, VectorType::get({lanes}, getStorageType(elementType)), all);
}

/// Drops the elements of `words` that are before the one at `offset` (i32,
/// bytes) of the first word, and the last word.
void UnalignedVectors::shift(SmallVectorImpl<Value> &words, Value offset,
                             Type elementType) const {
  auto &b = frame.builder;
  if (getElementBytes(elementType) < kWordBytes) {
    Value bytes =
        arith::AndIOp::create(b, frame.loc, offset, number(kWordBytes - 1));
    Value bits = arith::ShLIOp::create(b, frame.loc, bytes, number(3));
    for (size_t i = 0; i + 1 < words.size(); ++i)
      words[i] =
          LLVM::FshrOp::create(b, frame.loc, words[i + 1], words[i], bits);
  }
  words.pop_back();
}

/// The words of the granule at `low`, which the buffer's end is in: what the
/// buffer has of it, element by element, and zeros.
Value UnalignedVectors::loadRest(Value low, Value end, int64_t bytes,
                                 Type elementType) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t elementBytes = getElementBytes(elementType);
  Type element = getStorageType(elementType), i32 = b.getI32Type();
  Value rest = arith::AndIOp::create(
      b, loc, LLVM::PtrToIntOp::create(b, loc, i32, end), number(bytes - 1));
  SmallVector<Value> elements;
  for (int64_t index = 0; index < bytes / elementBytes; ++index) {
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          rest, number(index * elementBytes));
    Value place = LLVM::GEPOp::create(b, loc, low.getType(), element, low,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    Value from =
        arith::SelectOp::create(b, loc, isThere, place, frame.getZeros());
    elements.push_back(
        LLVM::LoadOp::create(b, loc, element, from, getAlignment(elementType)));
  }
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get({int64_t(elements.size())}, element), elements);
  return vector::BitCastOp::create(
      b, loc, VectorType::get({bytes / kWordBytes}, i32), all);
}

/// The words of the granules of a vector from the aligned address `low` on; 0
/// where `isNeeded` of their number does not hold. No access passes `end`, the
/// end of the buffer.
SmallVector<Value> UnalignedVectors::loadGranules(
    Value low, Value end, Type elementType, int64_t lanes, int64_t count,
    function_ref<Value(int64_t granule)> isNeeded) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i64 = b.getI64Type();
  int64_t bytes = getGranuleBytes(elementType, lanes);
  auto type = VectorType::get({bytes / kWordBytes}, b.getI32Type());
  Value begin = LLVM::PtrToIntOp::create(b, loc, i64, low);
  Value last = frame.sub(LLVM::PtrToIntOp::create(b, loc, i64, end),
                         frame.constant(bytes)); // a granule that is whole
  SmallVector<Value> loaded, isPart;
  Value isAnyPart, partPlace = low;
  for (int64_t granule = 0; granule < count; ++granule) {
    Value number = frame.constant(granule * bytes), needed = isNeeded(granule);
    Value passes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                         frame.add(begin, number), last);
    isPart.push_back(arith::AndIOp::create(b, loc, needed, passes));
    isAnyPart =
        isAnyPart
            ? Value(arith::OrIOp::create(b, loc, isAnyPart, isPart.back()))
            : isPart.back();
    Value place = LLVM::GEPOp::create(b, loc, low.getType(), b.getI8Type(), low,
                                      ValueRange{number});
    partPlace =
        arith::SelectOp::create(b, loc, isPart.back(), place, partPlace);
    Value from = arith::SelectOp::create(
        b, loc, needed,
        arith::SelectOp::create(b, loc, passes, frame.getZeros(), place),
        frame.getZeros());
    loaded.push_back(
        LLVM::LoadOp::create(b, loc, type, from, /*alignment=*/bytes));
  }
  auto either = scf::IfOp::create(
      b, loc, isAnyPart,
      [&](OpBuilder &, Location) {
        Value rest = loadRest(partPlace, end, bytes, elementType);
        SmallVector<Value> chosen;
        for (auto [part, whole] : llvm::zip_equal(isPart, loaded))
          chosen.push_back(arith::SelectOp::create(b, loc, part, rest, whole));
        scf::YieldOp::create(b, loc, chosen);
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, loaded); });
  SmallVector<Value> words;
  for (Value granule : either.getResults())
    for (int64_t word = 0; word < type.getNumElements(); ++word)
      words.push_back(vector::ExtractOp::create(b, loc, granule, word));
  return words;
}

/// The words of `count` granules of `bytes` bytes from the aligned address
/// `low` on, which are all in the buffer.
SmallVector<Value> UnalignedVectors::loadWhole(Value low, int64_t count,
                                               int64_t bytes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto type = VectorType::get({bytes / kWordBytes}, b.getI32Type());
  SmallVector<Value> loaded, words;
  for (int64_t granule = 0; granule < count; ++granule) {
    Value from =
        LLVM::GEPOp::create(b, loc, low.getType(), b.getI8Type(), low,
                            ArrayRef<LLVM::GEPArg>{int32_t(granule * bytes)});
    loaded.push_back(
        LLVM::LoadOp::create(b, loc, type, from, /*alignment=*/bytes));
  }
  for (Value granule : loaded)
    for (int64_t word = 0; word < type.getNumElements(); ++word)
      words.push_back(vector::ExtractOp::create(b, loc, granule, word));
  return words;
}

/// The vector that begins `offset` bytes (i32) after the first of `words`,
/// those of its granules.
Value UnalignedVectors::select(SmallVector<Value> words, Value offset,
                               Type elementType, int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t bytes = getGranuleBytes(elementType, lanes);
  for (int64_t count = bytes / kWordBytes / 2; count > 0; count /= 2) {
    Value isLater = isNotZero(
        arith::AndIOp::create(b, loc, offset, number(count * kWordBytes)));
    for (size_t i = 0; i + count < words.size(); ++i)
      words[i] =
          arith::SelectOp::create(b, loc, isLater, words[i + count], words[i]);
    words.resize(words.size() - count);
  }
  shift(words, offset, elementType);
  return toVector(frame, words, elementType, lanes);
}

Value UnalignedVectors::loadAligned(Value pointer, Value end, Value first,
                                    Value count, Type elementType,
                                    int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t elementBytes = getElementBytes(elementType),
          bytes = getGranuleBytes(elementType, lanes),
          granuleLanes = bytes / elementBytes;
  auto isBelow = [&](Value low, Value high) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, high);
  };
  SmallVector<Value> words = loadGranules(
      pointer, end, elementType, lanes, lanes / granuleLanes,
      [&](int64_t granule) -> Value {
        Value begin = arith::AddIOp::create(b, loc, first,
                                            number(granule * granuleLanes)),
              next = arith::AddIOp::create(b, loc, begin, number(granuleLanes));
        return arith::AndIOp::create(b, loc, isBelow(begin, count),
                                     isBelow(number(0), next));
      });
  return toVector(frame, words, elementType, lanes);
}

Value UnalignedVectors::loadWords(Value pointer, Type elementType,
                                  int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t elementBytes = getElementBytes(elementType);
  Type element = getStorageType(elementType), i32 = b.getI32Type();
  auto loadAt = [&](Value base, Type type, int64_t index,
                    int64_t bytes) -> Value {
    Value from = LLVM::GEPOp::create(b, loc, base.getType(), type, base,
                                     ArrayRef<LLVM::GEPArg>{int32_t(index)});
    return LLVM::LoadOp::create(b, loc, type, from, bytes);
  };
  SmallVector<Value> parts;
  if (elementBytes >= kWordBytes || lanes == 1) {
    for (int64_t lane = 0; lane < lanes; ++lane)
      parts.push_back(
          loadAt(pointer, element, lane, getAlignment(elementType)));
    if (lanes == 1)
      return parts.front();
    return vector::FromElementsOp::create(
        b, loc, VectorType::get({lanes}, element), parts);
  }
  Value offset = arith::AndIOp::create(
      b, loc, LLVM::PtrToIntOp::create(b, loc, i32, pointer),
      number(kWordBytes - 1));
  Value low = LLVM::PtrMaskOp::create(b, loc, pointer.getType(), pointer,
                                      frame.constant(-kWordBytes));
  for (int64_t word = 0; word <= lanes * elementBytes / kWordBytes; ++word)
    parts.push_back(loadAt(low, i32, word, kWordBytes));
  shift(parts, offset, elementType);
  return toVector(frame, parts, elementType, lanes);
}

Value UnalignedVectors::load(const Address &address, Type elementType,
                             int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i32 = b.getI32Type();
  int64_t elementBytes = getElementBytes(elementType),
          bytes = getGranuleBytes(elementType, lanes),
          granuleLanes = bytes / elementBytes;
  Value offset;
  if (address.shift)
    offset = number(*address.shift % granuleLanes * elementBytes);
  else
    offset = arith::AndIOp::create(
        b, loc, LLVM::PtrToIntOp::create(b, loc, i32, address.pointer),
        number(bytes - 1));
  Value before = arith::SubIOp::create(b, loc, number(0), offset);
  Value low =
      LLVM::GEPOp::create(b, loc, address.pointer.getType(), b.getI8Type(),
                          address.pointer, ValueRange{before});
  if (address.isInner)
    return select(loadWhole(low, lanes / granuleLanes + 1, bytes), offset,
                  elementType, lanes);
  // The mask in terms of the granules' elements.
  Value needed = arith::ShLIOp::create(
      b, loc, emitBits(address.mask, lanes),
      arith::ShRUIOp::create(b, loc, offset,
                             number(llvm::Log2_64(elementBytes))));
  SmallVector<Value> words = loadGranules(
      low, address.end, elementType, lanes, lanes / granuleLanes + 1,
      [&](int64_t granule) -> Value {
        int64_t bits = int64_t(getAllBits(granuleLanes))
                       << (granule * granuleLanes);
        return isNotZero(arith::AndIOp::create(b, loc, needed, number(bits)));
      });
  Value result = select(words, offset, elementType, lanes);
  if (!address.isZeroElsewhere || !address.mask)
    return result;
  return arith::SelectOp::create(
      b, loc, address.mask, result,
      arith::ConstantOp::create(b, loc, b.getZeroAttr(result.getType())));
}

void UnalignedVectors::store(const Address &address, Value value,
                             Type elementType) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements(),
          bytes = getGranuleBytes(elementType, lanes);
  Value place =
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address.pointer);
  Value offset = arith::TruncIOp::create(
      b, loc, b.getI32Type(),
      arith::AndIOp::create(b, loc, place, frame.constant(bytes - 1)));
  Value missing = arith::XOrIOp::create(b, loc, emitBits(address.mask, lanes),
                                        number(getAllBits(lanes)));
  Value isWhole = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      arith::OrIOp::create(b, loc, offset, missing), number(0));
  auto either = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(either.thenBlock()->getTerminator());
  LLVM::StoreOp::create(b, loc, value, address.pointer, bytes);
  b.setInsertionPoint(either.elseBlock()->getTerminator());
  singleLanes.store(address, value, elementType);
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

Value SingleLanes::load(const Address &address, Type elementType,
                        int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type element = getStorageType(elementType);
  SmallVector<Value> loaded;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value from = LLVM::GEPOp::create(b, loc, address.pointer.getType(), element,
                                     address.pointer,
                                     ArrayRef<LLVM::GEPArg>{int32_t(lane)});
    if (address.mask)
      from = arith::SelectOp::create(
          b, loc, vector::ExtractOp::create(b, loc, address.mask, lane), from,
          frame.getZeros());
    loaded.push_back(
        LLVM::LoadOp::create(b, loc, element, from, getAlignment(elementType)));
  }
  return vector::FromElementsOp::create(
      b, loc, VectorType::get({lanes}, element), loaded);
}

void SingleLanes::store(const Address &address, Value value,
                        Type elementType) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  Type element = getStorageType(elementType);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpBuilder::InsertionGuard inner(b);
    if (address.mask) {
      Value isIn = vector::ExtractOp::create(b, loc, address.mask, lane);
      auto present = scf::IfOp::create(b, loc, isIn, /*withElseRegion=*/false);
      b.setInsertionPoint(present.thenBlock()->getTerminator());
    }
    Value to = LLVM::GEPOp::create(b, loc, address.pointer.getType(), element,
                                   address.pointer,
                                   ArrayRef<LLVM::GEPArg>{int32_t(lane)});
    LLVM::StoreOp::create(b, loc,
                          vector::ExtractOp::create(b, loc, value, lane), to,
                          getAlignment(elementType));
  }
}
