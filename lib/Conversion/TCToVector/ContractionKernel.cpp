//===- ContractionKernel.cpp - Contractions in register tiles -------------===//
//
// The tile is `rows` points of the row dimension by the lanes of the vector
// dimension. A step of k multiplies one vector of the operand that varies over
// the lanes (the panel) with one scalar of the other operand a row. Everything
// is read through the stages' index maps, so a prologue is computed where its
// element is needed, and the epilogue runs on the tile while it is in cache.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitters.h"
#include "RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// Row tiles of one launch iteration.
static constexpr int64_t kTilesPerBlock = 16;
/// Longest panel that is packed on the stack, in elements.
static constexpr int64_t kMaxPanel = 1 << 18;
namespace {
/// The roles of a contraction's dimensions.
struct Roles {
  ContractStageOp stage;
  Value panel, scalar; ///< operands: the one with lanes, the other
  unsigned vectorDim = 0;
  int64_t lanes = 1, rows = 1;
  std::optional<unsigned> rowDim;
  SmallVector<unsigned> otherRows; ///< parallel, in the scalar operand only
  SmallVector<unsigned> others;    ///< parallel, in the panel or in both
  SmallVector<unsigned> reduced;
  bool packs = false;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelFrame &frame, Roles roles)
      : frame(frame), roles(roles),
        emitter(frame, roles.vectorDim, roles.lanes),
        epilogue(frame, roles.vectorDim,
                 std::min(roles.lanes, kEpilogueLanes)) {}

  LaunchShape emit();

private:
  void emitPanel(Scope &scope);
  void emitRows(Scope &scope, Value low, Value high);
  Value panelAddress(Scope &scope);

  KernelFrame &frame;
  Roles roles;
  PointEmitter emitter, epilogue;
  Value panelScratch, tileScratch;
};
} // namespace

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static int64_t staticSize(KernelFrame &frame, unsigned dim) {
  return frame.kernel.getDimSize(dim).getConstant().value_or(1 << 20);
}

/// Whether vectors of `value` along `dim` can be loaded as they lie.
static bool isContiguous(Value value, unsigned dim) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      !isa<FloatType>(read.getResult().getType()))
    return false;
  auto apart = PointEmitter::lanesApart(
      cast<ShapedType>(read.getSource().getType()), read.getMap(), dim);
  return apart && apart->isConstant(1);
}

static std::optional<Roles> findRoles(KernelFrame &frame) {
  Roles roles;
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ScanStageOp, SortStageOp>(op) ||
        (isa<ContractStageOp>(op) && roles.stage))
      return std::nullopt;
    if (auto stage = dyn_cast<ContractStageOp>(op))
      roles.stage = stage;
  }
  auto schedule = frame.kernel.getSchedule();
  if (!roles.stage || !schedule || schedule->getVectorDim() < 0 ||
      !isa<FloatType>(roles.stage.getResult().getType()))
    return std::nullopt;
  roles.vectorDim = schedule->getVectorDim();
  DimSet result = frame.dims.of(roles.stage.getResult());
  DimSet left = frame.dims.of(roles.stage.getLhs()),
         right = frame.dims.of(roles.stage.getRhs());
  if (!result.test(roles.vectorDim) ||
      left.test(roles.vectorDim) == right.test(roles.vectorDim))
    return std::nullopt;
  bool panelIsRight = right.test(roles.vectorDim);
  roles.panel = panelIsRight ? roles.stage.getRhs() : roles.stage.getLhs();
  roles.scalar = panelIsRight ? roles.stage.getLhs() : roles.stage.getRhs();
  DimSet rows = frame.dims.of(roles.scalar);
  rows &= result;
  rows.reset(frame.dims.of(roles.panel));
  for (unsigned dim : rows.set_bits())
    if (!roles.rowDim ||
        staticSize(frame, dim) > staticSize(frame, *roles.rowDim))
      roles.rowDim = dim;
  // What the writes add to the result's dimensions is an outer loop as well.
  DimSet parallel = result;
  for (auto write : frame.kernel.getBodyBlock().getOps<WriteOp>()) {
    if (getWriteDims(frame, write) != result)
      return std::nullopt;
  }
  for (unsigned dim : parallel.set_bits())
    if (dim != roles.vectorDim && dim != roles.rowDim)
      (rows.test(dim) ? roles.otherRows : roles.others).push_back(dim);
  for (int64_t dim : roles.stage.getOver())
    roles.reduced.push_back(dim);
  llvm::sort(roles.reduced);

  roles.lanes = schedule->getVectorWidth() * schedule->getUnroll();
  if (schedule->getTile().size() >= 2)
    roles.lanes = schedule->getTile()[1];
  roles.rows = std::max<int64_t>(
      1, kAccumulators / llvm::divideCeil(roles.lanes, kRegisterLanes));
  if (!schedule->getTile().empty())
    roles.rows = schedule->getTile()[0];
  roles.rows =
      roles.rowDim ? std::min(roles.rows, staticSize(frame, *roles.rowDim)) : 1;
  roles.packs = !isContiguous(roles.panel, roles.vectorDim);
  return roles;
}

