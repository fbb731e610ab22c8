//===- MatrixTiles.cpp - Multiply-adds in AMX tile registers --------------===//

#include "MatrixTiles.h"
#include "TC/Analysis/ContractionRoles.h"
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
/// Registers of accumulators, `rows` by `lanes` of them, and those that the
/// operands have.
class MatrixTile {
public:
  MatrixTile(KernelFrame &frame, const TileLayout &layout, Value accumulators)
      : frame(frame), layout(layout), accumulators(accumulators),
        rows(layout.rows / kTileRows), lanes(layout.lanes / kTileRows) {}

  void load() {
    forEachAccumulator([&](int64_t tile, Value address) {
      callIntrinsic(frame, "llvm.x86.tileloadd64",
                    {number(frame, tile), address, stride()});
    });
  }
  void clear() {
    for (int64_t tile = 0; tile < rows * lanes; ++tile)
      callIntrinsic(frame, "llvm.x86.tilezero", number(frame, tile));
  }
  void store() {
    forEachAccumulator([&](int64_t tile, Value address) {
      callIntrinsic(frame, "llvm.x86.tilestored64",
                    {number(frame, tile), address, stride()});
    });
  }
  /// The multiply-adds of 32 points, whose operands begin at the addresses.
  void accumulate(Value rowPointer, Value panelPointer);

private:
  void forEachAccumulator(llvm::function_ref<void(int64_t, Value)> body) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t lane = 0; lane < lanes; ++lane)
        body(row * lanes + lane,
             elementAt(accumulators, frame.builder.getF32Type(),
                       kTileRows * (row * layout.accumulatorStride + lane)));
  }
  Value elementAt(Value pointer, Type element, int64_t index) {
    return LLVM::GEPOp::create(
        frame.builder, frame.loc, pointer.getType(), element, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value stride() { return frame.constant(4 * layout.accumulatorStride); }

  KernelFrame &frame;
  const TileLayout &layout;
  Value accumulators;
  int64_t rows, lanes;
};
} // namespace

void MatrixTile::accumulate(Value rowPointer, Value panelPointer) {
  Type bf16 = frame.builder.getBF16Type();
  const int64_t firstRow = rows * lanes, firstPanel = firstRow + rows,
                panels = kTileRegisters - firstPanel;
  for (int64_t row = 0; row < rows; ++row)
    callIntrinsic(
        frame, "llvm.x86.tileloadd64",
        {number(frame, firstRow + row),
         elementAt(rowPointer, bf16, row * kTileRows * layout.row.stride),
         frame.constant(2 * layout.row.stride)});
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value panel = number(frame, firstPanel + lane % panels);
    callIntrinsic(
        frame, "llvm.x86.tileloadd64",
        {panel, elementAt(panelPointer, bf16, lane * kTileRows * layout.pair),
         frame.constant(2 * layout.pair * layout.panel.stride)});
    for (int64_t row = 0; row < rows; ++row)
      callIntrinsic(frame, "llvm.x86.tdpbf16ps",
                    {number(frame, row * lanes + lane),
                     number(frame, firstRow + row), panel});
  }
}

void tc::emitMatrixTile(KernelFrame &frame, const TileLayout &layout,
                        TileAddresses addresses, Value points, Value isFirst) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  MatrixTile tile(frame, layout, addresses.accumulators);
  if (!isFirst) {
    tile.clear();
  } else {
    OpBuilder::InsertionGuard guard(builder);
    auto start = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/true);
    builder.setInsertionPoint(start.thenBlock()->getTerminator());
    tile.clear();
    builder.setInsertionPoint(start.elseBlock()->getTerminator());
    tile.load();
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
    if (addresses.next)
      emitFetch(frame, layout, addresses.next, point, kTilePoints);
    tile.accumulate(
        advance(addresses.rows, point),
        advance(addresses.panel,
                frame.mul(point, frame.constant(layout.panel.stride))));
  }
  tile.store();
}
