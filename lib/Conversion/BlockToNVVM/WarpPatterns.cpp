//===- WarpPatterns.cpp - Copies of threads and products of warps ---------===//

#include "Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

/// Bytes of the units that a swizzle permutes, and of a part of the depth that
/// one instruction multiplies.
static constexpr int64_t kUnitBytes = 16, kUnitsOfStep = 2;

namespace {
// Pattern: block.copy_part -> nvvm.cp.async.shared.global, to the unit that the
// swizzle makes of it; parts of 16 bytes are not kept in the first-level cache
struct CopyPartPattern : OpConversionPattern<CopyPartOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyPartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr unsigned kGlobalAddressSpace = 1;
    Instructions code{rewriter, op.getLoc()};
    const auto size = int64_t(op.getSize());
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          unit = getUnitPlace(code, adaptor.getRow()[0], adaptor.getUnit()[0]),
          place = code.add(code.add(stage, unit),
                           int64_t(op.getOffset() + op.getPart() * size));
    Value source = LLVM::AddrSpaceCastOp::create(
        rewriter, code.loc,
        LLVM::LLVMPointerType::get(op.getContext(), kGlobalAddressSpace),
        adaptor.getSource()[0]);
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(
        op, code.pointer(place), source, uint32_t(size),
        size == kUnitBytes ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA,
        adaptor.getPresent()[0]);
    return success();
  }
};

// Pattern: block.give_copies -> nvvm.cp.async.mbarrier.arrive, which makes the
// barrier wait for the copies of the thread before, and mbarrier.arrive, which
// publishes what the thread has stored
struct GiveCopiesPattern : OpConversionPattern<GiveCopiesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GiveCopiesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value barrier = getBarrierAddress(
        code, adaptor.getPipeline()[0],
        op.getPipeline().getType().getFullOffset(), adaptor.getSlot()[0]);
    NVVM::CpAsyncMBarrierArriveOp::create(rewriter, code.loc,
                                          code.pointer(barrier),
                                          /*noinc=*/false);
    emitArrival(code, barrier);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The parts of a matrix in a stage that a warp's instructions multiply: groups
/// of 8 rows of 16 bytes, of which the warp loads four at once, two next to
/// each other along the depth, of two groups of 8 of the other dimension.
class Fragments {
public:
  /// Of a matrix at `base` (i32) of boxes of `depth`, with `across` as
  /// block.mma says. Words that follow each other are next to each other along
  /// the depth where `depthFirst`, else along the other dimension.
  Fragments(Instructions &code, Value base, bool across, bool depthFirst,
            int64_t depth)
      : code(code), base(base), across(across), boxBytes(depth * kBoxRowBytes) {
    constexpr int64_t kRows = 8, kRowMask = 7, kFirstShift = 3,
                      kSecondShift = 4;
    Value lane = code.lane(), row = code.mask(lane, kRowMask),
          first = code.mask(code.shiftRight(lane, kFirstShift), 1),
          second = code.shiftRight(lane, kSecondShift);
    Value alongDepth = depthFirst ? first : second,
          alongOther = depthFirst ? second : first;
    // A thread gives the address of one row of memory, which goes along the
    // depth, or across it.
    ownRow = code.add(row, code.mul(across ? alongDepth : alongOther, kRows));
    ownUnit = across ? alongOther : alongDepth;
  }

  /// The words of part number `step` of the depth and of 16 rows or columns,
  /// or, of `count` 2, of 8: those from `column` on and, in tiles of 16, from
  /// tile number `first` (i32) on where that is not null.
  SmallVector<Value> load(int64_t step, Value first, int64_t column,
                          int64_t count = 4);

private:
  Instructions &code;
  Value base, ownRow, ownUnit;
  bool across;
  int64_t boxBytes;
};
} // namespace

