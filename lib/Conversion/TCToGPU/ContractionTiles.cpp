//===- ContractionTiles.cpp - The tiles of a product ----------------------===//

#include "ContractionTiles.h"
#include "../KernelEmission/AccessEmitter.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

ContractionTiles::ContractionTiles(GPUFrame &frame,
                                   const TensorCoreProduct &product,
                                   GPUContractionScheduleAttr schedule)
    : frame(frame), product(product), schedule(schedule),
      words{frame.builder, frame.loc} {
  MLIRContext *context = frame.kernel.getContext();
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(context, value);
  };
  batches = constant(1);
  for (unsigned dim : product.roles.batches)
    batches = batches.mul(frame.kernel.getDimSize(dim));
  tileRows = product.rowCount.ceilDiv(
      constant(schedule.getRows() * schedule.getCluster()));
  tileLanes = product.laneCount.ceilDiv(constant(getResultLanes()));
}

block::PipelineType ContractionTiles::getPipelineType() const {
  return block::PipelineType::get(schedule.getContext(), schedule.getStages(),
                                  getStageBytes(), schedule.getCluster());
}

Value ContractionTiles::countSteps() { return size(countStepsOfBlock()); }

SizeExpr ContractionTiles::countStepsOfBlock() const {
  return product.countSteps().ceilDiv(
      SizeExpr::constant(schedule.getContext(), schedule.getSplits()));
}

StepPlace ContractionTiles::getStepPlace(Value step) {
  const int64_t elements = product.getStepElements();
  if (product.windowDims.empty())
    return {words.constant(0), words.mul(step, elements)};
  Value steps = size(product.channelCount.ceilDiv(
      SizeExpr::constant(schedule.getContext(), elements)));
  return {words.div(step, steps), words.mul(words.rem(step, steps), elements)};
}

int64_t ContractionTiles::countKnownSteps() const {
  if (sharesTail())
    return 1;
  return countStepsOfBlock().getConstant().value_or(1);
}

/// Tiles of a cluster are walked a group of rows at a time, and within it lane
/// by lane; its blocks have their rows one after the other.
TileCorner ContractionTiles::getCorner(Value tile) {
  Value rows = size(tileRows), lanes = size(tileLanes);
  TileCorner corner;
  if (batches.isConstant(1)) {
    corner.batch = words.constant(0);
  } else {
    Value tilesOfBatch = words.mul(rows, lanes);
    corner.batch = words.div(tile, tilesOfBatch);
    tile = words.rem(tile, tilesOfBatch);
  }
  const int64_t group =
      std::max<int64_t>(1, schedule.getGroup() / schedule.getCluster());
  Value tilesOfGroup = words.mul(lanes, group);
  Value inGroup = words.rem(tile, tilesOfGroup);
  Value first = words.mul(words.div(tile, tilesOfGroup), group);
  Value rowsOfGroup = words.min(words.constant(group), words.sub(rows, first));
  Value lane = words.div(inGroup, rowsOfGroup), inRows = inGroup;
  // A block has tiles of all rows in turns: some rows have more matrices.
  if (product.roles.group)
    inRows = words.add(inGroup, lane);
  Value row = words.add(first, words.rem(inRows, rowsOfGroup));
  if (schedule.getCluster() > 1)
    row = words.add(words.mul(row, schedule.getCluster()), getRank());
  corner.row = words.mul(row, schedule.getRows());
  corner.lane = words.mul(lane, getResultLanes());
  return corner;
}

