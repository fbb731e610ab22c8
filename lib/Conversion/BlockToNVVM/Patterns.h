//===- Patterns.h - Patterns of convert-block-to-nvvm -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_BLOCKTONVVM_PATTERNS_H
#define TC_LIB_CONVERSION_BLOCKTONVVM_PATTERNS_H

#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc::block {

/// Writes instructions; addresses in shared memory are i32.
struct Instructions {
  mlir::ConversionPatternRewriter &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value, unsigned bits = 32) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, bits);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) {
    return b == 0 ? a : add(a, constant(b));
  }
  mlir::Value mul(mlir::Value a, int64_t b) {
    return mlir::arith::MulIOp::create(builder, loc, a, constant(b));
  }
  mlir::Value mask(mlir::Value value, int64_t bits) {
    return mlir::arith::AndIOp::create(builder, loc, value, constant(bits));
  }
  mlir::Value shiftLeft(mlir::Value value, int64_t bits) {
    return mlir::arith::ShLIOp::create(builder, loc, value, constant(bits));
  }
  mlir::Value shiftRight(mlir::Value value, int64_t bits) {
    return mlir::arith::ShRUIOp::create(builder, loc, value, constant(bits));
  }
  mlir::Value equal(mlir::Value a, int64_t b) {
    return mlir::arith::CmpIOp::create(
        builder, loc, mlir::arith::CmpIPredicate::eq, a, constant(b));
  }
  /// The number of a thread in its block, and in its warp.
  mlir::Value thread() {
    return mlir::NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  }
  /// The same as of an instruction that is not moved out of a loop: what is
  /// computed of it takes registers where it is used alone.
  mlir::Value threadAnew() {
    return text(builder.getI32Type(), {}, "mov.u32 $0, %tid.x;", "=r").getRes();
  }
  /// PTX, which is neither moved nor left out; no result where `type` is null.
  mlir::LLVM::InlineAsmOp text(mlir::Type type, mlir::ValueRange operands,
                               llvm::StringRef ptx,
                               llvm::StringRef constraints) {
    return mlir::LLVM::InlineAsmOp::create(
        builder, loc, type, operands, ptx, constraints,
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        mlir::LLVM::tailcallkind::TailCallKind::None,
        mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  }
  mlir::Value lane() { return mask(thread(), 31); }
  /// The number of the block in its cluster.
  mlir::Value clusterRank() {
    return mlir::NVVM::BlockInClusterIdXOp::create(builder, loc,
                                                   builder.getI32Type());
  }
  /// All threads of the cluster's blocks wait for each other.
  void meetInCluster() {
    mlir::NVVM::ClusterArriveOp::create(builder, loc, mlir::UnitAttr());
    mlir::NVVM::ClusterWaitOp::create(builder, loc, mlir::UnitAttr());
  }
  /// `address` as a pointer to shared memory.
  mlir::Value pointer(mlir::Value address) {
    constexpr unsigned kSharedAddressSpace = 3;
    return mlir::LLVM::IntToPtrOp::create(
        builder, loc,
        mlir::LLVM::LLVMPointerType::get(builder.getContext(),
                                         kSharedAddressSpace),
        address);
  }
};

/// The address (i32) of a stage of the pipeline that begins at `base`.
inline mlir::Value getStage(Instructions &code, PipelineType type,
                            mlir::Value base, mlir::Value index) {
  return code.add(base, code.mul(index, type.getBytes()));
}

/// The address (i32) of the barrier number `index` of those at `offset` in a
/// pipeline.
mlir::Value getBarrierAddress(Instructions &code, mlir::Value pipeline,
                              int64_t offset, mlir::Value index);
/// Arrives at a barrier of the block, where `arrives` (i1) holds if given.
void emitArrival(Instructions &code, mlir::Value barrier,
                 mlir::Value arrives = mlir::Value());

/// Bytes from the beginning of a box to unit number `unit` of its row number
/// `row` (i32): a swizzle of 128 bytes permutes the units of 16 bytes of a row
/// by the number of the row.
mlir::Value getUnitPlace(Instructions &code, mlir::Value row, mlir::Value unit);

/// Stores words of a warp, as block.copy_out has them, to the box of 16 rows at
/// `place` in shared memory; `lane` is the thread's number in the warp.
void storeWords(Instructions &code, mlir::ValueRange words, mlir::Value place,
                mlir::Value lane);
/// The threads of a warp wait for each other.
void meetInWarp(Instructions &code);
/// What threads have stored to the block's shared memory is seen by the copy
/// engine and by tensor cores that threads start behind it.
void fenceShared(Instructions &code);

void populatePipelinePatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateMmaPatterns(const mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateWarpPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateThreadPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Those that targets before sm_90 need: they do not suspend threads at
/// barriers in shared memory.
void populateWaitPatterns(const mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateSumPatterns(const mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateCopyOutPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateBoxPatterns(const mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);

/// The structure of f32 or i32 that an accumulator is.
inline mlir::LLVM::LLVMStructType getRegistersType(AccumulatorType type) {
  llvm::SmallVector<mlir::Type> values(type.getThreadValues(),
                                       type.getElement());
  return mlir::LLVM::LLVMStructType::getLiteral(type.getContext(), values);
}

} // namespace tc::block

#endif // TC_LIB_CONVERSION_BLOCKTONVVM_PATTERNS_H
