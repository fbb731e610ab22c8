//===- ContractionKernel.cpp - Contractions in register tiles -------------===//

#include "ContractionPlan.h"
#include "KernelEmitters.h"
#include "MatrixTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Products that are worth waking a thread for.
static constexpr int64_t kGrainProducts = 1 << 18;

namespace {
/// The block of one iteration.
struct Block {
  Value rowLow, rowHigh, laneLow, laneHigh;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelFrame &frame, const ContractionPlan &plan);
  LaunchShape emit();

private:
  void emitBlock(Scope &scope, Block block);
  void emitReducedBlock(Scope &scope, Block block, ReducedBlock reduced,
                        Value isFirst, Value isLast);
  void emitTile(Scope &scope, Block block, ReducedBlock reduced, Value lane,
                Value row, Value panel, Value isFirst, Value isLast);
  void emitVectorProducts(Value rowPointer, Value panel, Value points,
                          Value start, Value isFirst);
  void emitEpilogue(Scope &scope, Block block, Value lane, Value row);
  SmallVector<Value> emitProducts(Value rowPointer, Value panelPointer,
                                  Value points);
  Value multiplyAdd(Value factor, Value vector, Value sum);
  Value loadPanel(Value pointer, int64_t vector);
  Value loadFactor(Value pointer, int64_t row);
  Value panelAhead(Value lane, ReducedBlock reduced);
  Value sumPointer(Value row, Value lane);
  Value points(ArrayRef<unsigned> dims);
  int64_t getGrain() const;

  KernelFrame &frame;
  const ContractionPlan &plan;
  PointEmitter epilogue;
  Value result; ///< of the contraction, at a point
  Type compute, vectorType;
  int64_t vectors; ///< registers of a tile's row
  Value rowScratch, panelScratch, sumScratch;
};
} // namespace

ContractionEmitter::ContractionEmitter(KernelFrame &frame,
                                       const ContractionPlan &plan)
    : frame(frame), plan(plan),
      epilogue(frame, plan.roles.vectorDim,
               std::min(plan.tile.lanes, 2 * plan.width)),
      result(ContractStageOp(plan.roles.stage).getResult()),
      compute(getComputeType(result.getType())),
      vectorType(VectorType::get({plan.width}, compute)),
      vectors(plan.tile.lanes / plan.width) {
  const ContractionTile &tile = plan.tile;
  rowScratch =
      frame.allocateScratch(plan.staged, tile.blockRows * plan.rowStride());
  // Pairs of an odd number of points end in a row of zeros.
  if (!plan.isPackedAhead)
    panelScratch = frame.allocateScratch(
        plan.staged, (plan.paddedPoints() + 1) * plan.panelStride());
  sumScratch = frame.allocateScratch(
      compute,
      (plan.isOneBlock ? tile.rows : tile.blockRows) * plan.sumStride());
}

//===----------------------------------------------------------------------===//
// A tile of registers
//===----------------------------------------------------------------------===//

/// The storage type of the panel's elements where the tile reads them.
static Type getPanelElement(const ContractionPlan &plan) {
  return plan.isPackedAhead ? getStorageType(plan.roles.panel.getType())
                            : plan.staged;
}

Value ContractionEmitter::loadPanel(Value pointer, int64_t vector) {
  auto &builder = frame.builder;
  Type element =
      plan.pair == 2 ? Type(builder.getBF16Type()) : getPanelElement(plan);
  int64_t length = plan.pair * plan.width;
  Value address = LLVM::GEPOp::create(
      builder, frame.loc, pointer.getType(), element, pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(vector * length)});
  Value loaded = LLVM::LoadOp::create(
      builder, frame.loc, VectorType::get({length}, element), address,
      static_cast<unsigned>(getElementBytes(element)));
  return plan.pair == 2 || element == plan.staged
             ? loaded
             : epilogue.widen(loaded, plan.roles.panel.getType());
}

/// One point (pair of points) of a row, in all lanes.
Value ContractionEmitter::loadFactor(Value pointer, int64_t row) {
  auto &builder = frame.builder;
  Value address = LLVM::GEPOp::create(
      builder, frame.loc, pointer.getType(), plan.staged, pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(row * plan.rowStride())});
  Type unit = plan.pair == 2 ? Type(builder.getI32Type()) : compute;
  Value loaded =
      LLVM::LoadOp::create(builder, frame.loc, unit, address,
                           static_cast<unsigned>(getElementBytes(plan.staged)));
  Value factor = vector::BroadcastOp::create(
      builder, frame.loc, VectorType::get({plan.width}, unit), loaded);
  if (plan.pair == 1)
    return factor;
  return vector::BitCastOp::create(
      builder, frame.loc,
      VectorType::get({2 * plan.width}, builder.getBF16Type()), factor);
}

