//===- ContractionProducer.cpp - What fills the stages --------------------===//
//
// An operand that is in memory as the copy engine wants it is copied by one
// thread of the warp group. The elements of another are computed by all of its
// threads. A stage has both kinds, or all of one kind; where strides are known
// at the call alone, the warp group looks at them first. Without the copy
// engine all threads of the warp group start the copies.
//
//===----------------------------------------------------------------------===//

#include "ContractionProducer.h"
#include "../KernelEmission/AccessEmitter.h"
#include "AlignedVersion.h"
#include "ContractionLoops.h"
#include "OperandCopies.h"
#include "OperandLoads.h"
#include "PartCopies.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
class Producer {
public:
  Producer(ContractionTiles &tiles, Value pipeline, Scope &scope)
      : tiles(tiles), b(tiles.frame.builder), loc(tiles.frame.loc),
        pipeline(pipeline), scope(scope) {}

  /// Fills the stages of all tiles of the block; `copies`: with copies of what
  /// may be copied. What else is read is aligned with `areAligned`.
  void emit(bool copies, bool areAligned);

private:
  /// How the part of a stage that one operand has is filled.
  struct Operand {
    const TensorCoreProduct::Operand &operand;
    bool isRows;
    int64_t offset, bytes;
    std::optional<OperandCopies> copies;
    std::optional<PartCopies> parts;
    std::optional<OperandLoads> loads;
  };
  void emitForWarps(std::vector<Operand> &operands, bool copies);
  void copyParts(Operand &operand, Value slot, const TileCorner &corner,
                 Value reduced, bool copies);
  std::vector<Operand> getOperands(bool copies, bool areAligned);
  using StepBody =
      function_ref<void(Value slot, const TileCorner &corner, StepPlace step)>;
  void emitSteps(StepBody body);

  ContractionTiles &tiles;
  OpBuilder &b;
  Location loc;
  Value pipeline;
  Scope &scope;
};
} // namespace

/// Runs `body` for each step of each tile, with a stage for it.
void Producer::emitSteps(StepBody body) {
  Value one = tiles.words.constant(1);
  tiles.emitTiles(
      block::FirstSlotOp::create(b, loc)->getResults(), scope,
      [&](const TileWork &work, ValueRange carried) {
        auto loop =
            scf::ForOp::create(b, loc, work.begin, work.end, one, carried);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value slot = loop.getRegionIterArgs().front();
        body(slot, work.corner, tiles.getStepPlace(loop.getInductionVar()));
        Value next = block::NextSlotOp::create(b, loc, pipeline, slot);
        scf::YieldOp::create(b, loc, next);
        return SmallVector<Value>(loop.getResults());
      });
}

/// Copies of an operand that threads start.
static PartCopies getParts(ContractionTiles &tiles,
                           const TensorCoreProduct::Operand &operand) {
  const TensorCoreProduct &product = tiles.product;
  const CopiedMatrix &matrix = *operand.matrix;
  SizeExpr own =
               &operand == &product.rows ? product.rowCount : product.laneCount,
           reduced = product.reducedCount;
  return {tiles.frame, matrix, product.getElementBytes(),
          matrix.isAcross ? reduced : own, matrix.isAcross ? own : reduced};
}

/// Whether (i1) threads may copy all operands that are matrices in memory; null
/// where there is none.
static Value emitMayCopyParts(ContractionTiles &tiles) {
  GPUFrame &frame = tiles.frame;
  Value holds;
  for (const TensorCoreProduct::Operand *operand : tiles.product.getOperands())
    if (operand->matrix)
      holds = restrictMask(frame.builder, frame.loc, holds,
                           getParts(tiles, *operand).emitMayCopy());
  return holds;
}

/// Those of the rows, and then those of the lanes of each product.
std::vector<Producer::Operand> Producer::getOperands(bool copies,
                                                     bool areAligned) {
  const TensorCoreProduct &product = tiles.product;
  GPUContractionScheduleAttr schedule = tiles.schedule;
  std::vector<Operand> result;
  int64_t offset = 0;
  for (auto [number, operand] : llvm::enumerate(product.getOperands())) {
    const bool isRows = operand == &product.rows;
    const int64_t tile = isRows ? schedule.getRows() : tiles.getStageLanes(),
                  bytes = tile * block::kBoxRowBytes;
    result.push_back({*operand, isRows, offset, bytes, std::nullopt,
                      std::nullopt, std::nullopt});
    // Which of several matrices a row has is nothing that its lanes know.
    const bool isCopied = copies && operand->matrix,
               isPicked = operand->matrix && operand->matrix->groupStride;
    if (schedule.getWarpProducts() && (isCopied || isPicked))
      result.back().parts.emplace(getParts(tiles, *operand));
    else if (isCopied)
      result.back().copies.emplace(tiles, *operand, number, offset);
    else
      result.back().loads.emplace(tiles, *operand, isRows, offset, tile,
                                  areAligned, scope);
    offset += bytes;
  }
  return result;
}

