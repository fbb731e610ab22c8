//===- ThreadPatterns.cpp - Products of f32 by threads --------------------===//
//
// Each thread multiplies the elements of its rows by those of its columns, a
// part of the depth at a time: an outer product for each element of the depth.
// Threads of a warp that load together have units in different banks, or the
// same ones, by the swizzle of the stages.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

/// Bytes of an element and of a unit that a swizzle permutes, elements of one.
static constexpr int64_t kFloatBytes = 4, kUnitBytes = 16, kUnitFloats = 4;
/// Rows of a box after which the permutation of units repeats. So many elements
/// of the depth are multiplied in one turn of the loop.
static constexpr int64_t kPeriod = 8;
/// Elements of a row of a box.
static constexpr int64_t kRowFloats = kBoxRowBytes / kFloatBytes;

namespace {
/// One of the matrices, as a thread reads it: of every 8 elements along the
/// matrix' own dimension it has `width` neighbours, the first of which is
/// number `own` (i32).
class ThreadMatrix {
public:
  /// Of `count` times 8 elements, at `base` (i32) of boxes of `depth`. Those of
  /// a matrix that is across begin at unit number `firstUnit` (i32), 0 or 4, of
  /// a box where that is not null.
  ThreadMatrix(Instructions &code, Value base, bool across, int64_t depth,
               Value own, int64_t width, int64_t count, Value firstUnit = {})
      : code(code), base(base), own(own), across(across), depth(depth),
        width(width), count(count), firstUnit(firstUnit) {
    if (across)
      findUnits();
  }

  /// The elements of part `part` of 4 of the depth, 0 or 1, in turn `turn`
  /// (i32): for each of these, `width` times `count` values.
  using Elements = SmallVector<SmallVector<Value>>;
  Elements load(Value turn, int64_t part, int64_t first, int64_t number) const;
  int64_t getWidth() const { return width; }
  int64_t getCount() const { return count; }

private:
  void findUnits();
  Value loadVector(Value address, int64_t elements) const;

  Instructions &code;
  Value base, own;
  bool across;
  int64_t depth, width, count;
  Value firstUnit;
  /// The bits of a unit's number that threads differ in, or warps, and where
  /// the thread's unit is for each value of these bits of the row's number.
  int64_t mask = 0;
  SmallVector<Value> places;
};
} // namespace

/// Of the unit that has element `own`, with each permutation of its bits.
void ThreadMatrix::findUnits() {
  constexpr int64_t kOwnBit = 1, kFirstBit = 4, kUnitShift = 2;
  mask = firstUnit ? kOwnBit | kFirstBit : kOwnBit;
  Value unit = code.shiftRight(own, kUnitShift),
        bytes = code.mul(code.mask(own, kUnitFloats - 1), kFloatBytes);
  if (firstUnit)
    unit = code.add(unit, firstUnit);
  for (int64_t bits = 0; bits <= mask; ++bits) {
    Value permuted = arith::XOrIOp::create(code.builder, code.loc, unit,
                                           code.constant(bits & mask));
    places.push_back(
        code.add(code.add(base, code.mul(permuted, kUnitBytes)), bytes));
  }
}

Value ThreadMatrix::loadVector(Value address, int64_t elements) const {
  Type f32 = code.builder.getF32Type(), type = f32;
  if (elements > 1)
    type = VectorType::get({elements}, f32);
  return LLVM::LoadOp::create(code.builder, code.loc, type,
                              code.pointer(address),
                              unsigned(elements * kFloatBytes));
}

/// Those of eights `first` to `first + number`.
ThreadMatrix::Elements ThreadMatrix::load(Value turn, int64_t part,
                                          int64_t first, int64_t number) const {
  OpBuilder &b = code.builder;
  Elements elements(kUnitFloats);
  auto take = [&](Value vector, int64_t at) -> Value {
    return vector::ExtractOp::create(b, code.loc, vector, at);
  };
  for (int64_t eight = first; eight < first + number; ++eight) {
    const int64_t place = eight * kPeriod;
    if (across) { // the same elements of four rows of memory
      const int64_t unit = place % kRowFloats / kUnitFloats,
                    box = place / kRowFloats * depth * kBoxRowBytes;
      for (int64_t at = 0; at < kUnitFloats; ++at) {
        const int64_t row = part * kUnitFloats + at;
        Value address = code.add(
            code.add(places[size_t(row & mask)],
                     code.mul(turn, kPeriod * kBoxRowBytes)),
            box + row * kBoxRowBytes + ((unit ^ row) & ~mask) * kUnitBytes);
        Value loaded = loadVector(address, width);
        for (int64_t next = 0; next < width; ++next)
          elements[size_t(at)].push_back(width == 1 ? loaded
                                                    : take(loaded, next));
      }
      continue;
    }
    Value unit = code.add(code.mul(turn, kPeriod / kUnitFloats), part);
    for (int64_t next = 0; next < width; ++next) { // a unit of each row
      Value address = code.add(
          code.add(base, getUnitPlace(code, code.add(own, next), unit)),
          place * kBoxRowBytes);
      Value loaded = loadVector(address, kUnitFloats);
      for (int64_t at = 0; at < kUnitFloats; ++at)
        elements[size_t(at)].push_back(take(loaded, at));
    }
  }
  return elements;
}