Value ContractionEmitter::multiplyAdd(Value factor, Value vector, Value sum) {
  auto &builder = frame.builder;
  if (plan.pair == 1)
    return math::FmaOp::create(builder, frame.loc, factor, vector, sum);
  return LLVM::CallIntrinsicOp::create(
             builder, frame.loc, vectorType,
             builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, factor, vector})
      .getResult(0);
}

/// Sums of products of the tile's rows and the panel's lanes, row by row.
SmallVector<Value> ContractionEmitter::emitProducts(Value rowPointer,
                                                    Value panelPointer,
                                                    Value points) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  SmallVector<Value> init(plan.tile.rows * vectors, zero);
  auto loop = scf::ForOp::create(builder, loc, frame.constant(0), points,
                                 frame.constant(plan.pair), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value point = loop.getInductionVar();
  Value panel = LLVM::GEPOp::create(
      builder, loc, panelPointer.getType(), getPanelElement(plan), panelPointer,
      ValueRange{frame.mul(point, frame.constant(plan.panelStride()))});
  Value factors =
      LLVM::GEPOp::create(builder, loc, rowPointer.getType(), plan.staged,
                          rowPointer, ValueRange{point});
  SmallVector<Value> lanes, sums;
  for (int64_t vector = 0; vector < vectors; ++vector)
    lanes.push_back(loadPanel(panel, vector));
  for (int64_t row = 0; row < plan.tile.rows; ++row) {
    Value factor = loadFactor(factors, row);
    for (int64_t vector = 0; vector < vectors; ++vector)
      sums.push_back(
          multiplyAdd(factor, lanes[vector],
                      loop.getRegionIterArg(row * vectors + vector)));
  }
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

/// Where the sum of a row and a lane of the block is kept.
Value ContractionEmitter::sumPointer(Value row, Value lane) {
  Value offset =
      frame.add(frame.mul(row, frame.constant(plan.sumStride())), lane);
  return LLVM::GEPOp::create(frame.builder, frame.loc, sumScratch.getType(),
                             compute, sumScratch, ValueRange{offset});
}

/// The products in vector registers, added to the sums that begin at `start`
/// unless they are the first.
void ContractionEmitter::emitVectorProducts(Value rowPointer, Value panel,
                                            Value points, Value start,
                                            Value isFirst) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  SmallVector<Value> sums = emitProducts(rowPointer, panel, points);
  auto addressOf = [&](OpBuilder &b, size_t index) -> Value {
    int64_t offset =
        index / vectors * plan.sumStride() + index % vectors * plan.width;
    return LLVM::GEPOp::create(
        b, loc, start.getType(), compute, start,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  };
  if (isFirst) { // the sums of earlier blocks
    auto added = scf::IfOp::create(
        builder, loc, isFirst,
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, sums); },
        [&](OpBuilder &b, Location) {
          SmallVector<Value> both;
          for (auto [index, sum] : llvm::enumerate(sums))
            both.push_back(arith::AddFOp::create(
                b, loc,
                LLVM::LoadOp::create(b, loc, vectorType, addressOf(b, index),
                                     /*alignment=*/4),
                sum));
          scf::YieldOp::create(b, loc, both);
        });
    sums.assign(added.getResults().begin(), added.getResults().end());
  }
  for (auto [index, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(builder, loc, sum, addressOf(builder, index),
                          /*alignment=*/4);
}

/// Adds up the tile at `row` of the block and the lanes from `lane` on, and
/// writes it out when its last points are in.
void ContractionEmitter::emitTile(Scope &scope, Block block,
                                  ReducedBlock reduced, Value lane, Value row,
                                  Value panel, Value isFirst, Value isLast) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value rowPointer = LLVM::GEPOp::create(
      builder, loc, rowScratch.getType(), plan.staged, rowScratch,
      ValueRange{frame.mul(row, frame.constant(plan.rowStride()))});
  Value start = plan.isOneBlock
                    ? sumPointer(frame.constant(0), frame.constant(0))
                    : sumPointer(row, frame.sub(lane, block.laneLow));
  if (plan.usesTiles)
    emitTileProducts(frame, plan, rowPointer, panel, reduced.points, start,
                     isFirst);
  else
    emitVectorProducts(rowPointer, panel, reduced.points, start, isFirst);
  if (!isLast)
    return emitEpilogue(scope, block, lane, row);
  emitWhen(frame, scope, isLast,
           [&](Scope &inner) { emitEpilogue(inner, block, lane, row); });
}

