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

/// Bytes of a register, and most bytes of an access.
static constexpr int64_t kWordBytes = 4, kMostBytes = 16;

/// Bytes of an aligned access of `lanes` elements, or of a part of them.
static int64_t getGranuleBytes(Type elementType, int64_t lanes) {
  return std::min(kMostBytes, lanes * getElementBytes(elementType));
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

/// The bits of the lanes from number `lane` (i32, any number) on.
Value UnalignedVectors::bitsFrom(Value lane, int64_t lanes) const {
  auto &b = frame.builder;
  Value count = arith::MinSIOp::create(
      b, frame.loc, arith::MaxSIOp::create(b, frame.loc, lane, number(0)),
      number(lanes));
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

/// A lane, or the end of the lanes, next to `index` (i64).
Value UnalignedVectors::toLane(Value index, int64_t lanes) const {
  auto &b = frame.builder;
  Value fitting = arith::MinSIOp::create(
      b, frame.loc,
      arith::MaxSIOp::create(b, frame.loc, index, frame.constant(0)),
      frame.constant(lanes));
  return arith::TruncIOp::create(b, frame.loc, b.getI32Type(), fitting);
}

Value UnalignedVectors::lanesBefore(Value lane, int64_t lanes) const {
  return emitMask(/*low=*/{}, toLane(lane, lanes), lanes);
}

Value UnalignedVectors::lanesFrom(Value lane, int64_t lanes) const {
  return makeMask(bitsFrom(toLane(lane, lanes), lanes), lanes);
}

Value UnalignedVectors::emitElementsBefore(Value pointer, Type elementType,
                                           int64_t lanes) const {
  auto &b = frame.builder;
  Value address =
      LLVM::PtrToIntOp::create(b, frame.loc, b.getI64Type(), pointer);
  Value elements = arith::ShRUIOp::create(
      b, frame.loc, address,
      frame.constant(llvm::Log2_64(getElementBytes(elementType))));
  return arith::AndIOp::create(b, frame.loc, elements,
                               frame.constant(lanes - 1));
}

/// The vector that begins `offset` bytes (i32), less than a granule, from the
/// first of `words`, which are those of one granule more than it has.
Value UnalignedVectors::join(SmallVector<Value> words, Value offset,
                             Type elementType, int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t elementBytes = getElementBytes(elementType);
  for (int64_t shift = getGranuleBytes(elementType, lanes) / kWordBytes / 2;
       shift > 0; shift /= 2) {
    Value isLater = isNotZero(
        arith::AndIOp::create(b, loc, offset, number(shift * kWordBytes)));
    for (size_t i = 0; i + shift < words.size(); ++i)
      words[i] =
          arith::SelectOp::create(b, loc, isLater, words[i + shift], words[i]);
    words.resize(words.size() - shift);
  }
  if (elementBytes < kWordBytes) {
    Value bits = arith::ShLIOp::create(
        b, loc, arith::AndIOp::create(b, loc, offset, number(kWordBytes - 1)),
        number(3));
    for (size_t i = 0; i + 1 < words.size(); ++i)
      words[i] = LLVM::FshrOp::create(b, loc, words[i + 1], words[i], bits);
  }
  words.pop_back();
  Type type = VectorType::get({lanes}, getStorageType(elementType));
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get({int64_t(words.size())}, b.getI32Type()), words);
  return vector::BitCastOp::create(b, loc, type, all);
}

/// Loads a granule of `count` words; appends them.
static void loadWords(GPUFrame &frame, Value from, int64_t count,
                      SmallVectorImpl<Value> &words) {
  auto &b = frame.builder;
  Value loaded =
      LLVM::LoadOp::create(b, frame.loc, getLaneType(b.getI32Type(), count),
                           from, /*alignment=*/count * kWordBytes);
  if (count == 1)
    words.push_back(loaded);
  else
    for (int64_t word = 0; word < count; ++word)
      words.push_back(vector::ExtractOp::create(b, frame.loc, loaded, word));
}

Value UnalignedVectors::loadShared(Value base, Value offset, Type elementType,
                                   int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t bytes = getGranuleBytes(elementType, lanes),
          granules = lanes * getElementBytes(elementType) / bytes + 1;
  Value place = arith::ShLIOp::create(
      b, loc, offset, number(llvm::Log2_64(getElementBytes(elementType))));
  Value low = arith::AndIOp::create(b, loc, place, number(-bytes));
  SmallVector<Value> words;
  for (int64_t granule = 0; granule < granules; ++granule)
    loadWords(frame,
              LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                                  ValueRange{arith::AddIOp::create(
                                      b, loc, low, number(granule * bytes))}),
              bytes / kWordBytes, words);
  return join(std::move(words), place, elementType, lanes);
}

Value UnalignedVectors::load(const Address &address, Type elementType,
                             int64_t lanes) const {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i8 = b.getI8Type(), i32 = b.getI32Type(), i64 = b.getI64Type();
  int64_t elementBytes = getElementBytes(elementType),
          bytes = getGranuleBytes(elementType, lanes),
          granules = lanes * elementBytes / bytes + 1,
          granuleLanes = bytes / elementBytes;
  Value place = LLVM::PtrToIntOp::create(b, loc, i64, address.pointer);
  Value wide = arith::AndIOp::create(b, loc, place, frame.constant(bytes - 1));
  Value offset = arith::TruncIOp::create(b, loc, i32, wide);
  auto step = [&](Value from, Value count) -> Value {
    return LLVM::GEPOp::create(b, loc, from.getType(), i8, from,
                               ValueRange{count});
  };
  Value low = step(address.pointer, frame.sub(frame.constant(0), wide));
  // The mask in terms of the granules' elements.
  Value needed = arith::ShLIOp::create(
      b, loc, emitBits(address.mask, lanes),
      arith::ShRUIOp::create(b, loc, offset,
                             number(llvm::Log2_64(elementBytes))));
  Value zeros = frame.getZeros();
  SmallVector<Value> parts;
  for (int64_t granule = 0; granule < granules; ++granule) {
    Value isNeeded = isNotZero(arith::AndIOp::create(
        b, loc, needed,
        number(int64_t(getAllBits(granuleLanes)) << granule * granuleLanes)));
    Value from = arith::SelectOp::create(
        b, loc, isNeeded, step(low, frame.constant(granule * bytes)), zeros);
    loadWords(frame, from, bytes / kWordBytes, parts);
  }
  Value result = join(parts, offset, elementType, lanes);
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
