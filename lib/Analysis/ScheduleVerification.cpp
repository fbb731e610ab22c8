//===- ScheduleVerification.cpp - Schedules that fit their kernel ---------===//

#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementDistance.h"

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
  constexpr double kShortBody = 64, kLongBody = 512;
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
  // Elements that lie apart take code one by one; of 256 lanes LLVM takes ten
  // times as long as of 128.
  constexpr int64_t kMostLanesApart = 128;
  int64_t most = getMostLaneBits(kernel) / getComputeBits(kernel);
  return vectorDim >= 0 && readsApart(kernel, vectorDim)
             ? std::min(most, kMostLanesApart)
             : most;
}

LogicalResult tc::verifySchedule(KernelOp kernel, ScheduleAttr schedule) {
  int64_t rank = kernel.getNumDims();
  if (schedule.getVectorDim() < -1 || schedule.getVectorDim() >= rank)
    return kernel.emitOpError("has a schedule with vector_dim ")
           << schedule.getVectorDim() << "; expected -1 or one of its " << rank
           << " dimensions";
  if (schedule.getVectorDim() == -1 && schedule.getVectorWidth() != 1)
    return kernel.emitOpError("has a schedule with vector_width ")
           << schedule.getVectorWidth()
           << " and no vector_dim; expected vector_width 1";
  int64_t bits = getComputeBits(kernel), most = getMostLaneBits(kernel);
  if (schedule.getVectorWidth() * schedule.getUnroll() * bits > most)
    return kernel.emitOpError("has a schedule with vector_width ")
           << schedule.getVectorWidth() << " and unroll "
           << schedule.getUnroll() << " of " << bits
           << "-bit elements; expected at most " << most
           << " bits together for a body of this length";
  int64_t lanes = schedule.getVectorWidth() * schedule.getUnroll(),
          mostLanes = getMostLanes(kernel, schedule.getVectorDim());
  if (lanes > mostLanes)
    return kernel.emitOpError("has a schedule with vector_width ")
           << schedule.getVectorWidth() << " and unroll "
           << schedule.getUnroll() << ", " << lanes
           << " lanes; expected at most " << mostLanes << " along vector_dim "
           << schedule.getVectorDim()
           << ", where elements that are read lie apart";
  size_t expected = 0;
  switch (kernel.getKernelClass()) {
  case KernelClass::Contraction:
    expected = 5;
    break;
  case KernelClass::Attention:
  case KernelClass::Transpose:
    expected = 2;
    break;
  default:
    break;
  }
  if (!schedule.getFewTile().empty() &&
      (schedule.getFewTile().size() != 5 || expected != 5 ||
       schedule.getTile().empty()))
    return kernel.emitOpError("has a schedule with few_tile [")
           << schedule.getFewTile() << "] and tile [" << schedule.getTile()
           << "]; expected 5 sizes of each, of a contraction";
  if (schedule.getTile().empty() || schedule.getTile().size() == expected)
    return success();
  return kernel.emitOpError("has a schedule with tile [")
         << schedule.getTile() << "]; a "
         << stringifyKernelClass(kernel.getKernelClass()) << " kernel has "
         << expected << " tile sizes";
}
