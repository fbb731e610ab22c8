//===- ScheduleVerification.cpp - Schedules that fit their kernel ---------===//

#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/LibraryProduct.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/RowCopies.h"
#include "TC/Analysis/SharedMemoryRows.h"
#include "TC/Analysis/TiledAttention.h"
#include "TC/Analysis/TiledTranspose.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

/// Bits of the largest register that a CPU has for lanes.
static constexpr int64_t kMostRegisterBits = 512;

int64_t tc::getComputeBits(KernelOp kernel) {
  int64_t bits = 8;
  for (Operation &op : kernel.getBodyBlock())
    for (Type type : op.getResultTypes())
      if (isa<FloatType>(type))
        bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
  // Integers only: as the buffers' elements.
  if (bits == 8)
    for (Value operand : kernel.getOperands())
      bits = std::max<int64_t>(
          bits, getElementBytes(
                    cast<ShapedType>(operand.getType()).getElementType()) *
                    8);
  return bits;
}

int64_t tc::getMostLaneBits(KernelOp kernel) {
  constexpr double kShortBody = 16, kLongBody = 512;
  double weight = 0;
  for (Operation &op : kernel.getBodyBlock())
    weight += getOperationWeight(&op);
  return kMostRegisterBits * (weight <= kShortBody  ? 32
                              : weight <= kLongBody ? 8
                                                    : 4);
}

bool tc::hasStridedRead(KernelOp kernel, unsigned dim) {
  return llvm::any_of(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
    auto stride = getElementStride(cast<ShapedType>(read.getSource().getType()),
                                   read.getMap(), dim);
    return !read.getIndices().empty() || !stride ||
           (!stride->isConstant(0) && !stride->isConstant(1));
  });
}

int64_t tc::getMostLanes(KernelOp kernel, int64_t vectorDim) {
  int64_t most = getMostLaneBits(kernel) / getComputeBits(kernel);
  return vectorDim >= 0 && hasStridedRead(kernel, vectorDim)
             ? std::min(most, kMostGatheredLanes)
             : most;
}

/// Code, and the time to compile it, are in proportion to the registers of the
/// CPU that the accumulators take, which wide vectors have several of each.
static bool fitsRegisters(KernelOp kernel, const ContractionRoles &roles,
                          ContractionTileAttr attribute, int64_t width) {
  auto tile = ContractionTile::get(attribute);
  if (tile.sumsVectors() && tile.lanes > width)
    return false;
  if (!tile.sumsVectors())
    tile.lanes = llvm::alignTo(tile.lanes, width);
  bool isOfTileRegisters = MachineModel::get(kernel).hasBF16Tiles &&
                           width == kTileRows && multipliesBF16(roles.stage) &&
                           fitsTileRegisters(tile);
  int64_t bits = roles.stage->getResult(0).getType().getIntOrFloatBitWidth();
  int64_t lanes = std::min(width, kMostRegisterBits / bits);
  return isOfTileRegisters ||
         tile.countAccumulators(width) * width <= kMostAccumulators * lanes;
}

bool tc::fitsRegisters(KernelOp kernel, const ContractionRoles &roles,
                       ContractionScheduleAttr schedule) {
  int64_t width = schedule.getVectorWidth();
  ContractionTileAttr few = schedule.getFewTile();
  return ::fitsRegisters(kernel, roles, schedule.getTile(), width) &&
         (!few || ::fitsRegisters(kernel, roles, few, width));
}

/// What is computed in vectors of `width` lanes, `unroll` together: code is in
/// proportion to both.
static LogicalResult verifyLanes(KernelOp kernel,
                                 ScheduleAttrInterface schedule, int64_t width,
                                 int64_t unroll) {
  int64_t bits = getComputeBits(kernel), most = getMostLaneBits(kernel);
  if (width * unroll * bits > most)
    return kernel.emitOpError("has a schedule with vector_width ")
           << width << " and unroll " << unroll << " of " << bits
           << "-bit elements; expected at most " << most
           << " bits together for a body of this length";
  int64_t dim = schedule.getVectorDim(), lanes = width * unroll,
          mostLanes = getMostLanes(kernel, dim);
  if (lanes > mostLanes)
    return kernel.emitOpError("has a schedule with vector_width ")
           << width << " and unroll " << unroll << ", " << lanes
           << " lanes; expected at most " << mostLanes << " along vector_dim "
           << dim << ", where a read has another stride than 0 or 1";
  return success();
}

