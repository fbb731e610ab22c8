//===- SquareTranspose.cpp - Transposes in vector registers ---------------===//
//
// Squares of as many elements as 128 bits have are transposed by interleaving,
// then the matrix of these squares. Each shuffle is one instruction of SSE,
// AVX, AVX-512 (unpack, vperm2f128, vshuff32x4) or NEON (zip).
//
//===----------------------------------------------------------------------===//

#include "SquareTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

namespace {
/// Masks of two shuffles of the same two vectors.
struct ShufflePair {
  SmallVector<int64_t> low, high;
};
} // namespace

/// Interleaves groups of `group` elements within each part of `part` elements:
/// `low` the first halves of both vectors' parts, `high` the second halves.
static ShufflePair interleaveParts(int64_t size, int64_t part, int64_t group) {
  ShufflePair masks;
  for (int64_t lane = 0; lane < size; ++lane) {
    int64_t inPart = lane % part, vector = inPart / group % 2,
            source = lane - inPart + inPart / (2 * group) * group +
                     inPart % group + vector * size;
    masks.low.push_back(source);
    masks.high.push_back(source + part / 2);
  }
  return masks;
}

/// `low` has the parts of `part` elements with even numbers, of the first
/// vector and then of the second, `high` those with odd numbers.
static ShufflePair separateParts(int64_t size, int64_t part) {
  ShufflePair masks;
  for (int64_t lane = 0; lane < size; ++lane) {
    int64_t source = lane / part * 2 * part + lane % part;
    masks.low.push_back(source);
    masks.high.push_back(source + part);
  }
  return masks;
}

/// `rows` behind a fence, which is no instruction. Without it LLVM tries to
/// merge the shuffles of all steps, which takes most of the time that it takes
/// to generate the code of a transpose, and merges none.
static void separateSteps(KernelFrame &frame, SmallVectorImpl<Value> &rows) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto type = cast<VectorType>(rows.front().getType());
  int64_t words =
      type.getNumElements() * getElementBytes(type.getElementType()) / 4;
  auto floats = VectorType::get({words}, builder.getF32Type());
  auto name = builder.getStringAttr("llvm.arithmetic.fence");
  for (Value &row : rows) {
    Value bits = vector::BitCastOp::create(builder, loc, floats, row);
    Value fenced =
        LLVM::CallIntrinsicOp::create(builder, loc, floats, name, bits)
            .getResult(0);
    row = vector::BitCastOp::create(builder, loc, type, fenced);
  }
}

/// Elements of 128 bits of the vectors of a square.
static int64_t getPart(ArrayRef<Value> rows) {
  constexpr int64_t kPartBytes = 16;
  return std::min<int64_t>(
      rows.size(),
      kPartBytes / getElementBytes(getElementTypeOrSelf(rows.front())));
}

SmallVector<Value> tc::transposeSquare(KernelFrame &frame,
                                       SmallVector<Value> rows) {
  int64_t size = rows.size(), part = getPart(rows);
  for (int64_t half = 1; half < size; half *= 2) {
    if (half == part)
      separateSteps(frame, rows);
    ShufflePair masks = half < part ? interleaveParts(size, part, half)
                                    : separateParts(size, part);
    for (int64_t row = 0; row < size; ++row) {
      if (row & half)
        continue;
      Value first = rows[row], second = rows[row + half];
      rows[row] = vector::ShuffleOp::create(frame.builder, frame.loc, first,
                                            second, masks.low);
      rows[row + half] = vector::ShuffleOp::create(frame.builder, frame.loc,
                                                   first, second, masks.high);
    }
  }
  // Interleaving left column c of a square in the row whose number has the bits
  // of c in reverse.
  SmallVector<Value> columns(size);
  for (int64_t row = 0; row < size; ++row) {
    int64_t column = row / part * part;
    for (int64_t half = 1; half < part; half *= 2)
      if (row & half)
        column += part / 2 / half;
    columns[column] = rows[row];
  }
  return columns;
}

/// Neighbouring vectors are shuffled as for a transpose and added up, so that
/// each step halves their number.
Value tc::sumSquare(KernelFrame &frame, SmallVector<Value> rows) {
  int64_t size = rows.size(), part = getPart(rows);
  for (int64_t half = 1; half < size; half *= 2) {
    ShufflePair masks = half < part ? interleaveParts(size, part, half)
                                    : separateParts(size, part);
    SmallVector<Value> sums;
    for (size_t row = 0; row < rows.size(); row += 2) {
      auto shuffle = [&](ArrayRef<int64_t> mask) -> Value {
        return vector::ShuffleOp::create(frame.builder, frame.loc, rows[row],
                                         rows[row + 1], mask);
      };
      sums.push_back(arith::AddFOp::create(
          frame.builder, frame.loc, shuffle(masks.low), shuffle(masks.high)));
    }
    rows = std::move(sums);
  }
  return rows.front();
}
