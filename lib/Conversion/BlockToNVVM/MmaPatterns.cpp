//===- MmaPatterns.cpp - Products of warp groups --------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

/// Units of 16 bytes, in which descriptors count.
static constexpr int64_t kUnitShift = 4;

/// The descriptor of a matrix at `address` in shared memory with a swizzle of
/// 128 bytes: boxes, in which 8 rows are 1024 bytes after the 8 before, are
/// `boxBytes` one after the other. The address has 14 bits: above them, in a
/// cluster, is the rank of the block.
static Value emitDescriptor(Instructions &code, Value address,
                            int64_t boxBytes) {
  constexpr int64_t kAddressMask = 0x3fff, kSwizzle128 = int64_t(1) << 62;
  OpBuilder &b = code.builder;
  Value units =
      arith::ShRUIOp::create(b, code.loc, address, code.constant(kUnitShift));
  units =
      arith::AndIOp::create(b, code.loc, units, code.constant(kAddressMask));
  Value wide =
      arith::ExtUIOp::create(b, code.loc, b.getI64Type(), units).getResult();
  int64_t fields = kSwizzle128 | (kBoxAlignment >> kUnitShift) << 32 |
                   (boxBytes >> kUnitShift) << 16;
  return arith::OrIOp::create(b, code.loc, wide, code.constant(fields, 64));
}

namespace {
/// One of the two matrices of a product.
struct Matrix {
  Value descriptor;
  int64_t step; ///< units from one instruction's part to that of the next
  NVVM::MMALayout layout;

  /// `isFirst`: the one of 64 rows, whose usual layout is by rows.
  Matrix(Instructions &code, Value address, bool isAcross, int64_t depth,
         bool isFirst)
      : layout(isAcross == isFirst ? NVVM::MMALayout::col
                                   : NVVM::MMALayout::row) {
    // Without a second box, the field counts for nothing.
    descriptor = emitDescriptor(code, address,
                                isAcross ? depth * kBoxRowBytes
                                         : int64_t(1) << kUnitShift);
    step = (isAcross ? kInstructionDepth * kBoxRowBytes
                     : kInstructionDepth * kElementBytes) >>
           kUnitShift;
  }
};

// Pattern: block.mma -> nvvm.wgmma.mma_async for each 16 of the depth, between
// a fence and the end of their group
struct MmaPattern : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value stage = code.add(
        adaptor.getPipeline()[0],
        code.mul(adaptor.getSlot()[0], op.getPipeline().getType().getBytes()));
    int64_t depth = int64_t(op.getDepth());
    Matrix a(code, code.add(stage, op.getA()), op.getAAcross(), depth,
             /*isFirst=*/true),
        b(code, code.add(stage, int64_t(op.getB())), op.getBAcross(), depth,
          /*isFirst=*/false);
    Type type = getRegistersType(op.getType());
    bool isNew = !op.getAccumulator();
    Value sums =
        isNew ? LLVM::UndefOp::create(rewriter, code.loc, type).getResult()
              : adaptor.getAccumulator()[0];
    NVVM::WgmmaFenceAlignedOp::create(rewriter, code.loc);
    for (int64_t step = 0; step < depth / kInstructionDepth; ++step)
      sums = emitProducts(code, op, sums, a, b, step, isNew && step == 0);
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, code.loc);
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  static Value emitProducts(Instructions &code, MmaOp op, Value sums,
                            const Matrix &a, const Matrix &b, int64_t step,
                            bool isFirst) {
    auto part = [&](const Matrix &matrix) -> Value {
      return step == 0 ? matrix.descriptor
                       : code.add(matrix.descriptor,
                                  code.constant(step * matrix.step, 64));
    };
    MLIRContext *context = op.getContext();
    auto shape = NVVM::MMAShapeAttr::get(context, int(kAccumulatorRows),
                                         int(op.getType().getColumns()),
                                         int(kInstructionDepth));
    NVVM::WGMMATypes type = op.getElement().isF16() ? NVVM::WGMMATypes::f16
                                                    : NVVM::WGMMATypes::bf16;
    return NVVM::WgmmaMmaAsyncOp::create(
        code.builder, code.loc, sums.getType(), sums, part(a), part(b), shape,
        type, type, NVVM::WGMMATypes::f32,
        isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, a.layout, b.layout,
        NVVM::MMAIntOverflowAttr());
  }
};

// Pattern: block.mma_wait_earlier -> nvvm.wgmma.wait.group.sync.aligned 1
struct MmaWaitEarlierPattern : OpConversionPattern<MmaWaitEarlierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaWaitEarlierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(op, 1);
    return success();
  }
};

// Pattern: block.mma_wait -> wgmma.wait_group as text that takes and gives all
// registers of the accumulator, so that no use of them moves before it
struct MmaWaitPattern : OpConversionPattern<MmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getValues().getType();
    int64_t count = type.getNumElements();
    SmallVector<Value> values;
    std::string outputs, inputs;
    for (int64_t index = 0; index < count; ++index) {
      values.push_back(LLVM::ExtractValueOp::create(
          rewriter, loc, adaptor.getAccumulator(), index));
      outputs += "=f,";
      inputs += std::to_string(index) + ",";
    }
    Value done =
        LLVM::InlineAsmOp::create(
            rewriter, loc, adaptor.getAccumulator().getType(), values,
            "wgmma.wait_group.sync.aligned 0;", outputs + inputs + "~{memory}",
            /*has_side_effects=*/true, /*is_align_stack=*/false,
            LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
            ArrayAttr())
            .getRes();
    for (int64_t index = 0; index < count; ++index)
      values[index] = LLVM::ExtractValueOp::create(rewriter, loc, done, index);
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, values);
    return success();
  }
};
} // namespace

void tc::block::populateMmaPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<MmaPattern, MmaWaitEarlierPattern, MmaWaitPattern>(
      converter, patterns.getContext());
}