static LogicalResult verifyBody(KernelOp kernel, LoopScheduleAttr schedule) {
  int64_t dim = schedule.getVectorDim();
  if (dim >= 0 && !mayHoldLanes(kernel, dim))
    return kernel.emitOpError("has a #tc.loop_schedule with vector_dim ")
           << dim
           << "; expected -1, or a dimension along which nothing is scanned "
              "and "
              "no two points are written to one element";
  return verifyLanes(kernel, schedule, schedule.getVectorWidth(),
                     schedule.getUnroll());
}

static LogicalResult verifyBody(KernelOp kernel,
                                ContractionScheduleAttr schedule) {
  auto roles = ContractionRoles::find(kernel, KernelDims(kernel),
                                      schedule.getVectorDim());
  if (!roles)
    return kernel.emitOpError("has a #tc.contraction_schedule with vector_dim ")
           << schedule.getVectorDim()
           << "; expected a dimension of the results of its only contraction, "
              "along which one operand varies and the other does not";
  int64_t width = schedule.getVectorWidth();
  for (auto [field, tile] : {std::pair("tile", schedule.getTile()),
                             std::pair("few_tile", schedule.getFewTile())})
    if (tile && !fitsRegisters(kernel, *roles, tile, width)) {
      bool sumsVectors = ContractionTile::get(tile).sumsVectors();
      return kernel.emitOpError("has a #tc.contraction_schedule with a ")
             << field << " of " << tile.getRows() << " rows and "
             << (sumsVectors ? tile.getLanes()
                             : llvm::alignTo(tile.getLanes(), width))
             << (sumsVectors ? " lanes, which sum vectors; expected no more "
                               "lanes than vector_width, and "
                             : " lanes; expected ")
             << "accumulators in at most " << kMostAccumulators
             << " vector registers of vector_width " << width
             << ", each of at most " << kMostRegisterBits << " bits";
    }
  return verifyLanes(kernel, schedule, width, /*unroll=*/1);
}

static LogicalResult verifyBody(KernelOp kernel,
                                AttentionScheduleAttr schedule) {
  auto parts = TiledAttention::find(kernel, KernelDims(kernel));
  if (!parts)
    return kernel.emitOpError(
        "has a #tc.attention_schedule, but is no attention of f32 scores with "
        "constant numbers of keys and columns; expected a #tc.loop_schedule");
  MachineModel machine = MachineModel::get(kernel);
  MultiplyAddKind kind = schedule.getMultiplyAdds();
  if (!mayMultiplyBy(*parts, kind, machine))
    return kernel.emitOpError(
               "has a #tc.attention_schedule with multiply_adds ")
           << stringifyMultiplyAddKind(kind)
           << "; expected vector, unless both contractions multiply bf16 along "
              "one dimension and the target has "
           << (kind == MultiplyAddKind::AMX ? "AMX-BF16" : "AVX512-BF16");
  if (!planAttention(kernel, *parts, schedule, machine))
    return kernel.emitOpError("has a #tc.attention_schedule with rows ")
           << schedule.getRows() << ", of which the scores of "
           << parts->keyCount
           << " keys or the packed values are larger than a thread's stack; "
              "expected fewer rows or multiply_adds vector";
  return success();
}

static LogicalResult verifyBody(KernelOp kernel,
                                TransposeScheduleAttr schedule) {
  auto roles =
      TiledTranspose::find(kernel, KernelDims(kernel), schedule.getVectorDim());
  if (!roles)
    return kernel.emitOpError("has a #tc.transpose_schedule with vector_dim ")
           << schedule.getVectorDim()
           << "; expected a dimension along which all writes are contiguous "
              "and a read is not";
  if (roles->pairDim && schedule.getNontemporal())
    return kernel.emitOpError("has a #tc.transpose_schedule with nontemporal "
                              "true; expected false where pairs are copied");
  return verifyLanes(kernel, schedule, schedule.getVectorWidth(),
                     /*unroll=*/1);
}

/// Threads share a row: it must not be scanned, and no two of its points may
/// meet at one element.
static LogicalResult verifyBody(KernelOp kernel, GPULoopScheduleAttr schedule) {
  int64_t dim = schedule.getVectorDim();
  if (dim >= 0 && !mayHoldLanes(kernel, dim))
    return kernel.emitOpError("has a #tc.gpu_loop_schedule with vector_dim ")
           << dim
           << "; expected -1, or a dimension along which nothing is scanned "
              "and no two points are written to one element";
  return success();
}

