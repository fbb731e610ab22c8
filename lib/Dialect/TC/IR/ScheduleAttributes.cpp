//===- ScheduleAttributes.cpp - Schedules of the tc dialect ---------------===//
//
// Verifies the fields of schedules as far as the attribute alone can tell. A
// field that multiplies code or memory has a limit far above useful values, so
// that code generation ends.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFields.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kMostVectorWidth = 64, kMostUnroll = 32;
/// Most points along one side of a tile.
static constexpr int64_t kMostTilePoints = int64_t(1) << 20;
/// Most vector registers of accumulators of an attention tile, and the f32
/// lanes of one register.
static constexpr int64_t kMostAccumulators = 32, kRegisterLanes = 16;
/// With AMX: rows of a tile register, most rows of a tile, most accumulators of
/// a tile (4 of the 8 registers; operands need the others), and points that one
/// instruction multiplies.
static constexpr int64_t kMatrixRows = 16, kMostMatrixRows = 32,
                         kMostMatrixAccumulators = 1024, kMatrixPoints = 32;
/// Most rows and lanes of a square that is transposed in 32 vector registers.
static constexpr int64_t kMostSquareLanes = 16;
static constexpr int64_t kMostTasks = int64_t(1) << 16;
static constexpr int64_t kMostTaskPoints = int64_t(1) << 40,
                         kMostMultiplyAdds = int64_t(1) << 40,
                         kMostFetchParts = 64, kMostFetchPoints = 64,
                         kMostBlock = int64_t(1) << 30;
/// Points of up to 8 bytes: the stack of a thread, of 8 MiB, holds a few such
/// rows.
static constexpr int64_t kMostKeptPoints = int64_t(1) << 17,
                         kMostKeptWeight = 1000;
/// With this stride, 16 lanes are loaded as a vector of 128 elements.
static constexpr int64_t kMostStride = 8;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

LogicalResult LoopScheduleAttr::verify(EmitError emitError, int64_t vectorDim,
                                       int64_t vectorWidth, int64_t unroll,
                                       int64_t block, int64_t grain,
                                       int64_t taskPoints, int64_t keptPoints,
                                       int64_t keptWeight, int64_t maxStride,
                                       bool nontemporal) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, -1, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1,
                vectorDim < 0 ? 1 : kMostVectorWidth)
      .powerOf2("unroll", unroll, 1, kMostUnroll)
      .within("block", block, 0, kMostBlock)
      .within("grain", grain, 1, kNoLimit)
      .within("task_points", taskPoints, 1, kMostTaskPoints)
      .within("kept_points", keptPoints, 0, kMostKeptPoints)
      .within("kept_weight", keptWeight, 1, kMostKeptWeight)
      .within("max_stride", maxStride, 1, kMostStride);
  return checks.result();
}

LogicalResult ContractionTileAttr::verify(EmitError emitError, int64_t rows,
                                          int64_t lanes, int64_t reduced,
                                          int64_t blockRows, int64_t blockLanes,
                                          PanelKind, int64_t panelBlocks) {
  FieldChecks checks(emitError, getMnemonic());
  for (auto [field, value] :
       {std::pair("rows", rows), std::pair("lanes", lanes),
        std::pair("reduced", reduced), std::pair("block_rows", blockRows),
        std::pair("block_lanes", blockLanes),
        std::pair("panel_blocks", panelBlocks)})
    checks.within(field, value, 1, kMostTilePoints);
  return checks.result();
}

LogicalResult ContractionScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth,
    ContractionTileAttr tile, int64_t fewBelow, ContractionTileAttr fewTile,
    int64_t pointsBelow, int64_t taskMultiplyAdds, int64_t stackMultiplyAdds,
    int64_t fetchParts, int64_t fetchPoints) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1, kMostVectorWidth)
      .within("few_below", fewBelow, 0, kNoLimit)
      .within("points_below", pointsBelow, 0, kNoLimit)
      .within("task_multiply_adds", taskMultiplyAdds, 1, kMostMultiplyAdds)
      .within("stack_multiply_adds", stackMultiplyAdds, 1, kMostMultiplyAdds)
      .within("fetch_parts", fetchParts, 0, kMostFetchParts)
      .within("fetch_points", fetchPoints, 0, kMostFetchPoints);
  if (failed(checks.result()))
    return failure();
  if ((fewBelow > 0) != bool(fewTile))
    return emitError() << "#tc." << getMnemonic()
                       << " has few_below = " << fewBelow << " and "
                       << (fewTile ? "a" : "no")
                       << " few_tile; expected both or neither";
  return success();
}

