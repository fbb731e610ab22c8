//===- MmaPatterns.cpp - Products of warp groups --------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::block;

/// Units of 16 bytes, in which descriptors count.
static constexpr int64_t kUnitShift = 4;
/// Columns of a matrix in registers that a word of each thread is.
static constexpr int64_t kWordDepth = 4;

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

/// The address of the stage of a slot.
static Value emitStage(Instructions &code, TypedValue<PipelineType> pipeline,
                       ValueRange base, ValueRange slot) {
  return code.add(base[0], code.mul(slot[0], pipeline.getType().getBytes()));
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
    step = (isAcross ? kInstructionDepth * kBoxRowBytes : kInstructionBytes) >>
           kUnitShift;
  }
};

/// A type of elements in a shape of nvvm.wgmma.mma_async; i8 is signed.
static NVVM::WGMMATypes getElementType(Type type) {
  if (type.isInteger(8))
    return NVVM::WGMMATypes::s8;
  if (isa<Float8E4M3FNType>(type))
    return NVVM::WGMMATypes::e4m3;
  if (isa<Float8E5M2Type>(type))
    return NVVM::WGMMATypes::e5m2;
  return type.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16;
}

/// The first `count` operands of a text, between commas.
static std::string listOperands(int64_t count) {
  std::string list;
  for (int64_t index = 0; index < count; ++index)
    list += (index ? ", $" : "$") + std::to_string(index);
  return list;
}

// Pattern: block.mma -> nvvm.wgmma.mma_async for each 32 bytes of the depth,
// between a fence and the end of their group
struct MmaPattern : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    Value stage = emitStage(code, op.getPipeline(), adaptor.getPipeline(),
                            adaptor.getSlot()),
          stageOfA = op.getAPipeline()
                         ? emitStage(code, op.getAPipeline(),
                                     adaptor.getAPipeline(), adaptor.getASlot())
                         : stage;
    const int64_t depth = int64_t(op.getDepth()),
                  steps = depth / getInstructionDepth(op.getElement());
    Value placeOfB = code.add(stage, int64_t(op.getB()));
    if (op.getShift())
      placeOfB = code.add(placeOfB, op.getShift());
    Matrix a(code, code.add(stageOfA, op.getA()), op.getAAcross(), depth,
             /*isFirst=*/true),
        b(code, placeOfB, op.getBAcross(), depth, /*isFirst=*/false);
    Type type = getRegistersType(op.getType());
    const bool isNew = !op.getAccumulator();
    Value adds =
        op.getAdds() ? adaptor.getAdds().front() : Value(); // of the first part
    Value sums =
        isNew ? LLVM::UndefOp::create(rewriter, code.loc, type).getResult()
              : adaptor.getAccumulator()[0];
    NVVM::WgmmaFenceAlignedOp::create(rewriter, code.loc);
    for (int64_t step = 0; step < steps; ++step)
      sums = step == 0 && adds
                 ? emitFirstProducts(code, op, sums, a, b, adds)
                 : emitProducts(code, op, sums, a, b, step, isNew && step == 0);
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, code.loc);
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  /// Products that are added to `sums` where `adds` holds, else to zeros, as
  /// text: the operation of NVVM has no condition.
  static Value emitFirstProducts(Instructions &code, MmaOp op, Value sums,
                                 const Matrix &a, const Matrix &b, Value adds) {
    OpBuilder &builder = code.builder;
    SmallVector<Value> operands = {
        a.descriptor, b.descriptor,
        arith::ExtUIOp::create(builder, code.loc, builder.getI32Type(), adds)};
    const int64_t count = op.getType().getThreadValues();
    const bool isFloat = op.getType().getElement().isF32();
    std::string outputs, inputs, text;
    for (int64_t index = 0; index < count; ++index) {
      operands.push_back(
          LLVM::ExtractValueOp::create(builder, code.loc, sums, index));
      outputs += isFloat ? "=f," : "=r,";
      inputs += "," + std::to_string(index);
    }
    return code
        .text(sums.getType(), operands, getFirstText(op, a, b),
              outputs + "l,l,r" + inputs)
        .getRes();
  }

  static std::string getFirstText(MmaOp op, const Matrix &a, const Matrix &b) {
    const int64_t count = op.getType().getThreadValues();
    auto name = [](Type type) {
      return NVVM::stringifyWGMMATypes(getElementType(type)).str();
    };
    const bool isFloat = op.getType().getElement().isF32();
    std::string text = "{ .reg .pred q; setp.ne.b32 q, $" +
                       std::to_string(count + 2) + ", 0; ";
    llvm::raw_string_ostream os(text);
    os << "wgmma.mma_async.sync.aligned.m64n" << op.getType().getColumns()
       << "k" << getInstructionDepth(op.getElement()) << "."
       << (isFloat ? "f32" : "s32") << "." << name(op.getElement()) << "."
       << name(op.getBElement().value_or(op.getElement())) << " {"
       << listOperands(count) << "}, $" << count << ", $" << count + 1 << ", q";
    if (isFloat)
      os << ", 1, 1";
    if (op.getElement().getIntOrFloatBitWidth() == 16)
      os << ", " << (a.layout == NVVM::MMALayout::col) << ", "
         << (b.layout == NVVM::MMALayout::row);
    os << "; }";
    return text;
  }

  static Value emitProducts(Instructions &code, MmaOp op, Value sums,
                            const Matrix &a, const Matrix &b, int64_t step,
                            bool isFirst) {
    auto part = [&](const Matrix &matrix) -> Value {
      return step == 0 ? matrix.descriptor
                       : code.add(matrix.descriptor,
                                  code.constant(step * matrix.step, 64));
    };
    MLIRContext *context = op.getContext();
    auto shape = NVVM::MMAShapeAttr::get(
        context, int(kAccumulatorRows), int(op.getType().getColumns()),
        int(getInstructionDepth(op.getElement())));
    bool isFloat = op.getType().getElement().isF32();
    return NVVM::WgmmaMmaAsyncOp::create(
        code.builder, code.loc, sums.getType(), sums, part(a), part(b), shape,
        getElementType(op.getElement()),
        getElementType(op.getBElement().value_or(op.getElement())),
        isFloat ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32,
        isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, a.layout, b.layout,
        NVVM::MMAIntOverflowAttr());
  }
};