SmallVector<Value> Fragments::load(int64_t step, Value first, int64_t column,
                                   int64_t count) {
  constexpr int64_t kUnitElements = 8;
  OpBuilder &b = code.builder;
  Value row = ownRow, unit = ownUnit;
  int64_t place = 0;
  if (across) {
    // A box has 64 elements of the other dimension, in 8 units.
    row = code.add(row, step * kInstructionDepth);
    unit = code.add(unit, column % kBoxElements / kUnitElements);
    if (first)
      unit = code.add(unit, code.mul(first, kUnitsOfStep));
    place = column / kBoxElements * boxBytes;
  } else {
    unit = code.add(unit, step * kUnitsOfStep);
    if (first)
      row = code.add(row, code.mul(first, kUnitsOfStep * kUnitElements));
    place = column * kBoxRowBytes;
  }
  Value address =
      code.add(code.add(base, getUnitPlace(code, row, unit)), place);
  Type word = b.getI32Type();
  Type type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(size_t(count), word));
  Value loaded = NVVM::LdMatrixOp::create(
      b, code.loc, type, code.pointer(address), uint32_t(count),
      across ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> words;
  for (int64_t index = 0; index < count; ++index)
    words.push_back(LLVM::ExtractValueOp::create(b, code.loc, loaded, index));
  return words;
}

/// Rows of a tile that an instruction multiplies, columns, and a thread's
/// values of these.
static constexpr int64_t kTileRows = 16, kColumns = 8, kTileValues = 4;

namespace {
/// Sums of the products of tiles of rows of a warp, below each other.
class WarpProducts {
public:
  /// Added to `sums`, a vector, or to zeros of `type` where that is null.
  WarpProducts(Instructions &code, Type element, VectorType type, Value sums);

  /// The words of an instruction's part of a tile of the first matrix.
  using FirstWords = llvm::function_ref<SmallVector<Value>(int64_t tile)>;
  /// Adds the products of part number `step` of the depth, of `tiles` tiles:
  /// each 16 columns are loaded once for all of them.
  void add(int64_t step, int64_t tiles, FirstWords first, Fragments &columns);
  Value getSums();

private:
  void multiply(int64_t at, ValueRange a, ValueRange b);

  Instructions &code;
  Type element;
  VectorType type;
  SmallVector<Value> values;
};
} // namespace

WarpProducts::WarpProducts(Instructions &code, Type element, VectorType type,
                           Value sums)
    : code(code), element(element), type(type) {
  OpBuilder &b = code.builder;
  Value zero = arith::ConstantOp::create(b, code.loc,
                                         b.getZeroAttr(type.getElementType()));
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.push_back(sums ? vector::ExtractOp::create(b, code.loc, sums, i)
                          : zero);
}

/// Of the sums from number `at` on.
void WarpProducts::multiply(int64_t at, ValueRange a, ValueRange b) {
  OpBuilder &builder = code.builder;
  auto sums = MutableArrayRef(values).slice(size_t(at), kTileValues);
  // Elements of f16 come in pairs, all others in words.
  auto toOperands = [&](ValueRange words) {
    return llvm::map_to_vector(words, [&](Value word) -> Value {
      if (!element.isF16())
        return word;
      return LLVM::BitcastOp::create(builder, code.loc,
                                     VectorType::get({2}, element), word);
    });
  };
  auto kind = element.isF16()    ? NVVM::MMATypes::f16
              : element.isBF16() ? NVVM::MMATypes::bf16
                                 : NVVM::MMATypes::s8;
  Value result = NVVM::MmaOp::create(
      builder, code.loc,
      LLVM::LLVMStructType::getLiteral(
          builder.getContext(),
          SmallVector<Type>(kTileValues, type.getElementType())),
      toOperands(a), toOperands(b), sums,
      {kTileRows, kColumns, getInstructionDepth(element)},
      /*b1Op=*/std::nullopt,
      element.isInteger() ? std::optional(NVVM::MMAIntOverflow::wrapped)
                          : std::nullopt,
      std::array{kind, kind},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t i = 0; i < kTileValues; ++i)
    sums[size_t(i)] =
        LLVM::ExtractValueOp::create(builder, code.loc, result, i);
}

void WarpProducts::add(int64_t step, int64_t tiles, FirstWords first,
                       Fragments &columns) {
  constexpr int64_t kLoadedColumns = 16;
  const int64_t valuesOfTile = type.getNumElements() / tiles,
                count = valuesOfTile / kTileValues * kColumns;
  SmallVector<SmallVector<Value>> a;
  for (int64_t tile = 0; tile < tiles; ++tile)
    a.push_back(first(tile));
  for (int64_t column = 0; column < count; column += kLoadedColumns) {
    const bool isPair = count - column >= kLoadedColumns;
    SmallVector<Value> b =
        columns.load(step, /*first=*/Value(), column, isPair ? 4 : 2);
    for (int64_t half = 0; half < (isPair ? 2 : 1); ++half)
      for (int64_t tile = 0; tile < tiles; ++tile)
        multiply(tile * valuesOfTile + (column / kColumns + half) * kTileValues,
                 a[size_t(tile)], ArrayRef(b).slice(size_t(2 * half), 2));
  }
}

