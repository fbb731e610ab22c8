//===- TileOperations.cpp - Multiply-adds of tiles ------------------------===//

#include "TileOperations.h"
#include "MatrixTiles.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

void tc::emitFetch(KernelFrame &frame, Value address) {
  constexpr unsigned kCoreCache = 2, kData = 1; // as LLVM numbers them
  LLVM::Prefetch::create(frame.builder, frame.loc, address, /*rw=*/0,
                         kCoreCache, kData);
}

void tc::emitFetch(KernelFrame &frame, const TileLayout &layout, Value next,
                   Value point, int64_t steps) {
  constexpr int64_t kLineBytes = 64;
  auto &builder = frame.builder;
  Type byte = builder.getI8Type();
  Value first = LLVM::GEPOp::create(
      builder, frame.loc, next.getType(), byte, next,
      ValueRange{frame.mul(point, frame.constant(layout.fetchedStride))});
  for (int64_t at = 0; at < steps * layout.fetchedBytes; at += kLineBytes)
    emitFetch(frame, LLVM::GEPOp::create(
                         builder, frame.loc, next.getType(), byte, first,
                         ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)}));
}

Value tc::loadLanes(KernelFrame &frame, VectorType type, Value pointer,
                    Value mask) {
  auto &builder = frame.builder;
  auto alignment =
      static_cast<unsigned>(getElementBytes(type.getElementType()));
  if (!mask)
    return LLVM::LoadOp::create(builder, frame.loc, type, pointer, alignment);
  Value zero =
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, frame.loc, type, pointer, mask,
                                    zero, builder.getI32IntegerAttr(alignment));
}

Value tc::loadVector(KernelFrame &frame, const TileLayout &layout,
                     const TileOperand &operand, Value pointer, Value mask) {
  Type element =
      layout.pair == 2 ? Type(frame.builder.getBF16Type()) : operand.stored;
  Value loaded =
      loadLanes(frame, VectorType::get({layout.pair * layout.width}, element),
                pointer, mask);
  return layout.pair == 2 || element == layout.accumulator
             ? loaded
             : widen(frame, loaded, operand.value);
}

Value tc::multiplyAdd(KernelFrame &frame, const TileLayout &layout, Value x,
                      Value y, Value accumulator) {
  auto &builder = frame.builder;
  if (layout.pair == 1)
    return vectormath::emitMultiplyAdd(builder, frame.loc, x, y, accumulator);
  return LLVM::CallIntrinsicOp::create(
             builder, frame.loc, accumulator.getType(),
             builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{accumulator, x, y})
      .getResult(0);
}

Value tc::maskFirst(KernelFrame &frame, int64_t lanes, Value count) {
  auto &builder = frame.builder;
  Type i32 = builder.getI32Type(), vector = VectorType::get({lanes}, i32);
  SmallVector<int32_t> numbers =
      llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(lanes)));
  Value all = arith::ConstantOp::create(
      builder, frame.loc,
      DenseElementsAttr::get(cast<ShapedType>(vector),
                             ArrayRef<int32_t>(numbers)));
  Value few = arith::TruncIOp::create(builder, frame.loc, i32, count);
  few = vector::BroadcastOp::create(builder, frame.loc, vector, few);
  return arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                               all, few);
}

void tc::emitMultiplyAdds(KernelFrame &frame, const TileLayout &layout,
                          TileAddresses addresses, Value points,
                          Value isFirst) {
  (layout.usesAMX ? emitMatrixTile : emitVectorTile)(frame, layout, addresses,
                                                     points, isFirst);
}