// Pattern: block.mma_words -> wgmma.mma_async for each 16 of the depth,
// between a fence and the end of their group, as text: the first matrix is in
// registers
struct MmaWordsPattern : OpConversionPattern<MmaWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Instructions code{rewriter, op.getLoc()};
    SmallVector<Value> operands;
    for (ValueRange word : adaptor.getWords())
      operands.push_back(word[0]);
    const auto words = int64_t(operands.size());
    const int64_t depth = kWordDepth * words;
    Value stage = emitStage(code, op.getPipeline(), adaptor.getPipeline(),
                            adaptor.getSlot()),
          descriptor = emitDescriptor(code, code.add(stage, int64_t(op.getB())),
                                      int64_t(op.getBoxRows().value_or(depth)) *
                                          kBoxRowBytes);
    operands.push_back(descriptor);
    Value sums = adaptor.getAccumulator()[0];
    const int64_t count = op.getType().getThreadValues();
    std::string constraints;
    for (int64_t index = 0; index < count; ++index)
      constraints += "=f,";
    for (int64_t index = 0; index < words; ++index)
      constraints += "r,";
    constraints += "l";
    for (int64_t index = 0; index < count; ++index) {
      operands.push_back(
          LLVM::ExtractValueOp::create(rewriter, code.loc, sums, index));
      constraints += "," + std::to_string(index);
    }
    rewriter.replaceOp(
        op, code.text(sums.getType(), operands, getText(op, depth), constraints)
                .getRes());
    return success();
  }