SmallVector<Value> ContractionTiles::emitTiles(ValueRange first, Scope &scope,
                                               TileBody body) {
  auto &b = frame.builder;
  if (sharesTail())
    return emitTilesAndTail(first, body);
  Value steps = countSteps();
  TileWork work{{}, words.constant(0), steps, {}, {}};
  if (isSplit()) { // each cluster has one tile
    work.corner = getCorner(getCluster());
    work.begin = words.mul(getRank(), steps);
    work.end = words.add(work.begin, steps);
    return body(work, first);
  }
  auto loop = scf::ForOp::create(b, frame.loc, getCluster(), size(countTiles()),
                                 countClusters(), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  work.corner = getCorner(loop.getInductionVar());
  ValueRange carried = loop.getRegionIterArgs();
  scf::YieldOp::create(b, frame.loc,
                       product.roles.group
                           ? emitGroups(work, carried, scope, body)
                           : body(work, carried));
  return SmallVector<Value>(loop.getResults());
}

Value ContractionTiles::getCluster() {
  Value number = words.narrow(frame.blockNumber);
  return frame.cluster > 1 ? words.div(number, frame.cluster) : number;
}

Value ContractionTiles::countClusters() {
  Value count = words.narrow(frame.blockCount);
  return frame.cluster > 1 ? words.div(count, frame.cluster) : count;
}

Value ContractionTiles::getFirstShared(Value cluster) {
  return words.add(words.mul(cluster, stepsOfCluster),
                   words.min(cluster, moreSteps));
}

/// The tiles of full waves, and then the block's part of the others, the last
/// tile first: that is the one which the next block ends, and waits for.
SmallVector<Value> ContractionTiles::emitTilesAndTail(ValueRange first,
                                                      TileBody body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  auto max = [&](Value x, Value y) -> Value {
    return arith::MaxUIOp::create(b, loc, x, y);
  };
  Value zero = words.constant(0), one = words.constant(1), own = getCluster(),
        clusters = countClusters(), tileCount = size(countTiles()),
        steps = countSteps(), waves = words.div(tileCount, clusters),
        whole = words.mul(waves, clusters),
        sharers = words.constant(schedule.getTailBlocks() / frame.cluster),
        tailSteps = words.mul(words.sub(tileCount, whole), steps);
  stepsOfCluster = words.div(tailSteps, sharers);
  moreSteps = words.rem(tailSteps, sharers);
  Value low = getFirstShared(words.min(own, sharers)),
        high = getFirstShared(words.min(words.add(own, 1), sharers)),
        lastTile = words.div(words.sub(max(high, one), one), steps),
        parts = select(words.isLess(low, high),
                       words.add(words.sub(lastTile, words.div(low, steps)), 1),
                       zero);
  auto loop =
      scf::ForOp::create(b, loc, zero, words.add(waves, parts), one, first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), isWhole = words.isLess(number, waves),
        tile = words.sub(lastTile, words.sub(number, waves));
  TileWork work;
  work.firstShared = words.mul(tile, steps);
  auto inTile = [&](Value step) { return words.sub(step, work.firstShared); };
  work.begin = select(isWhole, zero, inTile(max(low, work.firstShared)));
  work.end =
      select(isWhole, steps,
             inTile(words.min(high, words.add(work.firstShared, steps))));
  work.isLast = words.compare(arith::CmpIPredicate::eq, work.end, steps);
  work.corner =
      getCorner(select(isWhole, words.add(words.mul(number, clusters), own),
                       words.add(whole, tile)));
  scf::YieldOp::create(b, loc, body(work, loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

Value ContractionTiles::emitLeast(Value own) {
  return NVVM::ReduxOp::create(frame.builder, frame.loc, own.getType(), own,
                               NVVM::ReduxKind::UMIN,
                               words.constant(kAllLanes));
}

void ContractionTiles::bindBatches(Scope &scope, Value batch) {
  ArrayRef<unsigned> dims = product.roles.batches;
  for (auto [dim, index] :
       llvm::zip_equal(dims, emitBatchIndices(frame, dims, dims, batch)))
    scope.bind(dim, words.widen(index));
}

Value ContractionTiles::emitGroupOfRow(PointEmitter &emitter, Scope &scope) {
  auto read = product.lanes.value.getDefiningOp<ReadOp>();
  return words.narrow(emitter.access.emitCheckedIndex(read, scope));
}

/// Of the rows of the tile that a lane of a warp looks at, those of all lanes
/// being all of them.
SmallVector<Value> ContractionTiles::emitGroupsOfRows(const TileCorner &corner,
                                                      Scope &scope) {
  PointEmitter emitter(frame, std::nullopt, 1);
  Value lane = words.rem(words.narrow(frame.threadNumber), kWarpThreads),
        last = words.sub(size(product.rowCount), words.constant(1));
  SmallVector<Value> groups;
  for (int64_t row = 0; row < schedule.getRows(); row += kWarpThreads) {
    Value index = words.add(corner.row, words.add(lane, row));
    Scope own(scope, Scope::Detached());
    bindBatches(own, corner.batch);
    bindDigits(frame, own, product.roles.rows,
               words.widen(words.min(index, last)));
    groups.push_back(emitGroupOfRow(emitter, own));
  }
  return groups;
}

/// Runs `body` once for each matrix that a row of the tile has, in the order of
/// their numbers: all threads of a warp know the next one.
SmallVector<Value> ContractionTiles::emitGroups(const TileWork &work,
                                                ValueRange first, Scope &scope,
                                                TileBody body) {
  constexpr int64_t kNone = -1;
  auto &b = frame.builder;
  SmallVector<Value> groups = emitGroupsOfRows(work.corner, scope);
  Value none = words.constant(kNone);
  // The least of those of which `isLeft` holds.
  auto getNext = [&](function_ref<Value(Value)> isLeft) -> Value {
    Value least = none;
    for (Value own : groups)
      least = words.min(
          least, arith::SelectOp::create(b, frame.loc, isLeft(own), own, none));
    return emitLeast(least);
  };
  SmallVector<Value> carried = {getNext([&](Value) -> Value {
    return arith::ConstantIntOp::create(b, frame.loc, 1, 1);
  })};
  llvm::append_range(carried, first);
  auto loop = scf::WhileOp::create(
      b, frame.loc, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &, Location, ValueRange values) {
        Value isLeft =
            words.compare(arith::CmpIPredicate::ne, values.front(), none);
        scf::ConditionOp::create(b, frame.loc, isLeft, values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        group = values.front();
        SmallVector<Value> after = body(work, values.drop_front());
        Value next = getNext(
            [&](Value own) { return words.isLess(values.front(), own); });
        after.insert(after.begin(), next);
        scf::YieldOp::create(b, frame.loc, after);
      });
  return SmallVector<Value>(loop.getResults().drop_front());
}

/// `matrix` with strides that the copy engine takes in place of those of which
/// that is not known, multiples of `unit`: where they differ, threads load the
/// operand.
static CopiedMatrix withTakenStrides(CopiedMatrix matrix, int64_t unit) {
  auto take = [&](SizeExpr &stride) {
    if (llvm::is_contained(matrix.conditions, stride))
      stride = stride.floorDiv(unit)
                   .max(SizeExpr::constant(stride.getContext(), 1))
                   .mul(unit);
  };
  take(matrix.pitch);
  llvm::for_each(matrix.batchStrides, take);
  return matrix;
}

/// Boxes have all of a tile along the operand's own dimension, or a row of 64
/// elements of it where it is contiguous along that one.
TensorMapAttr ContractionTiles::describeOperand(const CopiedMatrix &operand,
                                                SizeExpr own,
                                                int64_t tile) const {
  if (operand.window)
    return getImagesMap(frame, operand,
                        operand.isAcross ? block::kBoxElements : tile);
  CopiedMatrix matrix = withTakenStrides(operand, getUnit());
  return matrix.isAcross ? getBoxMap(frame, matrix, product.reducedCount, own,
                                     block::kBoxElements, block::kBoxElements)
                         : getBoxMap(frame, matrix, own, product.channelCount,
                                     tile, product.getStepElements());
}

ArrayAttr ContractionTiles::getTensorMaps() const {
  if (schedule.getWarpProducts())
    return {};
  SmallVector<Attribute> maps;
  for (const TensorCoreProduct::Operand *operand : product.getOperands()) {
    bool isRows = operand == &product.rows;
    if (!operand->matrix)
      continue;
    TensorMapAttr map = describeOperand(
        *operand->matrix, isRows ? product.rowCount : product.laneCount,
        isRows ? schedule.getRows() : getResultLanes() / schedule.getCluster());
    maps.push_back(map);
    // Rows of a narrower box are as far apart in shared memory.
    if (int64_t part = getPartOfBox(*operand)) {
      SmallVector<int64_t> box(map.getBox().asArrayRef());
      box.back() = part;
      maps.push_back(withBox(map, box));
    }
  }
  if (schedule.getAsyncStore())
    maps.push_back(getBoxMap(frame, *product.results, product.rowCount,
                             product.laneCount, block::kCopyOutRows,
                             TileStores::getBoxLanes(getResultLanes()),
                             /*written=*/true));
  return maps.empty() ? ArrayAttr()
                      : ArrayAttr::get(schedule.getContext(), maps);
}

OperandMaps ContractionTiles::getOperandMaps(size_t number) const {
  if (schedule.getWarpProducts())
    return {};
  ArrayRef<Value> maps = frame.tensorMaps;
  for (const TensorCoreProduct::Operand *operand : product.getOperands()) {
    if (!operand->matrix) {
      if (number-- == 0)
        return {};
      continue;
    }
    const bool hasPart = getPartOfBox(*operand) > 0;
    if (number-- == 0)
      return {maps[0], hasPart ? maps[1] : Value()};
    maps = maps.drop_front(hasPart ? 2 : 1);
  }
  return {};
}

Value ContractionTiles::emitMayCopy() {
  auto &b = frame.builder;
  Value holds;
  for (const TensorCoreProduct::Operand *operand : product.getOperands())
    for (SizeExpr stride : operand->matrix ? operand->matrix->conditions
                                           : SmallVector<SizeExpr>()) {
      Value value = frame.size(stride),
            rest = arith::AndIOp::create(b, frame.loc, value,
                                         frame.constant(getUnit() - 1));
      Value isForward = arith::CmpIOp::create(
          b, frame.loc, arith::CmpIPredicate::sgt, value, frame.constant(0));
      holds = restrictMask(b, frame.loc, holds, isForward);
      holds = restrictMask(b, frame.loc, holds, frame.isZero(rest));
    }
  return holds;
}

Value ContractionTiles::emitHasAlignedPairs() {
  return product.hasPairs
             ? tc::emitHasAlignedPairs(frame, product.roles.vectorDim)
             : Value();
}

int64_t ContractionTiles::getStoreOffset() const {
  return llvm::alignTo(getPipelineType().getSharedBytes(),
                       block::kBoxAlignment);
}

int64_t ContractionTiles::getSharedBytes() const {
  using Schedule = GPUContractionScheduleAttr;
  if (schedule.getAsyncStore())
    return getStoreOffset() + schedule.getRows() * Schedule::kStoreBytes;
  if (isSplit())
    return getStoreOffset() +
           schedule.getRows() * schedule.getLanes() * Schedule::kSumBytes;
  return getPipelineType().getSharedBytes();
}