/// The kernel's writes for one tile of finished sums.
void ContractionEmitter::emitEpilogue(Scope &scope, Block block, Value lane,
                                      Value row) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  unsigned vectorDim = plan.roles.vectorDim;
  Value rows = arith::MinSIOp::create(
      builder, loc, frame.sub(frame.sub(block.rowHigh, block.rowLow), row),
      frame.constant(plan.tile.rows));
  Value laneEnd = arith::MinSIOp::create(
      builder, loc, frame.add(lane, frame.constant(plan.tile.lanes)),
      block.laneHigh);
  emitSteps(
      frame, scope, frame.constant(0), rows, 1,
      [&](Scope &inner, Value number) {
        Value blockRow = frame.add(row, number);
        bindDigits(frame, inner, plan.roles.rows,
                   frame.add(block.rowLow, blockRow));
        Value start =
            plan.isOneBlock
                ? sumPointer(number, frame.constant(0))
                : sumPointer(blockRow, frame.sub(lane, block.laneLow));
        emitRuns(
            frame, inner, plan.roles.lanes, lane, laneEnd,
            [&](Scope &run, Value low, Value high, Value origin) {
              Value shift = frame.sub(origin, lane);
              epilogue.provide(result, [&](Scope &point) -> Value {
                Value address = LLVM::GEPOp::create(
                    builder, loc, start.getType(), compute, start,
                    ValueRange{frame.add(shift, point.indices[vectorDim])});
                Type type =
                    getLaneType(compute, point.lanes ? point.lanes->count : 1);
                return LLVM::LoadOp::create(builder, loc, type, address,
                                            /*alignment=*/4);
              });
              epilogue.emitLoop(
                  run, vectorDim, low, high, {}, [&](Scope &point, ValueRange) {
                    for (auto write :
                         frame.kernel.getBodyBlock().getOps<WriteOp>())
                      epilogue.emitWrite(write, point);
                    return SmallVector<Value>();
                  });
            });
      });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Where the panel of the lanes from `lane` on starts in the operand itself.
Value ContractionEmitter::panelAhead(Value lane, ReducedBlock reduced) {
  auto read = plan.roles.panel.getDefiningOp<ReadOp>();
  Sizes sizes = getSizes(cast<ShapedType>(read.getSource().getType()));
  Value length = frame.size(sizes[1].mul(plan.pair));
  Value number = arith::DivUIOp::create(frame.builder, frame.loc, lane,
                                        frame.constant(plan.tile.lanes));
  Value point =
      frame.add(frame.mul(number, length),
                frame.mul(reduced.low, frame.constant(plan.innerPoints)));
  return LLVM::GEPOp::create(
      frame.builder, frame.loc, sumScratch.getType(), getPanelElement(plan),
      frame.pointer(read.getSource()),
      ValueRange{frame.mul(point, frame.constant(plan.tile.lanes))});
}

void ContractionEmitter::emitReducedBlock(Scope &scope, Block block,
                                          ReducedBlock reduced, Value isFirst,
                                          Value isLast) {
  stageRows(frame, plan, scope, block.rowLow, block.rowHigh, reduced,
            rowScratch);
  emitSteps(frame, scope, block.laneLow, block.laneHigh, plan.tile.lanes,
            [&](Scope &inner, Value lane) {
              Value panel = panelScratch;
              if (plan.isPackedAhead) {
                panel = panelAhead(lane, reduced);
              } else {
                Value end = arith::MinSIOp::create(
                    frame.builder, frame.loc,
                    frame.add(lane, frame.constant(plan.tile.lanes)),
                    block.laneHigh);
                packPanel(frame, plan, inner, lane, end, reduced, panelScratch);
              }
              emitSteps(frame, inner, frame.constant(0),
                        frame.sub(block.rowHigh, block.rowLow), plan.tile.rows,
                        [&](Scope &tile, Value row) {
                          emitTile(tile, block, reduced, lane, row, panel,
                                   isFirst, isLast);
                        });
            });
}

