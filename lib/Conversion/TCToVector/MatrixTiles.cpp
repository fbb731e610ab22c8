//===- MatrixTiles.cpp - Products in AMX tiles ----------------------------===//

#include "MatrixTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

static void callIntrinsic(KernelFrame &frame, StringRef name,
                          ValueRange operands) {
  LLVM::CallIntrinsicOp::create(frame.builder, frame.loc,
                                frame.builder.getStringAttr(name), operands);
}

/// The number of a tile register, as intrinsics take it.
static Value number(KernelFrame &frame, int64_t tile) {
  return arith::ConstantOp::create(
      frame.builder, frame.loc,
      frame.builder.getI8IntegerAttr(static_cast<int8_t>(tile)));
}

void tc::emitTileConfiguration(KernelFrame &frame) {
  // Palette 1; then bytes of a row, 16 bits for each register, at byte 16, and
  // rows, 8 bits for each register, at byte 48.
  constexpr uint64_t kRowBytes = 0x0040004000400040, kRows = 0x1010101010101010;
  const uint64_t words[] = {1, 0, kRowBytes, kRowBytes, 0, 0, kRows, 0};
  auto &builder = frame.builder;
  Value configuration = frame.allocateScratch(builder.getI64Type(), 8);
  for (auto [index, word] : llvm::enumerate(words)) {
    Value address = LLVM::GEPOp::create(
        builder, frame.loc, configuration.getType(), builder.getI64Type(),
        configuration, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, frame.loc,
                          frame.constant(static_cast<int64_t>(word)), address,
                          /*alignment=*/8);
  }
  callIntrinsic(frame, "llvm.x86.ldtilecfg", configuration);
}

void tc::emitTileRelease(KernelFrame &frame) {
  callIntrinsic(frame, "llvm.x86.tilerelease", {});
}

namespace {
/// Tiles of sums, `rows` by `lanes` of them, and the registers they and the
/// operands have.
class TileProducts {
public:
  TileProducts(KernelFrame &frame, const ContractionPlan &plan, Value sums)
      : frame(frame), plan(plan), sums(sums), rows(plan.tile.rows / kTileRows),
        lanes(plan.tile.lanes / kTileRows) {}

  void load() {
    forEachSum([&](int64_t tile, Value address) {
      callIntrinsic(frame, "llvm.x86.tileloadd64",
                    {number(frame, tile), address, sumStride()});
    });
  }
  void clear() {
    for (int64_t tile = 0; tile < rows * lanes; ++tile)
      callIntrinsic(frame, "llvm.x86.tilezero", number(frame, tile));
  }
  void store() {
    forEachSum([&](int64_t tile, Value address) {
      callIntrinsic(frame, "llvm.x86.tilestored64",
                    {number(frame, tile), address, sumStride()});
    });
  }
  /// The products of 32 points, whose operands lie at the addresses.
  void accumulate(Value rowPointer, Value panelPointer);

private:
  void forEachSum(llvm::function_ref<void(int64_t, Value)> body) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t lane = 0; lane < lanes; ++lane)
        body(row * lanes + lane,
             elementAt(sums, frame.builder.getF32Type(),
                       kTileRows * (row * plan.sumStride() + lane)));
  }
  Value elementAt(Value pointer, Type element, int64_t index) {
    return LLVM::GEPOp::create(
        frame.builder, frame.loc, pointer.getType(), element, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value sumStride() { return frame.constant(4 * plan.sumStride()); }

  KernelFrame &frame;
  const ContractionPlan &plan;
  Value sums;
  int64_t rows, lanes;
};
} // namespace

void TileProducts::accumulate(Value rowPointer, Value panelPointer) {
  Type bf16 = frame.builder.getBF16Type();
  const int64_t firstRow = rows * lanes, firstPanel = firstRow + rows,
                panels = kTileRegisters - firstPanel;
  for (int64_t row = 0; row < rows; ++row)
    callIntrinsic(
        frame, "llvm.x86.tileloadd64",
        {number(frame, firstRow + row),
         elementAt(rowPointer, bf16, row * kTileRows * plan.rowStride()),
         frame.constant(2 * plan.rowStride())});
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value panel = number(frame, firstPanel + lane % panels);
    callIntrinsic(frame, "llvm.x86.tileloadd64",
                  {panel,
                   elementAt(panelPointer, bf16, lane * kTileRows * plan.pair),
                   frame.constant(2 * plan.pair * plan.panelStride())});
    for (int64_t row = 0; row < rows; ++row)
      callIntrinsic(frame, "llvm.x86.tdpbf16ps",
                    {number(frame, row * lanes + lane),
                     number(frame, firstRow + row), panel});
  }
}

void tc::emitTileProducts(KernelFrame &frame, const ContractionPlan &plan,
                          TileOperands operands, Value points, Value isFirst) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  TileProducts products(frame, plan, operands.sums);
  if (!isFirst) {
    products.clear();
  } else {
    OpBuilder::InsertionGuard guard(builder);
    auto start = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/true);
    builder.setInsertionPoint(start.thenBlock()->getTerminator());
    products.clear();
    builder.setInsertionPoint(start.elseBlock()->getTerminator());
    products.load();
  }
  auto loop = scf::ForOp::create(builder, loc, frame.constant(0), points,
                                 frame.constant(kTilePoints));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value point = loop.getInductionVar();
    auto advance = [&](Value pointer, Value elements) -> Value {
      return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                 builder.getBF16Type(), pointer,
                                 ValueRange{elements});
    };
    products.accumulate(
        advance(operands.rows, point),
        advance(operands.panel,
                frame.mul(point, frame.constant(plan.panelStride()))));
  }
  products.store();
}
