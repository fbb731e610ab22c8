//===- ScheduleVerification.cpp - Schedules that fit their kernel ---------===//

#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementDistance.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/TiledAttention.h"
#include "TC/Analysis/TiledTranspose.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

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
  constexpr int64_t kRegisterBits = 512;
  constexpr double kShortBody = 16, kLongBody = 512;
  double weight = 0;
  for (Operation &op : kernel.getBodyBlock())
    weight += getOperationWeight(&op);
  return kRegisterBits * (weight <= kShortBody  ? 32
                          : weight <= kLongBody ? 8
                                                : 4);
}

bool tc::readsApart(KernelOp kernel, unsigned dim) {
  return llvm::any_of(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
    auto apart = getElementDistance(
        cast<ShapedType>(read.getSource().getType()), read.getMap(), dim);
    return !read.getIndices().empty() || !apart ||
           (!apart->isConstant(0) && !apart->isConstant(1));
  });
}

int64_t tc::getMostLanes(KernelOp kernel, int64_t vectorDim) {
  int64_t most = getMostLaneBits(kernel) / getComputeBits(kernel);
  return vectorDim >= 0 && readsApart(kernel, vectorDim)
             ? std::min(most, kMostLanesApart)
             : most;
}

bool tc::fitsRegisters(KernelOp kernel, const ContractionRoles &roles,
                       ContractionScheduleAttr schedule) {
  int64_t width = schedule.getVectorWidth();
  auto tile = ContractionTile::get(schedule.getTile());
  tile.lanes = llvm::alignTo(tile.lanes, width);
  bool isOfTileRegisters = MachineModel::get(kernel).hasBF16Tiles &&
                           width == kTileRows && multipliesBF16(roles.stage) &&
                           fitsTileRegisters(tile);
  return isOfTileRegisters ||
         tile.rows * tile.lanes <= kMostAccumulators * width;
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
           << dim << ", where elements that are read lie apart";
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
  if (!fitsRegisters(kernel, *roles, schedule))
    return kernel.emitOpError("has a #tc.contraction_schedule with a tile of ")
           << schedule.getTile().getRows() << " rows and "
           << llvm::alignTo(schedule.getTile().getLanes(), width)
           << " lanes; expected accumulators in at most " << kMostAccumulators
           << " vector registers of vector_width " << width;
  return verifyLanes(kernel, schedule, width, /*unroll=*/1);
}

static LogicalResult verifyBody(KernelOp kernel,
                                AttentionScheduleAttr schedule) {
  auto parts = TiledAttention::find(kernel, KernelDims(kernel));
  if (!parts)
    return kernel.emitOpError(
        "has a #tc.attention_schedule, but is no attention of f32 scores with "
        "constant numbers of keys and columns; expected a #tc.loop_schedule");
  int64_t scratch = parts->getScratch(schedule);
  if (scratch > TiledAttention::kMostScratch)
    return kernel.emitOpError("has a #tc.attention_schedule with rows ")
           << schedule.getRows() << " and key_lanes " << schedule.getKeyLanes()
           << ", which take " << scratch
           << " elements of a thread's stack; expected at most "
           << TiledAttention::kMostScratch;
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

LogicalResult tc::verifySchedule(KernelOp kernel,
                                 ScheduleAttrInterface schedule) {
  if (failed(schedule.verifyFor(kernel)))
    return failure();
  StringRef kind = getTargetKind(kernel);
  if (schedule.getDeviceKind() != kind)
    return kernel.emitOpError("has the schedule ")
           << Attribute(schedule) << " for " << schedule.getDeviceKind()
           << "; expected one for " << kind << ", the module's target";
  return llvm::TypeSwitch<Attribute, LogicalResult>(schedule)
      .Case<LoopScheduleAttr, ContractionScheduleAttr, AttentionScheduleAttr,
            TransposeScheduleAttr>(
          [&](auto typed) { return verifyBody(kernel, typed); })
      .Default(success());
}
