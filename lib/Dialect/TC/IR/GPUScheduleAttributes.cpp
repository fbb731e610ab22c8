//===- GPUScheduleAttributes.cpp - Schedules of the tc dialect for GPUs ---===//

#include "ScheduleFields.h"
#include "TC/Dialect/TC/IR/Warp.h"

using namespace mlir;
using namespace tc;

/// Most threads of a block, and most blocks of a cluster that every device with
/// clusters has.
static constexpr int64_t kMostThreads = 1024, kMostClusterBlocks = 8;
/// Most points of a thread's vector, vectors that it loads together, and
/// vectors of a row that it holds: two registers for each of 32 vectors of 16
/// bytes are those that a thread has.
static constexpr int64_t kMostThreadLanes = 16, kMostUnits = 16,
                         kMostRowUnits = 32;
/// Points of a row in shared memory that a thread computes together, and bytes
/// of the rows: the most is what every kernel may have.
static constexpr int64_t kMostSharedRowUnits = 64, kLeastRowBytes = 1024,
                         kMostRowBytes = 48 * 1024;
/// A tile of 128 by 128 points of 8 bytes takes half of the shared memory that
/// a block may have.
static constexpr int64_t kLeastTransposeTile = 16, kMostTransposeTile = 128;
/// Most segments of a row and strips of destinations on a GPU, and most blocks
/// that share folds: there is a counter for every two of them (TC_COUNTERS).
static constexpr int64_t kMostParts = 1024, kMostFoldBlocks = 4096;
/// Elements, each a value and a place of 8 bytes, that fit into the 48 KiB of
/// shared memory that every kernel may have.
static constexpr int64_t kMostSortTile = 2048;
/// Shared memory of a block, and bytes of the barriers of a stage in it.
static constexpr int64_t kSharedBytes = 227 * 1024, kBarriersBytes = 16;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

LogicalResult GPULoopScheduleAttr::verify(EmitError emitError,
                                          int64_t vectorDim,
                                          int64_t vectorWidth, int64_t units,
                                          bool /*peel*/, int64_t threads) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, -1, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1,
                vectorDim < 0 ? 1 : kMostThreadLanes)
      .within("units", units, 1, kMostUnits)
      .powerOf2("threads", threads, kWarpThreads, kMostThreads);
  return checks.result();
}

LogicalResult GPURowScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth, int64_t units,
    bool held, bool packed, int64_t threads, int64_t rows, int64_t cluster,
    bool fitsThreads, int64_t blocks, bool shared, bool evictLast) {
  FieldChecks checks(emitError, getMnemonic());
  bool hasOneRow = cluster > 1 || fitsThreads || blocks > 0;
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1, kMostThreadLanes)
      .within("units", units, 1, kMostRowUnits)
      .within("packed", packed, 0, held)
      .powerOf2("threads", threads, 1, kMostThreads)
      .powerOf2("rows", rows, std::max<int64_t>(1, kWarpThreads / threads),
                hasOneRow ? 1 : kMostThreads / threads)
      .powerOf2("cluster", cluster, 1,
                fitsThreads || blocks > 0 ? 1 : kMostClusterBlocks)
      .within("fits_threads", fitsThreads, 0, held)
      .within("blocks", blocks, 0, held ? 0 : kMostFoldBlocks)
      .within("shared", shared, 0, packed && !fitsThreads)
      .within("evict_last", evictLast, 0, held);
  return checks.result();
}

LogicalResult
GPUSharedMemoryRowScheduleAttr::verify(EmitError emitError, int64_t vectorDim,
                                       int64_t units, bool, int64_t threads,
                                       int64_t rows, int64_t bytes) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .within("units", units, 1, kMostSharedRowUnits)
      .powerOf2("threads", threads, 1, kMostThreads)
      .powerOf2("rows", rows, std::max<int64_t>(1, kWarpThreads / threads),
                kMostThreads / threads)
      .within("bytes", bytes, kLeastRowBytes, kMostRowBytes);
  return checks.result();
}

LogicalResult GPUColumnScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth, int64_t units,
    int64_t columnThreads, int64_t rowThreads, int64_t blocks) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("vector_width", vectorWidth, 1, kMostThreadLanes)
      .within("units", units, 1, kMostUnits)
      .powerOf2("column_threads", columnThreads, 1, kMostThreads)
      .powerOf2("row_threads", rowThreads,
                std::max<int64_t>(1, kWarpThreads / columnThreads),
                kMostThreads / columnThreads)
      .within("blocks", blocks, 0, kMostFoldBlocks);
  return checks.result();
}