private:
  static std::string getText(MmaWordsOp op, int64_t depth) {
    constexpr int64_t kWords = kInstructionDepth / kWordDepth; // of a thread
    const int64_t count = op.getType().getThreadValues(),
                  words = depth / kWordDepth,
                  step = (kInstructionDepth * kBoxRowBytes) >> kUnitShift;
    StringRef element = op.getElement().isF16() ? "f16" : "bf16";
    std::string text = "{ .reg .b64 b; .reg .pred q; "
                       "setp.eq.b32 q, 0, 0; wgmma.fence.sync.aligned; ";
    const std::string sums = listOperands(count);
    llvm::raw_string_ostream os(text);
    for (int64_t part = 0; part < depth / kInstructionDepth; ++part) {
      os << "add.s64 b, $" << count + words << ", " << part * step
         << "; wgmma.mma_async.sync.aligned.m64n" << op.getType().getColumns()
         << "k16.f32." << element << "." << element << " {" << sums << "}, {";
      for (int64_t word = 0; word < kWords; ++word)
        os << (word ? ", $" : "$") << count + part * kWords + word;
      os << "}, b, q, 1, 1, 1; ";
    }
    os << "wgmma.commit_group.sync.aligned; }";
    return text;
  }
};

// Pattern: block.accumulator -> a structure of the values
struct AccumulatorPattern : OpConversionPattern<AccumulatorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AccumulatorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value sums =
        LLVM::UndefOp::create(rewriter, loc, getRegistersType(op.getType()));
    for (int64_t i = 0; i < op.getType().getThreadValues(); ++i)
      sums = LLVM::InsertValueOp::create(
          rewriter, loc, sums,
          vector::ExtractOp::create(rewriter, loc, adaptor.getValues(), i), i);
    rewriter.replaceOp(op, sums);
    return success();
  }
};

// Pattern: ub.poison of an accumulator -> registers with nothing in them
struct PoisonPattern : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::UndefOp>(
        op, getTypeConverter()->convertType(op.getType()));
    return success();
  }
};

/// Waits for all groups of products but the last `behind` ones, as text of
/// `operands` and results.
static LLVM::InlineAsmOp emitWaitText(Instructions code, Type type,
                                      ValueRange operands, int64_t behind,
                                      StringRef constraints) {
  return code.text(
      type, operands,
      ("wgmma.wait_group.sync.aligned " + Twine(behind) + ";").str(),
      constraints);
}

// Pattern: block.mma_wait_earlier -> wgmma.wait_group, as text that takes the
// words that are kept where there are some
struct MmaWaitEarlierPattern : OpConversionPattern<MmaWaitEarlierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaWaitEarlierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const int64_t behind = op.getBehind();
    ValueRange kept = adaptor.getKept();
    if (kept.empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(op, behind);
      return success();
    }
    std::string constraints;
    for (size_t index = 0; index < kept.size(); ++index)
      constraints += "r,";
    emitWaitText({rewriter, op.getLoc()}, Type(), kept, behind,
                 constraints + "~{memory}");
    rewriter.eraseOp(op);
    return success();
  }
};

// Pattern: block.mma_wait -> wgmma.wait_group as text that takes and gives all
// registers of the accumulator, so that no use of them moves before it, and
// takes those that are kept
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
    const StringRef output = type.getElementType().isF32() ? "=f," : "=r,";
    llvm::append_range(values, adaptor.getKept());
    for (size_t index = 0; index < values.size(); ++index)
      inputs += "r,";
    for (int64_t index = 0; index < count; ++index) {
      values.push_back(LLVM::ExtractValueOp::create(
          rewriter, loc, adaptor.getAccumulator(), index));
      outputs += output;
      inputs += std::to_string(index) + ",";
    }
    Value done =
        emitWaitText({rewriter, loc}, adaptor.getAccumulator().getType(),
                     values, int64_t(op.getEarlier()),
                     outputs + inputs + "~{memory}")
            .getRes();
    values.clear();
    for (int64_t index = 0; index < count; ++index)
      values.push_back(
          LLVM::ExtractValueOp::create(rewriter, loc, done, index));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, values);
    return success();
  }
};
} // namespace

void tc::block::populateMmaPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<MmaPattern, MmaWordsPattern, AccumulatorPattern, PoisonPattern,
               MmaWaitEarlierPattern, MmaWaitPattern>(converter,
                                                      patterns.getContext());
}