/// Elements of a packed panel, or nothing when that is not known or too many.
static std::optional<int64_t> getPanelSize(KernelFrame &frame,
                                           const Roles &roles) {
  int64_t size = roles.lanes;
  for (unsigned dim : roles.reduced) {
    auto extent = frame.kernel.getDimSize(dim).getConstant();
    if (!extent)
      return std::nullopt;
    size *= *extent;
  }
  return size <= kMaxPanel ? std::optional<int64_t>(size) : std::nullopt;
}

bool tc::isRegisterTiled(KernelFrame &frame) {
  auto roles = findRoles(frame);
  if (!roles)
    return false;
  if (!roles->packs)
    return true;
  // Packing pays when enough rows use the panel.
  return getPanelSize(frame, *roles) && roles->rowDim &&
         staticSize(frame, *roles->rowDim) >= 4;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Where the panel's vector of the scope's reduced point lies in the scratch.
Value ContractionEmitter::panelAddress(Scope &scope) {
  Value position = frame.constant(0);
  for (unsigned dim : roles.reduced)
    position =
        frame.add(frame.mul(position, frame.dimSize(dim)), scope.indices[dim]);
  Value offset = frame.mul(position, frame.constant(roles.lanes));
  return LLVM::GEPOp::create(frame.builder, frame.loc, panelScratch.getType(),
                             frame.builder.getF32Type(), panelScratch,
                             ValueRange{offset});
}

/// Packs the panel of the scope's lanes: one vector for each reduced point.
void ContractionEmitter::emitPanel(Scope &scope) {
  PointEmitter reader(frame, roles.vectorDim, roles.lanes);
  reader.emitLoops(scope, roles.reduced, {}, [&](Scope &inner, ValueRange) {
    Value vector = reader.emitVector(roles.panel, inner);
    LLVM::StoreOp::create(frame.builder, frame.loc, vector, panelAddress(inner),
                          /*alignment=*/64);
    return SmallVector<Value>();
  });
}

/// Row tiles over [low, high) of the row dimension.
void ContractionEmitter::emitRows(Scope &scope, Value low, Value high) {
  RegisterTile tile{roles.stage.getResult(), roles.rowDim, roles.vectorDim,
                    roles.lanes, tileScratch};
  emitRowTiles(frame, scope, low, high, roles.rows,
               [&](Scope &inner, Value base, int64_t rows) {
                 SmallVector<Value> accumulators = tile.accumulate(
                     emitter, inner, roles.reduced, base, rows,
                     [&](Scope &point) {
                       return emitter.emitVector(roles.panel, point);
                     },
                     [&](Scope &row, int64_t) {
                       return emitter.emitVector(roles.scalar, row);
                     });
                 tile.emitEpilogue(epilogue, inner, base, rows, accumulators,
                                   [](Scope &, Value) {});
               });
}

LaunchShape ContractionEmitter::emit() {
  auto &builder = frame.builder;
  MLIRContext *context = frame.kernel.getContext();
  Type element = getComputeType(roles.stage.getResult().getType());
  tileScratch = frame.allocateScratch(element, roles.rows * roles.lanes);
  if (roles.packs) {
    panelScratch = frame.allocateScratch(element, *getPanelSize(frame, roles));
    emitter.provide(roles.panel, [&](Scope &inner) -> Value {
      return LLVM::LoadOp::create(builder, frame.loc,
                                  VectorType::get({roles.lanes}, element),
                                  panelAddress(inner),
                                  /*alignment=*/64);
    });
  }
  // Iterations: the other dimensions, blocks of rows, blocks of lanes. A packed
  // panel serves all rows, so there they are a loop inside.
  LaunchShape shape;
  SizeExpr laneBlocks = frame.kernel.getDimSize(roles.vectorDim)
                            .ceilDiv(SizeExpr::constant(context, roles.lanes));
  SmallVector<unsigned> outer(roles.others);
  if (!roles.packs)
    llvm::append_range(outer, roles.otherRows);
  shape.count = laneBlocks;
  for (unsigned dim : outer)
    shape.count = shape.count.mul(frame.kernel.getDimSize(dim));
  int64_t rowBlock = roles.rows * kTilesPerBlock;
  SizeExpr rowBlocks = SizeExpr::constant(context, 1);
  if (roles.rowDim && !roles.packs)
    rowBlocks = frame.kernel.getDimSize(*roles.rowDim)
                    .ceilDiv(SizeExpr::constant(context, rowBlock));
  shape.count = shape.count.mul(rowBlocks);
  shape.grain = 1;

  Scope root(frame);
  auto loop = scf::ForOp::create(builder, frame.loc, frame.begin, frame.end,
                                 frame.constant(1));
  root.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Scope scope(root);
  auto splitDigit = [&](Value number, SizeExpr radix) {
    Value size = frame.size(radix);
    Value quotient = arith::DivUIOp::create(builder, frame.loc, number, size);
    return std::pair(quotient, frame.sub(number, frame.mul(quotient, size)));
  };
  auto [afterLanes, laneBlock] = splitDigit(loop.getInductionVar(), laneBlocks);
  auto [afterRows, rowNumber] = splitDigit(afterLanes, rowBlocks);
  bindDigits(frame, scope, outer, afterRows);

  Value low = frame.mul(laneBlock, frame.constant(roles.lanes));
  Value high = arith::MinSIOp::create(
      builder, frame.loc, frame.add(low, frame.constant(roles.lanes)),
      frame.dimSize(roles.vectorDim));
  Value rowLow = frame.constant(0), rowHigh = roles.rowDim
                                                  ? frame.dimSize(*roles.rowDim)
                                                  : frame.constant(1);
  if (roles.rowDim && !roles.packs) {
    rowLow = frame.mul(rowNumber, frame.constant(rowBlock));
    rowHigh = arith::MinSIOp::create(
        builder, frame.loc, frame.add(rowLow, frame.constant(rowBlock)),
        rowHigh);
  }
  emitter.emitLoop(scope, roles.vectorDim, low, high, {},
                   [&](Scope &inner, ValueRange) {
                     if (!roles.packs) {
                       emitRows(inner, rowLow, rowHigh);
                       return SmallVector<Value>();
                     }
                     emitPanel(inner);
                     emitter.emitLoops(inner, roles.otherRows, {},
                                       [&](Scope &point, ValueRange) {
                                         emitRows(point, rowLow, rowHigh);
                                         return SmallVector<Value>();
                                       });
                     return SmallVector<Value>();
                   });
  return shape;
}

LaunchShape tc::emitContractionKernel(KernelFrame &frame) {
  return ContractionEmitter(frame, *findRoles(frame)).emit();
}