LogicalResult GPUTransposeScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t vectorWidth, int64_t tile,
    int64_t rows, int64_t threads, bool /*asyncCopy*/) {
  FieldChecks checks(emitError, getMnemonic());
  // Every thread has a vector of the tile, and they have whole rows of vectors.
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .powerOf2("tile", tile, kLeastTransposeTile, kMostTransposeTile)
      .powerOf2("rows", rows, kLeastTransposeTile, kMostTransposeTile)
      .powerOf2("vector_width", vectorWidth, 1,
                std::min(kMostThreadLanes, tile * rows / kWarpThreads));
  int64_t vectors = tile / std::max<int64_t>(vectorWidth, 1);
  checks.powerOf2("threads", threads, std::max(kWarpThreads, vectors),
                  std::min(kMostThreads, vectors * rows));
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
                                             int64_t vectorDim, int64_t threads,
                                             int64_t strips, bool atomic) {
  FieldChecks checks(emitError, getMnemonic());
  if (vectorDim >= 0 && atomic)
    return emitError() << "#tc." << getMnemonic()
                       << " has vector_dim and atomic; expected one of them at "
                          "most";
  return checks.within("vector_dim", vectorDim, -1, kNoLimit)
      .powerOf2("threads", threads, kWarpThreads, kMostThreads)
      .powerOf2("strips", strips, 1, kMostParts)
      .result();
}

/// The copy engine stores nothing of products of warps.
static LogicalResult refuseAsyncStore(EmitError emitError, StringRef mnemonic) {
  return emitError() << "#tc." << mnemonic
                     << " has async_store and warp_products; expected one of "
                        "them at most";
}

int64_t GPUContractionScheduleAttr::getMostStages(int64_t bytes, int64_t rows,
                                                  int64_t lanes,
                                                  bool asyncStore,
                                                  int64_t splits) {
  // Results and sums begin at a multiple of 1024 bytes behind the barriers.
  constexpr int64_t kAlignment = 1024;
  if (asyncStore)
    bytes -= rows * kStoreBytes + kAlignment;
  if (splits > 1)
    bytes -= rows * lanes * kSumBytes + kAlignment;
  return bytes / ((rows + lanes) * kRowBytes + kBarriersBytes);
}

int64_t GPUContractionScheduleAttr::getGroupRows() const {
  // A warp that multiplies two tiles of 16 rows by each column that it reads
  // reads half as much of shared memory.
  constexpr int64_t kRows = 64, kMostWarpRows = 128;
  return getWarpProducts() ? std::min(getRows(), kMostWarpRows) : kRows;
}

LogicalResult GPUContractionScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t rows, int64_t lanes,
    int64_t stages, int64_t blocks, int64_t group, bool asyncStore,
    int64_t cluster, int64_t splits, int64_t tailBlocks,
    int64_t producerRegisters, int64_t promotion, bool warpProducts,
    int64_t epilogueParts) {
  constexpr int64_t kMostSteps = 65536, kPromotedLanes = 192, kRegisterUnit = 8,
                    kMostRegisters = 168, kGroupRows = 64, kMostRows = 128,
                    kMostWarpRows = 256, kLaneUnit = 8, kStoredLanes = 32,
                    kMostLanes = 256, kMostWarpLanes = 128,
                    kPromotedWarpLanes = 64, kLeastStages = 2,
                    kMostBlocks = 65536, kMostCluster = 2, kMostSplits = 8,
                    kMostTailBlocks = 8192, kMostEpilogueParts = 2;
  FieldChecks checks(emitError, getMnemonic());
  checks.within("vector_dim", vectorDim, 0, kNoLimit)
      .within("cluster", cluster, 1, warpProducts ? 1 : kMostCluster)
      .powerOf2("splits", splits, 1,
                asyncStore || cluster > 1 || warpProducts ? 1 : kMostSplits);
  if (warpProducts)
    checks.powerOf2("rows", rows, kGroupRows, kMostWarpRows);
  else
    checks.multipleOf("rows", rows, kGroupRows, kMostRows);
  if (failed(checks.result()))
    return failure();
  if (warpProducts && asyncStore)
    return refuseAsyncStore(emitError, getMnemonic());
  int64_t mostLanes = promotion > 0 ? kPromotedLanes : kMostLanes;
  if (warpProducts && rows > kGroupRows)
    mostLanes = promotion > 0 ? kPromotedWarpLanes : kMostWarpLanes;
  checks.multipleOf("lanes", lanes,
                    asyncStore ? kStoredLanes : kLaneUnit * cluster * splits,
                    mostLanes);
  if (failed(checks.result()))
    return failure();
  return checks.within("promotion", promotion, 0, kMostSteps)
      .within("stages", stages, kLeastStages,
              getMostStages(kSharedBytes, rows, lanes, asyncStore, splits))
      .multipleOf("blocks", blocks, cluster, kMostBlocks)
      .multipleOf(
          "tail_blocks", tailBlocks, cluster,
          splits > 1 || warpProducts ? 0 : std::min(blocks, kMostTailBlocks),
          /*least=*/0)
      .within("group", group, 1, kMostBlocks)
      .within("epilogue_parts", epilogueParts, 1,
              asyncStore ? kMostEpilogueParts : 1)
      .multipleOf("producer_registers", producerRegisters, kRegisterUnit,
                  kMostRegisters, kCopyingRegisters)
      .result();
}