static LogicalResult verifyBody(KernelOp kernel, GPUScanScheduleAttr schedule) {
  if (!mayScanInBlocks(kernel))
    return kernel.emitOpError("has a #tc.gpu_scan_schedule, but scans along "
                              "several dimensions or writes at indices; "
                              "expected a #tc.gpu_loop_schedule");
  if (schedule.getSegments() > 1 && !mayScanInSegments(kernel))
    return kernel.emitOpError("has a #tc.gpu_scan_schedule with segments ")
           << schedule.getSegments()
           << "; expected 1 for a kernel that has several scans, folds, or "
              "writes that do not vary over all dimensions";
  return success();
}

/// Of a #tc.gpu_row_schedule or a #tc.gpu_column_schedule.
template <typename Schedule>
static LogicalResult verifyFolds(KernelOp kernel, Schedule schedule) {
  if (schedule.getBlocks() == 0 || mayFoldInParts(kernel))
    return success();
  return kernel.emitOpError("has a #tc.")
         << schedule.getMnemonic() << " with blocks " << schedule.getBlocks()
         << "; expected 0 where a fold needs the result of another one or is "
            "over other dimensions, or what is written varies over them";
}

static LogicalResult verifyBody(KernelOp kernel, GPURowScheduleAttr schedule) {
  if (!schedule.getShared())
    return verifyFolds(kernel, schedule);
  auto fail = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("has a #tc.")
           << schedule.getMnemonic() << " with shared true, ";
  };
  if (!kernel.getDimSize(unsigned(schedule.getVectorDim())).isConstant())
    return fail() << "but rows whose length is not constant; expected false";
  RowCopies copies(kernel, schedule);
  if (!copies.isComplete)
    return fail() << "but reads along its rows that are no aligned vectors of "
                     "4, 8 or 16 bytes; expected false";
  int64_t most = getRoomForRows(MachineModel::get(kernel).blockSharedBytes);
  if (int64_t bytes = copies.getBytes(schedule); bytes > most)
    return fail() << "whose rows take " << bytes
                  << " bytes of shared memory; expected at most " << most
                  << ", or false";
  return success();
}

static LogicalResult verifyBody(KernelOp kernel,
                                GPUSharedMemoryRowScheduleAttr schedule) {
  auto fail = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("has a #tc.") << schedule.getMnemonic() << ", ";
  };
  if (!MachineModel::get(kernel).hasBulkCopies)
    return fail() << "but the target is before sm_90; expected a "
                     "#tc.gpu_row_schedule";
  auto rows = SharedMemoryRows::find(kernel, unsigned(schedule.getVectorDim()));
  if (!rows)
    return fail() << "but is more than folds along a row and values along "
                     "it, or reads no row at a constant stride of at most "
                  << SharedMemoryRows::kMostStride
                  << "; expected a #tc.gpu_row_schedule";
  auto bytes = rows->getArea(kernel, schedule.getRows()).getConstant();
  if (bytes && *bytes > schedule.getBytes())
    return fail() << "whose rows take " << *bytes << " bytes; expected at most "
                  << schedule.getBytes();
  return success();
}

static LogicalResult verifyBody(KernelOp kernel,
                                GPUColumnScheduleAttr schedule) {
  return verifyFolds(kernel, schedule);
}

static LogicalResult verifyBody(KernelOp kernel,
                                GPUScatterScheduleAttr schedule) {
  if (!getScannedDims(kernel).none())
    return kernel.emitOpError("has a #tc.gpu_scatter_schedule, but scans; "
                              "expected a #tc.gpu_loop_schedule");
  if (schedule.getAtomic() && !mayCombineAtomically(kernel))
    return kernel.emitOpError(
        "has a #tc.gpu_scatter_schedule with atomic true; expected false where "
        "a write multiplies, combines elements of other types than f32, f64, "
        "i32 "
        "and i64, or is not alone in its buffer");
  if (schedule.getVectorDim() >= 0 &&
      !mayScatterColumns(kernel, unsigned(schedule.getVectorDim())))
    return kernel.emitOpError("has a #tc.gpu_scatter_schedule with vector_dim ")
           << schedule.getVectorDim()
           << "; expected -1 where that is no dimension of every write, an "
              "index varies along it, or a write has a set of points";
  return success();
}

/// Whether the target has the `library`, and the schedule says of what the
/// library computes what it is, as `found`.
template <typename Schedule, typename Found>
static LogicalResult verifyLibrary(KernelOp kernel, Schedule schedule,
                                   StringRef library,
                                   llvm::Expected<Found> found) {
  if (!hasLibrary(kernel->getParentOfType<ModuleOp>(), schedule.getLibrary())) {
    llvm::consumeError(found.takeError());
    return kernel.emitOpError("has a #tc.")
           << Schedule::getMnemonic() << " for " << library
           << "; expected a module whose " << kLibrariesAttr
           << " has it, or another schedule";
  }
  if (!found)
    return kernel.emitOpError("has a #tc.")
           << Schedule::getMnemonic() << ", but "
           << llvm::toString(found.takeError())
           << "; expected a #tc.gpu_loop_schedule";
  Schedule expected = found->schedule.withWorkspace(schedule.getWorkspace());
  if (schedule == expected)
    return success();
  return kernel.emitOpError("has the schedule ")
         << Attribute(schedule) << "; expected " << Attribute(expected)
         << ", as its body is";
}