/// The boxes of an operand's tile: one with its points as rows or, of rows that
/// are along what is summed over, one for each 64 of its points, 32 of f32.
void Producer::copyParts(Operand &operand, Value slot, const TileCorner &corner,
                         Value reduced, bool copies) {
  Words words = tiles.words;
  const CopiedMatrix &matrix = *operand.operand.matrix;
  const int64_t tile = operand.bytes / block::kBoxRowBytes,
                elements = tiles.product.getStepElements();
  Value first = operand.isRows ? corner.row : corner.lane;
  PartCopies::Box box{pipeline,
                      slot,
                      operand.offset,
                      tile,
                      tiles.getMatrixIndices(matrix, corner.batch),
                      first,
                      reduced,
                      /*outerTile=*/tile,
                      /*innerTile=*/elements};
  auto copy = [&] {
    if (copies)
      operand.parts->emit(box);
    else
      operand.parts->emitByElements(box);
  };
  if (!matrix.isAcross)
    return copy();
  box.rows = box.outerTile = elements;
  box.innerTile = operand.isRows ? tile : tiles.getResultLanes();
  box.outer = reduced;
  for (int64_t point = 0; point < tile; point += elements) {
    box.inner = words.add(first, point);
    copy();
    box.offset += box.rows * block::kBoxRowBytes;
  }
}

/// Each thread starts copies, or loads and stores, and goes on.
void Producer::emitForWarps(std::vector<Operand> &operands, bool copies) {
  emitSteps([&](Value slot, const TileCorner &corner, StepPlace step) {
    block::AwaitEmptyOp::create(b, loc, pipeline, slot);
    for (Operand &operand : operands) {
      Value first = operand.isRows ? corner.row : corner.lane;
      if (operand.parts)
        copyParts(operand, slot, corner, step.reduced, copies);
      else
        operand.loads->emit(pipeline, slot, corner.batch, first, step.reduced);
    }
    block::GiveCopiesOp::create(b, loc, pipeline, slot);
  });
}

void Producer::emit(bool copies, bool areAligned) {
  GPUFrame &frame = tiles.frame;
  Words words = tiles.words;
  std::vector<Operand> operands = getOperands(copies, areAligned);
  if (tiles.schedule.getWarpProducts())
    return emitForWarps(operands, copies);
  auto emitCopies = [&](Value slot, const TileCorner &corner, StepPlace step) {
    for (Operand &operand : operands)
      if (operand.copies)
        operand.copies->emit(pipeline, slot, corner.batch,
                             operand.isRows ? corner.row : corner.lane, step);
  };
  int64_t copiedBytes = 0;
  bool loadsAny = false;
  for (Operand &operand : operands) {
    copiedBytes += operand.copies ? operand.copies->countBytes() : 0;
    loadsAny |= operand.loads.has_value();
  }
  Value isFirst = frame.isZero(frame.threadNumber);
  if (!loadsAny) {
    auto fill = [&](Value slot, const TileCorner &corner, StepPlace step) {
      block::AcquireOp::create(b, loc, pipeline, slot,
                               copiedBytes == tiles.getStageBytes()
                                   ? IntegerAttr()
                                   : b.getI64IntegerAttr(copiedBytes));
      emitCopies(slot, corner, step);
    };
    if (!tiles.product.roles.group) {
      frame.emitIf(isFirst, [&] { emitSteps(fill); });
      return;
    }
    // A whole warp finds the matrices that rows have.
    Value isFirstWarp =
        words.isLess(block::WarpOp::create(b, loc), words.constant(1));
    frame.emitIf(isFirstWarp, [&] {
      emitSteps([&](Value slot, const TileCorner &corner, StepPlace step) {
        frame.emitIf(isFirst, [&] { fill(slot, corner, step); });
      });
    });
    return;
  }
  emitSteps([&](Value slot, const TileCorner &corner, StepPlace step) {
    block::AwaitEmptyOp::create(b, loc, pipeline, slot);
    if (copiedBytes > 0)
      frame.emitIf(isFirst, [&] {
        block::ExpectOp::create(b, loc, pipeline, slot, copiedBytes);
        emitCopies(slot, corner, step);
      });
    for (Operand &operand : operands)
      if (operand.loads)
        operand.loads->emit(pipeline, slot, corner.batch,
                            operand.isRows ? corner.row : corner.lane,
                            step.reduced);
    block::PublishOp::create(b, loc, pipeline, slot);
  });
}

void tc::emitProducer(ContractionTiles &tiles, Value pipeline, Scope &scope) {
  GPUFrame &frame = tiles.frame;
  emitRole(tiles, /*isProducer=*/true);
  auto fill = [&](Scope &inner, bool copies, bool areAligned) {
    Producer(tiles, pipeline, inner).emit(copies, areAligned);
    return SmallVector<Value>();
  };
  Value mayCopy = tiles.schedule.getWarpProducts() ? emitMayCopyParts(tiles)
                                                   : tiles.emitMayCopy();
  emitVersions(frame, scope, mayCopy, {}, [&](bool copies, Scope &inner) {
    std::optional<Value> areAligned;
    if (copies)
      areAligned = OperandLoads::emitAreAligned(tiles);
    if (!areAligned)
      return fill(inner, copies, /*areAligned=*/false);
    return emitVersions(frame, inner, *areAligned, {},
                        [&](bool areAligned, Scope &innermost) {
                          return fill(innermost, copies, areAligned);
                        });
  });
  if (tiles.isSplit())
    block::MeetOp::create(frame.builder, frame.loc);
}