void ContractionEmitter::emitBlock(Scope &scope, Block block) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value size = plan.roles.reduced.empty()
                   ? frame.constant(1)
                   : frame.dimSize(plan.roles.reduced.front());
  Value inner = frame.constant(plan.innerPoints);
  if (plan.isOneBlock)
    return emitReducedBlock(scope, block,
                            {frame.constant(0), size, frame.mul(size, inner)},
                            nullptr, nullptr);
  // A sum over nothing is written as well: at least one block.
  Value step = frame.constant(plan.firstBlock);
  Value end = arith::MaxSIOp::create(builder, loc, size, frame.constant(1));
  emitSteps(
      frame, scope, frame.constant(0), end, plan.firstBlock,
      [&](Scope &part, Value low) {
        Value high =
            arith::MinSIOp::create(builder, loc, frame.add(low, step), size);
        auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
          return arith::CmpIOp::create(builder, loc, predicate, a, b);
        };
        Value isFirst =
            compare(arith::CmpIPredicate::eq, low, frame.constant(0));
        Value isLast = compare(arith::CmpIPredicate::sge, high, size);
        emitReducedBlock(part, block,
                         {low, high, frame.mul(frame.sub(high, low), inner)},
                         isFirst, isLast);
      });
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

static SizeExpr getPoints(KernelFrame &frame, ArrayRef<unsigned> dims) {
  SizeExpr points = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (unsigned dim : dims)
    points = points.mul(frame.kernel.getDimSize(dim));
  return points;
}

/// Iterations that are worth a thread.
int64_t ContractionEmitter::getGrain() const {
  int64_t products = plan.tile.blockRows * plan.tile.blockLanes;
  for (unsigned dim : plan.roles.reduced)
    products *= std::max<int64_t>(
        1, frame.kernel.getDimSize(dim).getConstant().value_or(64));
  return std::max<int64_t>(1, kGrainProducts / products);
}

LaunchShape ContractionEmitter::emit() {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  MLIRContext *context = frame.kernel.getContext();
  SizeExpr rows = getPoints(frame, plan.roles.rows),
           lanes = getPoints(frame, plan.roles.lanes);
  SizeExpr rowBlocks =
               rows.ceilDiv(SizeExpr::constant(context, plan.tile.blockRows)),
           laneBlocks =
               lanes.ceilDiv(SizeExpr::constant(context, plan.tile.blockLanes));
  if (plan.usesTiles)
    emitTileConfiguration(frame);
  LaunchShape shape;
  shape.count =
      getPoints(frame, plan.roles.batches).mul(rowBlocks).mul(laneBlocks);
  shape.grain = getGrain();
  Scope root(frame);
  emitSteps(
      frame, root, frame.begin, frame.end, 1,
      [&](Scope &scope, Value iteration) {
        auto split = [&](Value number, SizeExpr radix) {
          Value size = frame.size(radix);
          Value rest = arith::DivUIOp::create(builder, loc, number, size);
          return std::pair(rest, frame.sub(number, frame.mul(rest, size)));
        };
        auto [afterLanes, laneBlock] = split(iteration, laneBlocks);
        auto [batch, rowBlock] = split(afterLanes, rowBlocks);
        bindDigits(frame, scope, plan.roles.batches, batch);
        auto range = [&](Value number, int64_t size, SizeExpr end) {
          Value low = frame.mul(number, frame.constant(size));
          Value high = arith::MinSIOp::create(
              builder, loc, frame.add(low, frame.constant(size)),
              frame.size(end));
          return std::pair(low, high);
        };
        auto [rowLow, rowHigh] = range(rowBlock, plan.tile.blockRows, rows);
        auto [laneLow, laneHigh] =
            range(laneBlock, plan.tile.blockLanes, lanes);
        emitBlock(scope, {rowLow, rowHigh, laneLow, laneHigh});
      });
  if (plan.usesTiles)
    emitTileRelease(frame);
  return shape;
}

LaunchShape tc::emitContractionKernel(KernelFrame &frame,
                                      const ContractionPlan &plan) {
  return ContractionEmitter(frame, plan).emit();
}