namespace {
// Pattern: block.mma_sync of f32 -> loads from shared memory and llvm.intr.fma
struct MultiplyAddPattern : OpConversionPattern<MmaSyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaSyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  static void addProducts(Instructions &code, const ThreadMatrix &a,
                          const ThreadMatrix &b, Value turn,
                          MutableArrayRef<Value> sums);
};
} // namespace

/// The products of one turn. `sums` are in the order of block.mma_sync.
void MultiplyAddPattern::addProducts(Instructions &code, const ThreadMatrix &a,
                                     const ThreadMatrix &b, Value turn,
                                     MutableArrayRef<Value> sums) {
  constexpr int64_t kEightsOfTile = 2, kValues = 4;
  const int64_t width = b.getWidth(), valuesOfTile = b.getCount() * kValues;
  for (int64_t part = 0; part < kPeriod / kUnitFloats; ++part) {
    auto rows = a.load(turn, part, 0, a.getCount());
    for (int64_t columns = 0; columns < b.getCount(); ++columns) {
      auto lanes = b.load(turn, part, columns, 1);
      for (int64_t at = 0; at < kUnitFloats; ++at)
        for (int64_t row = 0; row < a.getCount(); ++row)
          for (int64_t lane = 0; lane < width; ++lane) {
            Value &sum = sums[size_t(row / kEightsOfTile * valuesOfTile +
                                     columns * kValues +
                                     row % kEightsOfTile * width + lane)];
            sum = LLVM::FMAOp::create(code.builder, code.loc,
                                      rows[size_t(at)][size_t(row)],
                                      lanes[size_t(at)][size_t(lane)], sum);
          }
    }
  }
}

LogicalResult
MultiplyAddPattern::matchAndRewrite(MmaSyncOp op, OneToNOpAdaptor adaptor,
                                    ConversionPatternRewriter &rewriter) const {
  constexpr int64_t kWarps = 4, kWarpShift = 5, kColumns = 2, kColumnShift = 2;
  if (!op.getElement().isF32())
    return failure();
  Instructions code{rewriter, op.getLoc()};
  Value stage = getStage(code, op.getPipeline().getType(),
                         adaptor.getPipeline()[0], adaptor.getSlot()[0]),
        stageOfA =
            op.getAPipeline()
                ? getStage(code, op.getAPipeline().getType(),
                           adaptor.getAPipeline()[0], adaptor.getASlot()[0])
                : stage;
  const auto depth = int64_t(op.getDepth()),
             rowsOfWarp = int64_t(op.getRows()) / kWarps;
  Value lane = code.lane(),
        warp =
            code.mask(code.shiftRight(code.thread(), kWarpShift), kWarps - 1);
  Value rows = code.add(stageOfA, adaptor.getA()[0]), firstUnit;
  if (op.getAAcross() && rowsOfWarp < kRowFloats) { // two warps of a box
    rows = code.add(rows,
                    code.mul(code.shiftRight(warp, 1), depth * kBoxRowBytes));
    firstUnit = code.mul(code.mask(warp, 1), rowsOfWarp / kUnitFloats);
  } else {
    rows = code.add(rows, code.mul(warp, rowsOfWarp * kBoxRowBytes));
  }
  ThreadMatrix a(code, rows, op.getAAcross(), depth,
                 code.shiftRight(lane, kColumnShift), /*width=*/1,
                 rowsOfWarp / kPeriod, firstUnit),
      b(code, code.add(stage, int64_t(op.getB())), op.getBAcross(), depth,
        code.mul(code.mask(lane, (1 << kColumnShift) - 1), kColumns), kColumns,
        int64_t(op.getColumns()) / kPeriod);
  SmallVector<Value> sums;
  Value zero = arith::ConstantOp::create(rewriter, code.loc,
                                         rewriter.getF32FloatAttr(0));
  for (int64_t i = 0; i < op.getType().getNumElements(); ++i)
    sums.push_back(op.getSums()
                       ? Value(vector::ExtractOp::create(
                             rewriter, code.loc, adaptor.getSums()[0], i))
                       : zero);
  auto loop = scf::ForOp::create(rewriter, code.loc, code.constant(0),
                                 code.constant(depth / kPeriod),
                                 code.constant(1), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> inner(loop.getRegionIterArgs());
    addProducts(code, a, b, loop.getInductionVar(), inner);
    scf::YieldOp::create(rewriter, code.loc, inner);
  }
  rewriter.replaceOp(op, vector::FromElementsOp::create(rewriter, code.loc,
                                                        op.getType(),
                                                        loop.getResults())
                             ->getResults());
  return success();
}

void tc::block::populateThreadPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<MultiplyAddPattern>(converter, patterns.getContext());
}
