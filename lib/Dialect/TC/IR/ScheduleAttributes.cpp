//===- ScheduleAttributes.cpp - Schedules of the tc dialect ---------------===//
//
// Verifies the fields of schedules as far as the attribute alone can tell. A
// field that multiplies code or memory has a limit far above useful values, so
// that code generation ends.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;

using EmitError = function_ref<InFlightDiagnostic()>;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
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
                         kMostBlock = int64_t(1) << 30;
/// Points of up to 8 bytes: the stack of a thread, of 8 MiB, holds a few such
/// rows.
static constexpr int64_t kMostKeptPoints = int64_t(1) << 17,
                         kMostKeptWeight = 1000;
/// With this stride, 16 lanes are loaded as a vector of 128 elements.
static constexpr int64_t kMostStride = 8;
/// Threads of a warp, and most threads of a block.
static constexpr int64_t kWarpThreads = 32, kMostThreads = 1024;
/// Most segments of a row and strips of destinations on a GPU.
static constexpr int64_t kMostParts = 1024;
/// Elements, each a value and a place of 8 bytes, that fit into the 48 KiB of
/// shared memory that every kernel may have.
static constexpr int64_t kMostSortTile = 2048;

namespace {
/// Checks the fields of one attribute.
class FieldChecks {
public:
  FieldChecks(EmitError emitError, StringRef mnemonic)
      : emitError(emitError), mnemonic(mnemonic) {}

  FieldChecks &within(StringRef field, int64_t value, int64_t least,
                      int64_t most) {
    if (value < least)
      refuse(field, value) << "at least " << least;
    else if (value > most)
      refuse(field, value) << "at most " << most;
    return *this;
  }
  /// A power of 2, as reductions halve the lanes until one is left.
  FieldChecks &powerOf2(StringRef field, int64_t value, int64_t least,
                        int64_t most) {
    within(field, value, least, most);
    if (!failed && !llvm::isPowerOf2_64(value))
      refuse(field, value) << "a power of 2";
    return *this;
  }
  FieldChecks &multipleOf(StringRef field, int64_t value, int64_t unit,
                          int64_t most) {
    within(field, value, unit, most);
    if (!failed && value % unit != 0)
      refuse(field, value) << "a multiple of " << unit;
    return *this;
  }
  LogicalResult result() const { return failure(failed); }

private:
  InFlightDiagnostic refuse(StringRef field, int64_t value) {
    if (failed)
      return {}; // one error for an attribute
    failed = true;
    InFlightDiagnostic error = emitError();
    error << "#tc." << mnemonic << " field " << field << " is " << value
          << "; expected ";
    return error;
  }

  EmitError emitError;
  StringRef mnemonic;
  bool failed = false;
};
} // namespace

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
                                          int64_t blockRows,
                                          int64_t blockLanes) {
  FieldChecks checks(emitError, getMnemonic());
  for (auto [field, value] :
       {std::pair("rows", rows), std::pair("lanes", lanes),
        std::pair("reduced", reduced), std::pair("block_rows", blockRows),
        std::pair("block_lanes", blockLanes)})
    checks.within(field, value, 1, kMostTilePoints);
  return checks.result();
}

LogicalResult ContractionScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth,
    ContractionTileAttr tile, int64_t fewBelow, ContractionTileAttr fewTile,
    int64_t pointsBelow, int64_t taskMultiplyAdds, int64_t stackMultiplyAdds) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1, kMostVectorWidth)
      .within("few_below", fewBelow, 0, kNoLimit)
      .within("points_below", pointsBelow, 0, kNoLimit)
      .within("task_multiply_adds", taskMultiplyAdds, 1, kMostMultiplyAdds)
      .within("stack_multiply_adds", stackMultiplyAdds, 1, kMostMultiplyAdds);
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

LogicalResult GPULoopScheduleAttr::verify(EmitError emitError,
                                          int64_t vectorDim, int64_t threads) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, -1, kNoLimit)
      .powerOf2("threads", threads, kWarpThreads, kMostThreads);
  return checks.result();
}

LogicalResult GPUScanScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t segments) {
  FieldChecks checks(emitError, getMnemonic());
  return checks.powerOf2("threads", threads, kWarpThreads, kMostThreads)
      .within("segments", segments, 1, kMostParts)
      .result();
}

LogicalResult GPUSortScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t tile) {
  FieldChecks checks(emitError, getMnemonic());
  return checks.powerOf2("threads", threads, kWarpThreads, kMostThreads)
      .powerOf2("tile", tile, 2, kMostSortTile)
      .result();
}

LogicalResult GPUScatterScheduleAttr::verify(EmitError emitError,
                                             int64_t threads, int64_t strips,
                                             bool) {
  FieldChecks checks(emitError, getMnemonic());
  return checks.powerOf2("threads", threads, kWarpThreads, kMostThreads)
      .powerOf2("strips", strips, 1, kMostParts)
      .result();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult verifyDim(KernelOp kernel, StringRef mnemonic,
                               int64_t dim) {
  if (dim < static_cast<int64_t>(kernel.getNumDims()))
    return success();
  return kernel.emitOpError("has a #tc.")
         << mnemonic << " with vector_dim " << dim << "; expected one of its "
         << kernel.getNumDims() << " dimensions";
}

static LogicalResult refuseClass(KernelOp kernel, StringRef mnemonic,
                                 StringRef expected) {
  return kernel.emitOpError("of class ")
         << stringifyKernelClass(kernel.getKernelClass()) << " has a #tc."
         << mnemonic << "; expected " << expected;
}

/// Whether the kernel is a sort or a routine.
static bool computesWhole(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock(),
                      [](Operation &op) { return isWholeStage(&op); });
}

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

LogicalResult GPULoopScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (computesWhole(kernel))
    return refuseClass(kernel, getMnemonic(),
                       "a #tc.gpu_sort_schedule for a sort, a "
                       "#tc.task_schedule for a routine");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPUScanScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getBodyBlock().getOps<ScanStageOp>().empty())
    return refuseClass(kernel, getMnemonic(), "a kernel with a scan");
  return success();
}

LogicalResult GPUSortScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getBodyBlock().getOps<SortStageOp>().empty())
    return refuseClass(kernel, getMnemonic(), "a kernel with a sort");
  return success();
}

LogicalResult GPUScatterScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (llvm::none_of(kernel.getBodyBlock().getOps<WriteOp>(),
                    [](WriteOp write) { return write.isScatter(); }))
    return refuseClass(kernel, getMnemonic(),
                       "a kernel with a write at indices or one that combines");
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
             getStackMultiplyAdds());
}

ContractionScheduleAttr
ContractionScheduleAttr::withPointsBelow(int64_t multiplyAdds) const {
  return get(getContext(), getVectorDim(), getVectorWidth(), getTile(),
             getFewBelow(), getFewTile(), multiplyAdds, getTaskMultiplyAdds(),
             getStackMultiplyAdds());
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

StringRef GPULoopScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPULoopScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getThreads());
}

StringRef GPUScanScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPUScanScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}

StringRef GPUSortScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPUSortScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}

StringRef GPUScatterScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPUScatterScheduleAttr::withVectorDim(int64_t) const {
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