LogicalResult GPUAttentionScheduleAttr::verify(
    EmitError emitError, int64_t vectorDim, int64_t rows, int64_t keys,
    int64_t stages, int64_t blocks, bool asyncStore, int64_t splits,
    int64_t resident, bool warpProducts, int64_t queryStages) {
  constexpr int64_t kMostQueryStages = 2, kMostResident = 2, kGroupRows = 64,
                    kMostRows = 192, kMostWarpRows = 128, kKeyUnit = 16,
                    kMostKeys = 256, kMostWarpKeys = 128, kLeastStages = 2,
                    kMostStages = 8, kMostBlocks = 65536, kMostSplits = 8;
  if (warpProducts && asyncStore)
    return refuseAsyncStore(emitError, getMnemonic());
  const bool mayShare = !asyncStore && blocks == 0 && !warpProducts;
  return FieldChecks(emitError, getMnemonic())
      .within("vector_dim", vectorDim, 0, kNoLimit)
      .multipleOf("rows", rows, kGroupRows,
                  warpProducts ? kMostWarpRows : kMostRows)
      .multipleOf("keys", keys, kKeyUnit,
                  warpProducts ? kMostWarpKeys : kMostKeys)
      .within("stages", stages, kLeastStages, kMostStages)
      .within("blocks", blocks, 0, warpProducts ? 0 : kMostBlocks)
      .powerOf2("splits", splits, 1, mayShare ? kMostSplits : 1)
      .within("resident", resident, 1, rows > kGroupRows ? 1 : kMostResident)
      .within("query_stages", queryStages, 1, blocks > 0 ? kMostQueryStages : 1)
      .result();
}

LogicalResult GPUAttentionBackwardScheduleAttr::verify(EmitError emitError,
                                                       int64_t queries,
                                                       int64_t stages,
                                                       int64_t group,
                                                       int64_t blocks) {
  constexpr int64_t kGroupRows = 64, kMostQueries = 128, kLeastStages = 2,
                    kMostStages = 8, kMostBlocks = 65536;
  return FieldChecks(emitError, getMnemonic())
      .multipleOf("queries", queries, kGroupRows, kMostQueries)
      .within("stages", stages, kLeastStages, kMostStages)
      .within("group", group, 1, kNoLimit)
      .within("blocks", blocks, 0, kMostBlocks)
      .result();
}

LogicalResult LibraryScheduleAttr::verify(EmitError emitError, LibraryKind,
                                          int64_t a, int64_t b, bool, bool,
                                          int64_t bias, ProductActivation,
                                          FloatAttr scale, int64_t workspace) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("a", a, 0, kNoLimit)
      .within("b", b, 0, kNoLimit)
      .within("bias", bias, -1, kNoLimit)
      .multipleOf("workspace", workspace, kLibraryAlignment, kMostLibraryBytes,
                  /*least=*/0);
  if (failed(checks.result()) || !scale || scale.getType().isF32())
    return checks.result();
  return emitError() << "#tc." << getMnemonic() << " field scale is " << scale
                     << "; expected an f32";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPURowScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (failed(verifyDim(kernel, getMnemonic(), getVectorDim())))
    return failure();
  auto size = kernel.getDimSize(getVectorDim()).getConstant();
  int64_t held = getVectorWidth() * getUnits() * getThreads() * getCluster();
  if (!getHeld() || !size || *size <= held)
    return success();
  return kernel.emitOpError("has a #tc.")
         << getMnemonic() << " that holds " << held
         << " points of a row; expected a size of dimension " << getVectorDim()
         << " of at most so many, or held = false";
}

LogicalResult GPUSharedMemoryRowScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (failed(verifyDim(kernel, getMnemonic(), getVectorDim())))
    return failure();
  auto size = kernel.getDimSize(getVectorDim()).getConstant();
  int64_t held = getUnits() * getThreads();
  if (!getHeld() || (size && *size <= held))
    return success();
  return kernel.emitOpError("has a #tc.")
         << getMnemonic() << " that holds " << held
         << " points of a row; expected a constant size of dimension "
         << getVectorDim() << " of at most so many, or held = false";
}

LogicalResult GPUColumnScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::ColumnReduction)
    return refuseClass(kernel, getMnemonic(),
                       "a kernel of class column_reduction");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPUTransposeScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Transpose &&
      kernel.getKernelClass() != KernelClass::Pointwise)
    return refuseClass(kernel, getMnemonic(),
                       "a kernel of class transpose or pointwise");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPUContractionScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Contraction)
    return refuseClass(kernel, getMnemonic(), "a kernel of class contraction");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPUAttentionScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Attention)
    return refuseClass(kernel, getMnemonic(), "a kernel of class attention");
  return verifyDim(kernel, getMnemonic(), getVectorDim());
}

LogicalResult GPUAttentionBackwardScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getBodyBlock().getOps<AttentionBackwardStageOp>().empty())
    return refuseClass(kernel, getMnemonic(),
                       "a kernel with a tc.attention_backward_stage");
  return success();
}

LogicalResult LibraryScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Contraction)
    return refuseClass(kernel, getMnemonic(), "a kernel of class contraction");
  return success();
}

//===----------------------------------------------------------------------===//
// Other lanes
//===----------------------------------------------------------------------===//

StringRef GPULoopScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPULoopScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, dim < 0 ? 1 : getVectorWidth(), getUnits(),
             getPeel(), getThreads());
}

StringRef GPURowScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPURowScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getUnits(), getHeld(),
             getPacked(), getThreads(), getRows(), getCluster(),
             getFitsThreads(), getBlocks(), getShared(), getEvictLast());
}
GPURowScheduleAttr GPURowScheduleAttr::withEvictLast() const {
  return get(getContext(), getVectorDim(), getVectorWidth(), getUnits(),
             getHeld(), getPacked(), getThreads(), getRows(), getCluster(),
             getFitsThreads(), getBlocks(), getShared(), /*evictLast=*/true);
}

StringRef GPUSharedMemoryRowScheduleAttr::getDeviceKind() const {
  return "cuda";
}
ScheduleAttrInterface
GPUSharedMemoryRowScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getUnits(), getHeld(), getThreads(), getRows(),
             getBytes());
}

StringRef GPUColumnScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface GPUColumnScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getUnits(),
             getColumnThreads(), getRowThreads(), getBlocks());
}

StringRef GPUTransposeScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface
GPUTransposeScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getVectorWidth(), getTile(), getRows(),
             getThreads(), getAsyncCopy());
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
ScheduleAttrInterface GPUScatterScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getThreads(), getStrips(), getAtomic());
}

StringRef GPUContractionScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface
GPUContractionScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getRows(), getLanes(), getStages(), getBlocks(),
             getGroup(), getAsyncStore(), getCluster(), getSplits(),
             getTailBlocks(), getProducerRegisters(), getPromotion(),
             getWarpProducts(), getEpilogueParts());
}

StringRef GPUAttentionScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface
GPUAttentionScheduleAttr::withVectorDim(int64_t dim) const {
  return get(getContext(), dim, getRows(), getKeys(), getStages(), getBlocks(),
             getAsyncStore(), getSplits(), getResident(), getWarpProducts(),
             getQueryStages());
}

StringRef GPUAttentionBackwardScheduleAttr::getDeviceKind() const {
  return "cuda";
}
int64_t GPUAttentionBackwardScheduleAttr::getVectorDim() const { return -1; }
ScheduleAttrInterface
GPUAttentionBackwardScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}

StringRef LibraryScheduleAttr::getDeviceKind() const { return "cuda"; }
ScheduleAttrInterface LibraryScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}
LibraryScheduleAttr LibraryScheduleAttr::withWorkspace(int64_t bytes) const {
  return get(getContext(), getLibrary(), getA(), getB(), getTransposeA(),
             getTransposeB(), getBias(), getActivation(), getScale(), bytes);
}
