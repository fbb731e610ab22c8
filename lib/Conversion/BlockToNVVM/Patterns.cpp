//===- Patterns.cpp - What patterns of block ops share --------------------===//

#include "Patterns.h"
#include "TC/Dialect/TC/IR/Warp.h"

using namespace mlir;
using namespace tc::block;

/// Bytes of a barrier in shared memory.
static constexpr int64_t kBarrierBytes = 8;

Value tc::block::getBarrierAddress(Instructions &code, Value pipeline,
                                   int64_t offset, Value index) {
  return code.add(code.add(pipeline, offset), code.mul(index, kBarrierBytes));
}

void tc::block::emitArrival(Instructions &code, Value barrier, Value arrives) {
  NVVM::InlinePtxOp::create(
      code.builder, code.loc, TypeRange(), ValueRange{barrier}, ValueRange(),
      "mbarrier.arrive.shared::cta.b64 _, [{$r0}];", arrives);
}

Value tc::block::getUnitPlace(Instructions &code, Value row, Value unit) {
  constexpr int64_t kUnitBytes = 16, kSwizzledRows = 8;
  Value permuted = arith::XOrIOp::create(code.builder, code.loc, unit,
                                         code.mask(row, kSwizzledRows - 1));
  return code.add(code.mul(row, kBoxRowBytes), code.mul(permuted, kUnitBytes));
}

void tc::block::meetInWarp(Instructions &code) {
  NVVM::SyncWarpOp::create(code.builder, code.loc,
                           code.constant(tc::kAllLanes));
}

void tc::block::fenceShared(Instructions &code) {
  NVVM::FenceProxyOp::create(
      code.builder, code.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(code.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// An instruction stores four matrices of 8 rows of 16 bytes, of which thread t
/// has the address of row t mod 8 of matrix t / 8: the upper and the lower rows
/// of 8 columns, and those of the next 8. The swizzle permutes the units of 16
/// bytes of a row by the number of the 128 bytes that the row is in, modulo the
/// units of a row.
void tc::block::storeWords(Instructions &code, ValueRange words, Value place,
                           Value lane) {
  constexpr int64_t kMatrices = 4, kUnitShift = 4, kRowMask = 15;
  const bool isWide = words.size() == kCopyOutWords;
  const int64_t rowShift = isWide ? 7 : 6, groupShift = isWide ? 0 : 1,
                unitMask = isWide ? 7 : 3;
  OpBuilder &b = code.builder;
  Value row = code.mask(lane, kRowMask);
  Value unit =
      code.shiftLeft(arith::XOrIOp::create(
                         b, code.loc, code.shiftRight(lane, kUnitShift),
                         code.mask(code.shiftRight(row, groupShift), unitMask)),
                     kUnitShift);
  Value rowPlace = code.add(place, code.shiftLeft(row, rowShift));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  for (size_t word = 0; word < words.size(); word += kMatrices) {
    // Two words of each 8 columns.
    Value own = arith::XOrIOp::create(
        b, code.loc, unit, code.constant(int64_t(word) / 2 << kUnitShift));
    NVVM::StMatrixOp::create(b, code.loc, code.pointer(code.add(rowPlace, own)),
                             words.slice(word, kMatrices), NVVM::MMALayout::row,
                             shape, NVVM::LdStMatrixEltType::B16);
  }
}