LogicalResult AttentionScheduleAttr::verify(
    EmitError emitError, MultiplyAddKind multiplyAdds, int64_t rows,
    int64_t keyLanes, int64_t columnLanes, int64_t softmaxLanes,
    int64_t rowBlock, int64_t fewRows, int64_t fewBelow,
    int64_t taskMultiplyAdds, int64_t stackMultiplyAdds) {
  FieldChecks checks(emitError, getMnemonic());
  bool isAMX = multiplyAdds == MultiplyAddKind::AMX;
  checks.powerOf2("key_lanes", keyLanes, kRegisterLanes, kMostVectorWidth)
      .powerOf2("column_lanes", columnLanes, kRegisterLanes, kMostVectorWidth)
      .powerOf2("softmax_lanes", softmaxLanes,
                isAMX ? kMatrixPoints : kRegisterLanes, kMostVectorWidth);
  if (failed(checks.result()))
    return failure();
  int64_t lanes = std::max(keyLanes, columnLanes);
  if (isAMX)
    checks.multipleOf(
        "rows", rows, kMatrixRows,
        std::min(kMostMatrixRows, kMostMatrixAccumulators / lanes));
  else
    checks.within("rows", rows, 1, kMostAccumulators * kRegisterLanes / lanes);
  checks.within("row_block", rowBlock, 0, kMostTilePoints)
      .within("few_rows", fewRows, 1, isAMX ? 1 : rows)
      .within("few_below", fewBelow, 0, isAMX ? 0 : kNoLimit)
      .within("task_multiply_adds", taskMultiplyAdds, 1, kMostMultiplyAdds)
      .within("stack_multiply_adds", stackMultiplyAdds, 1, kMostMultiplyAdds);
  return checks.result();
}

LogicalResult TransposeScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth,
    int64_t tileRows, int64_t tileLanes, int64_t taskPoints, bool nontemporal) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 2, kMostSquareLanes)
      .within("tile_rows", tileRows, 1, kMostTilePoints)
      .within("tile_lanes", tileLanes, 1, kMostTilePoints)
      .within("task_points", taskPoints, 1, kMostTaskPoints);
  return checks.result();
}

LogicalResult TaskScheduleAttr::verify(EmitError emitError, int64_t tasks,
                                       int64_t taskPoints) {
  FieldChecks checks(emitError, getMnemonic());
  return checks.within("tasks", tasks, 1, kMostTasks)
      .within("task_points", taskPoints, 1, kMostTaskPoints)
      .result();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult LoopScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (computesWhole(kernel))
    return refuseClass(kernel, getMnemonic(),
                       "a #tc.task_schedule for a sort or a routine");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult ContractionScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Contraction)
    return refuseClass(kernel, getMnemonic(), "a kernel of class contraction");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult AttentionScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Attention)
    return refuseClass(kernel, getMnemonic(), "a kernel of class attention");
  return success();
}

LogicalResult TransposeScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Transpose &&
      kernel.getKernelClass() != KernelClass::Pointwise)
    return refuseClass(kernel, getMnemonic(),
                       "a kernel of class transpose or pointwise");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult TaskScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (!computesWhole(kernel))
    return refuseClass(kernel, getMnemonic(), "a sort or a routine");
  return success();
}

//===----------------------------------------------------------------------===//
// Other lanes
//===----------------------------------------------------------------------===//

ScheduleAttrInterface LoopScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getUnroll(), getBlock(),
             getGrain(), getTaskPoints(), getKeptPoints(), getKeptWeight(),
             getMaxStride(), getNontemporal());
}

ScheduleAttrInterface
ContractionScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getTile(), getFewBelow(),
             getFewTile(), getPointsBelow(), getTaskMultiplyAdds(),
             getStackMultiplyAdds(), getFetchParts(), getFetchPoints());
}

ContractionScheduleAttr
ContractionScheduleAttr::withPointsBelow(int64_t multiplyAdds) const {
  return get(getContext(), getVectorDim(), getVectorWidth(), getTile(),
             getFewBelow(), getFewTile(), multiplyAdds, getTaskMultiplyAdds(),
             getStackMultiplyAdds(), getFetchParts(), getFetchPoints());
}

int64_t AttentionScheduleAttr::getVectorDim() const { return -1; }
ScheduleAttrInterface AttentionScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}

ScheduleAttrInterface TransposeScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getTileRows(), getTileLanes(),
             getTaskPoints(), getNontemporal());
}

int64_t TaskScheduleAttr::getVectorDim() const { return -1; }
ScheduleAttrInterface TaskScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}

//===----------------------------------------------------------------------===//
// Other stores
//===----------------------------------------------------------------------===//

LoopScheduleAttr LoopScheduleAttr::withNontemporal(bool nontemporal) const {
  return get(getContext(), getVectorDim(), getVectorWidth(), getUnroll(),
             getBlock(), getGrain(), getTaskPoints(), getKeptPoints(),
             getKeptWeight(), getMaxStride(), nontemporal);
}

TransposeScheduleAttr
TransposeScheduleAttr::withNontemporal(bool nontemporal) const {
  return get(getContext(), getVectorDim(), getVectorWidth(), getTileRows(),
             getTileLanes(), getTaskPoints(), nontemporal);
}
