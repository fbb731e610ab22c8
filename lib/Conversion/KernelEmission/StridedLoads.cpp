//===- StridedLoads.cpp - Lanes a few elements apart ----------------------===//

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

/// Everything between the lanes is loaded too, in whole vectors, and dropped:
/// a gather loads element by element. A CPU without masks for such elements
/// loads each under a branch, and hands on the vector made so far, so that long
/// vectors, loaded as one, would take code of the square of their length.
Value PointEmitter::emitStridedLoad(const Address &address, Type elementType,
                                    int64_t lanes) {
  constexpr int64_t kMostLanes = 16;
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type storage = getStorageType(elementType);
  if (lanes <= kMostLanes)
    return emitStridedPiece(address, elementType, lanes, /*isLast=*/true);
  SmallVector<Value> pieces;
  for (int64_t begin = 0; begin < lanes; begin += kMostLanes) {
    Address piece = address;
    piece.pointer = LLVM::GEPOp::create(
        builder, loc, address.pointer.getType(), storage, address.pointer,
        ArrayRef<LLVM::GEPArg>{int32_t(begin * address.apart)});
    if (address.mask)
      piece.mask = takeLanes(builder, loc, address.mask, begin, kMostLanes);
    pieces.push_back(emitStridedPiece(piece, elementType, kMostLanes,
                                      begin + kMostLanes == lanes));
  }
  for (; pieces.size() > 1; pieces.resize(pieces.size() / 2))
    for (size_t i = 0; i < pieces.size() / 2; ++i) {
      int64_t count = 2 * lanes / int64_t(pieces.size());
      pieces[i] = vector::ShuffleOp::create(
          builder, loc, pieces[2 * i], pieces[2 * i + 1],
          llvm::to_vector(llvm::seq<int64_t>(0, count)));
    }
  return pieces[0];
}

Value PointEmitter::emitStridedPiece(const Address &address, Type elementType,
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
