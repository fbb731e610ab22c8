//===- LaneAccess.cpp - Loads and stores of vectors -----------------------===//

#include "PointEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Lanes from `begin` on of a vector.
static Value takeLanes(OpBuilder &builder, Location loc, Value vector,
                       int64_t begin, int64_t count) {
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
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

/// Lanes of one access. A CPU without masks for such elements accesses each
/// under a branch, and a load hands on the vector made so far, so that long
/// vectors, accessed as one, would take code of the square of their length.
int64_t PointEmitter::getPartLanes(const Address &address,
                                   int64_t lanes) const {
  constexpr int64_t kMostLanes = 16;
  bool branches = address.kind == Address::Strided ||
                  (address.mask && !frame.builder.options.hasAvx512);
  return branches && lanes > kMostLanes && llvm::isPowerOf2_64(lanes)
             ? kMostLanes
             : lanes;
}

PointEmitter::Address PointEmitter::takePart(const Address &address,
                                             Type elementType, int64_t begin,
                                             int64_t count) {
  auto &builder = frame.builder;
  Address part = address;
  part.pointer =
      address.kind == Address::PerLane
          ? takeLanes(builder, frame.loc, address.pointer, begin, count)
          : LLVM::GEPOp::create(
                builder, frame.loc, address.pointer.getType(),
                getStorageType(elementType), address.pointer,
                ArrayRef<LLVM::GEPArg>{int32_t(begin * address.apart)});
  if (address.mask)
    part.mask = takeLanes(builder, frame.loc, address.mask, begin, count);
  return part;
}

Value PointEmitter::emitLoadInParts(const Address &address, Type elementType,
                                    int64_t lanes) {
  int64_t count = getPartLanes(address, lanes);
  if (count == lanes)
    return emitLanesLoad(address, elementType, lanes, /*isLast=*/true);
  SmallVector<Value> parts;
  for (int64_t begin = 0; begin < lanes; begin += count)
    parts.push_back(emitLanesLoad(takePart(address, elementType, begin, count),
                                  elementType, count, begin + count == lanes));
  return joinLanes(frame.builder, frame.loc, std::move(parts));
}

void PointEmitter::emitStoreInParts(const Address &address, Value value,
                                    Type elementType, int64_t lanes) {
  int64_t count = getPartLanes(address, lanes);
  if (count == lanes)
    return emitLanesStore(address, value, elementType);
  for (int64_t begin = 0; begin < lanes; begin += count)
    emitLanesStore(takePart(address, elementType, begin, count),
                   takeLanes(frame.builder, frame.loc, value, begin, count),
                   elementType);
}

Value PointEmitter::emitLanesLoad(const Address &address, Type elementType,
                                  int64_t lanes, bool isLast) {
  if (address.kind == Address::Strided)
    return emitStridedLoad(address, elementType, lanes, isLast);
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type type = getLaneType(getStorageType(elementType), lanes);
  unsigned alignment = getAlignment(elementType);
  if (address.kind == Address::Contiguous && !address.mask)
    return LLVM::LoadOp::create(builder, loc, type, address.pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (address.kind == Address::Contiguous)
    return LLVM::MaskedLoadOp::create(builder, loc, type, address.pointer,
                                      address.mask, zero,
                                      builder.getI32IntegerAttr(alignment));
  Value mask =
      address.mask ? address.mask : makeConstantMask(builder, loc, lanes, true);
  return LLVM::masked_gather::create(builder, loc, type, address.pointer, mask,
                                     zero,
                                     builder.getI32IntegerAttr(alignment));
}

void PointEmitter::emitLanesStore(const Address &address, Value value,
                                  Type elementType) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto alignment = builder.getI32IntegerAttr(getAlignment(elementType));
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

/// Everything between the lanes is loaded too, in whole vectors, and dropped:
/// a gather loads element by element.
Value PointEmitter::emitStridedLoad(const Address &address, Type elementType,
                                    int64_t lanes, bool isLast) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  const int64_t apart = address.apart, span = lanes * apart;
  Value mask =
      address.mask ? address.mask : makeConstantMask(builder, loc, lanes, true);
  // Behind the last lane there may be nothing to load.
  SmallVector<int64_t> spread(span, lanes), take;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t used = address.mask || (isLast && lane + 1 == lanes) ? 1 : apart;
    std::fill_n(spread.begin() + lane * apart, used, lane);
    take.push_back(lane * apart);
  }
  mask = vector::ShuffleOp::create(
      builder, loc, mask, makeConstantMask(builder, loc, lanes, false), spread);
  auto type = VectorType::get({span}, getStorageType(elementType));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value all = LLVM::MaskedLoadOp::create(
      builder, loc, type, address.pointer, mask, zero,
      builder.getI32IntegerAttr(getAlignment(elementType)));
  return vector::ShuffleOp::create(builder, loc, all, all, take);
}