static LogicalResult verifyBody(KernelOp kernel, LibraryScheduleAttr schedule) {
  return verifyLibrary(kernel, schedule,
                       stringifyLibraryKind(schedule.getLibrary()),
                       LibraryProduct::find(kernel));
}

static LogicalResult verifyBody(KernelOp kernel,
                                ConvolutionLibraryScheduleAttr schedule) {
  return verifyLibrary(kernel, schedule,
                       stringifyConvolutionLibraryKind(schedule.getLibrary()),
                       LibraryConvolution::find(kernel));
}

bool tc::mayScanInBlocks(KernelOp kernel) {
  return getScannedDims(kernel).count() == 1 &&
         llvm::none_of(kernel.getBodyBlock().getOps<WriteOp>(),
                       [](WriteOp write) { return write.isScatter(); });
}

bool tc::mayScanInSegments(KernelOp kernel) {
  KernelDims dims(kernel);
  Block &body = kernel.getBodyBlock();
  DimSet all = getOuterDims(kernel, dims) | getScannedDims(kernel);
  return mayScanInBlocks(kernel) && all.all() &&
         llvm::hasSingleElement(body.getOps<ScanStageOp>()) &&
         llvm::none_of(body,
                       [](Operation &op) {
                         return isa<ReduceStageOp, ContractStageOp>(op);
                       }) &&
         llvm::all_of(body.getOps<WriteOp>(),
                      [&](WriteOp write) { return dims.ofWrite(write).all(); });
}

/// Whether the hardware combines an element of `type` so in one operation.
static bool isAtomic(CombineKind kind, Type type) {
  bool isWide =
      type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64;
  if (kind == CombineKind::Max || kind == CombineKind::Min)
    return isa<IntegerType>(type) && isWide;
  return kind == CombineKind::Sum && isWide &&
         isa<IntegerType, FloatType>(type);
}

bool tc::mayCombineAtomically(KernelOp kernel) {
  return llvm::all_of(kernel.getBodyBlock().getOps<WriteOp>(),
                      [](WriteOp write) {
                        Type type = write.getValue().getType();
                        return !write.isScatter() ||
                               ((write.getCombine() == CombineKind::Replace ||
                                 (!isa<ComplexType>(type) &&
                                  isAtomic(write.getCombine(), type))) &&
                                write.getDestination().hasOneUse());
                      });
}

bool tc::mayScatterColumns(KernelOp kernel, unsigned dim) {
  KernelDims dims(kernel);
  return getOuterDims(kernel, dims).test(dim) &&
         llvm::all_of(
             kernel.getBodyBlock().getOps<WriteOp>(), [&](WriteOp write) {
               return !write.getWithin() &&
                      llvm::none_of(write.getIndices(), [&](Value index) {
                        return dims.of(index).test(dim);
                      });
             });
}

LogicalResult tc::verifySchedule(KernelOp kernel,
                                 ScheduleAttrInterface schedule) {
  if (failed(schedule.verifyFor(kernel)))
    return failure();
  StringRef kind = getTargetKind(kernel);
  // Routines run on the host, whatever the target.
  bool isRoutine = isa<TaskScheduleAttr>(schedule) &&
                   !kernel.getBodyBlock().getOps<RoutineStageOp>().empty();
  if (schedule.getDeviceKind() != kind && !isRoutine)
    return kernel.emitOpError("has the schedule ")
           << Attribute(schedule) << " for " << schedule.getDeviceKind()
           << "; expected one for " << kind << ", the module's target";
  return llvm::TypeSwitch<Attribute, LogicalResult>(schedule)
      .Case<LoopScheduleAttr, ContractionScheduleAttr, AttentionScheduleAttr,
            TransposeScheduleAttr, GPULoopScheduleAttr, GPUScanScheduleAttr,
            GPUScatterScheduleAttr, GPURowScheduleAttr,
            GPUSharedMemoryRowScheduleAttr, GPUColumnScheduleAttr,
            LibraryScheduleAttr, ConvolutionLibraryScheduleAttr>(
          [&](auto typed) { return verifyBody(kernel, typed); })
      .Default(success());
}
