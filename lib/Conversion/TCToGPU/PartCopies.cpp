//===- PartCopies.cpp - Copies of matrices that threads start -------------===//
//
// Neighbouring threads copy neighbouring 16 bytes of a row of a box.
//
//===----------------------------------------------------------------------===//

#include "PartCopies.h"
#include "../KernelEmission/AccessEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Bytes of a part, and parts of a row of a box.
static constexpr int64_t kPartBytes = 16, kParts = 8;
/// Rows of boxes that the warp group copies at once.
static constexpr int64_t kRowsOfPass = block::kGroupThreads / kParts;

/// The address of the first element of the matrix that a box is of.
Value PartCopies::emitBase(const Box &box) {
  Value elements = frame.size(matrix.offset);
  SmallVector<SizeExpr> strides(matrix.batchStrides);
  if (matrix.groupStride)
    strides.insert(strides.begin(), *matrix.groupStride);
  for (auto [index, stride] : llvm::zip_equal(box.indices, strides))
    elements =
        frame.add(elements, frame.mul(words.widen(index), frame.size(stride)));
  Value buffer = frame.kernel.getBodyBlock().getArgument(matrix.buffer);
  return LLVM::GEPOp::create(
      frame.builder, frame.loc,
      LLVM::LLVMPointerType::get(frame.builder.getContext()), getStoredType(),
      frame.pointer(buffer), ValueRange{elements});
}

/// The bytes (i32) of a part from row `outer` and element `inner` on that are
/// before the ends.
Value PartCopies::countPresent(const Box &box, Value outer, Value inner) {
  auto &b = frame.builder;
  const int64_t unit = kPartBytes / elementBytes, rowElements = unit * kParts;
  Value present = words.constant(kPartBytes);
  auto count = innerCount.getConstant();
  if (!count || *count % box.innerTile != 0 ||
      box.innerTile % rowElements != 0) {
    Value end = size(innerCount),
          rest = words.sub(words.min(end, words.add(inner, unit)),
                           words.min(end, inner));
    present = words.mul(rest, elementBytes);
  }
  count = outerCount.getConstant();
  if (count && *count % box.outerTile == 0 && box.outerTile % box.rows == 0)
    return present;
  return arith::SelectOp::create(b, frame.loc,
                                 words.isLess(outer, size(outerCount)), present,
                                 words.constant(0));
}

PartCopies::Part PartCopies::getPart(const Box &box, Value base, Value row,
                                     Value unit) {
  Value outer = words.add(box.outer, row),
        inner =
            words.add(box.inner, words.mul(unit, kPartBytes / elementBytes));
  Value elements =
      frame.add(frame.mul(words.widen(outer), frame.size(matrix.pitch)),
                words.widen(inner));
  Value source =
      LLVM::GEPOp::create(frame.builder, frame.loc, base.getType(),
                          getStoredType(), base, ValueRange{elements});
  return {source, countPresent(box, outer, inner)};
}

/// Runs `body` for each part of this thread, some at once.
void PartCopies::emitParts(const Box &box, PartBody body) {
  constexpr int64_t kMostTogether = 8;
  auto &b = frame.builder;
  Value base = emitBase(box);
  const int64_t passes = llvm::divideCeil(box.rows, kRowsOfPass);
  int64_t together = kMostTogether;
  while (passes % together != 0)
    together /= 2;
  Value thread = words.narrow(frame.threadNumber),
        unit = words.rem(thread, kParts), own = words.div(thread, kParts);
  auto loop = scf::ForOp::create(b, frame.loc, words.constant(0),
                                 words.constant(passes * kRowsOfPass),
                                 words.constant(together * kRowsOfPass));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (int64_t pass = 0; pass < together; ++pass) {
    Value row =
        words.add(words.add(loop.getInductionVar(), own), pass * kRowsOfPass);
    // Two threads copy the same where a box has half as many rows.
    if (box.rows % kRowsOfPass != 0)
      row = words.min(row, words.constant(box.rows - 1));
    body(row, unit, getPart(box, base, row, unit));
  }
}

void PartCopies::emit(const Box &box) {
  emitParts(box, [&](Value row, Value unit, const Part &part) {
    block::CopyPartOp::create(frame.builder, frame.loc, part.source,
                              part.present, box.pipeline, box.slot, box.offset,
                              row, unit, kPartBytes, /*part=*/0);
  });
}

/// The elements of a part, as they are stored; 0 in place of those that are not
/// there, for which the element at `base` is loaded.
Value PartCopies::loadElements(const Part &part, Value base) {
  auto &b = frame.builder;
  Type type = getStoredType();
  Value zero = arith::ConstantOp::create(b, frame.loc, b.getZeroAttr(type));
  SmallVector<Value> elements;
  for (int64_t index = 0; index < kPartBytes / elementBytes; ++index) {
    Value isThere =
        words.isLess(words.constant(index * elementBytes), part.present);
    Value own =
        LLVM::GEPOp::create(b, frame.loc, base.getType(), type, part.source,
                            ValueRange{frame.constant(index)});
    Value loaded = LLVM::LoadOp::create(
        b, frame.loc, type,
        arith::SelectOp::create(b, frame.loc, isThere, own, base),
        unsigned(elementBytes));
    elements.push_back(
        arith::SelectOp::create(b, frame.loc, isThere, loaded, zero));
  }
  return vector::FromElementsOp::create(
      b, frame.loc, VectorType::get({int64_t(elements.size())}, type),
      elements);
}

void PartCopies::emitByElements(const Box &box) {
  Value base = emitBase(box);
  emitParts(box, [&](Value row, Value unit, const Part &part) {
    block::StoreInOp::create(frame.builder, frame.loc, loadElements(part, base),
                             box.pipeline, box.slot, box.offset, row, unit);
  });
}

Value PartCopies::emitMayCopy() {
  auto &b = frame.builder;
  Value buffer = frame.kernel.getBodyBlock().getArgument(matrix.buffer);
  Value rests = LLVM::PtrToIntOp::create(b, frame.loc, b.getI64Type(),
                                         frame.pointer(buffer));
  SmallVector<SizeExpr> sizes(matrix.batchStrides);
  sizes.append({matrix.pitch, matrix.offset});
  if (matrix.groupStride)
    sizes.push_back(*matrix.groupStride);
  for (SizeExpr elements : sizes) {
    Value bytes = frame.mul(frame.size(elements), frame.constant(elementBytes));
    rests = arith::OrIOp::create(b, frame.loc, rests, bytes);
  }
  return frame.isZero(arith::AndIOp::create(b, frame.loc, rests,
                                            frame.constant(kPartBytes - 1)));
}