Value WarpProducts::getSums() {
  return vector::FromElementsOp::create(code.builder, code.loc, type, values);
}

/// The number of a thread's warp in its warp group.
static Value emitWarpInGroup(Instructions &code) {
  constexpr int64_t kWarpShift = 5, kWarpMask = 3;
  return code.mask(code.shiftRight(code.thread(), kWarpShift), kWarpMask);
}

namespace {
/// The rows of the first matrix of a block.mma_sync that a warp multiplies.
struct WarpRows {
  Value base;      ///< where they are, or, across, the box of 64 that has them
  Value firstTile; ///< the number of the first tile of 16 there
  int64_t tiles;

  WarpRows(Instructions &code, Value a, int64_t rows, int64_t depth,
           bool across)
      : base(a) {
    constexpr int64_t kWarps = 4;
    OpBuilder &b = code.builder;
    tiles = rows / kWarps / kTileRows;
    Value warp = emitWarpInGroup(code);
    if (across) {
      Value warps = code.constant(kBoxElements / (tiles * kTileRows)),
            box = arith::DivUIOp::create(b, code.loc, warp, warps);
      base = code.add(base, code.mul(box, depth * kBoxRowBytes));
      warp = arith::RemUIOp::create(b, code.loc, warp, warps);
    }
    firstTile = code.mul(warp, tiles);
  }
};

// Pattern: block.mma_sync -> nvvm.ldmatrix and nvvm.mma.sync
struct MmaSyncPattern : OpConversionPattern<MmaSyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaSyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getElement().isF32()) // threads multiply these
      return failure();
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]),
          stageOfA =
              op.getAPipeline()
                  ? getStage(code, op.getAPipeline().getType(),
                             adaptor.getAPipeline()[0], adaptor.getASlot()[0])
                  : stage;
    const auto depth = int64_t(op.getDepth());
    WarpRows rows(code, code.add(stageOfA, adaptor.getA()[0]),
                  int64_t(op.getRows()), depth, op.getAAcross());
    Fragments a(code, rows.base, op.getAAcross(), /*depthFirst=*/false, depth),
        b(code, code.add(stage, int64_t(op.getB())), op.getBAcross(),
          /*depthFirst=*/true, depth);
    WarpProducts products(code, op.getElement(), op.getType(),
                          op.getSums() ? adaptor.getSums()[0] : Value());
    for (int64_t step = 0; step < depth / getInstructionDepth(op.getElement());
         ++step)
      products.add(
          step, rows.tiles,
          [&](int64_t tile) {
            return a.load(step, code.add(rows.firstTile, tile), /*column=*/0);
          },
          b);
    rewriter.replaceOp(op, products.getSums());
    return success();
  }
};

// Pattern: block.mma_sync_words -> nvvm.ldmatrix of the second matrix, and
// nvvm.mma.sync
struct MmaSyncWordsPattern : OpConversionPattern<MmaSyncWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaSyncWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t kWords = 4; // of an instruction
    Instructions code{rewriter, op.getLoc()};
    Value stage = getStage(code, op.getPipeline().getType(),
                           adaptor.getPipeline()[0], adaptor.getSlot()[0]);
    SmallVector<Value> words;
    for (ValueRange word : adaptor.getWords())
      words.push_back(word[0]);
    const int64_t steps = int64_t(words.size()) / kWords;
    Fragments b(code, code.add(stage, int64_t(op.getB())), /*across=*/true,
                /*depthFirst=*/true, steps * kInstructionDepth);
    WarpProducts products(code, op.getElement(), op.getType(),
                          adaptor.getSums()[0]);
    for (int64_t step = 0; step < steps; ++step)
      products.add(
          step, /*tiles=*/1,
          [&](int64_t) {
            return SmallVector<Value>(
                ArrayRef(words).slice(size_t(step * kWords), kWords));
          },
          b);
    rewriter.replaceOp(op, products.getSums());
    return success();
  }
};
} // namespace

void tc::block::populateWarpPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<CopyPartPattern, GiveCopiesPattern, MmaSyncPattern,
               MmaSyncWordsPattern>(converter, patterns.getContext());
}
