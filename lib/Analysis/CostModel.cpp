//===- CostModel.cpp - Bytes, operations and time of a kernel -------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

double tc::estimateSize(Operation *op, SizeExprAttr size) {
  if (std::optional<int64_t> constant = size.getConstant())
    return static_cast<double>(*constant);
  // A symbol is taken to be what it was in the example, or a middling size of
  // its range.
  constexpr int64_t kLikely = 128;
  std::optional<int64_t> value =
      size.evaluate([&](StringRef symbol) -> std::optional<int64_t> {
        if (auto example = getLikelyValue(op, symbol))
          return example;
        IndexRange range = getSymbolRange(op, symbol);
        int64_t likely = std::max(kLikely, range.low.value_or(0));
        return std::min(likely, range.high.value_or(likely));
      });
  return static_cast<double>(value.value_or(kLikely));
}

double tc::estimateElements(Operation *op, Type type) {
  auto shaped = cast<ShapedType>(type);
  double count = 1;
  if (shaped.hasStaticShape()) {
    for (int64_t size : shaped.getShape())
      count *= static_cast<double>(size);
    return count;
  }
  for (SizeExprAttr size : getSizes(shaped))
    count *= estimateSize(op, size);
  return count;
}

double tc::estimateBytes(Operation *op, Type type) {
  return estimateElements(op, type) *
         static_cast<double>(
             getElementBytes(cast<ShapedType>(type).getElementType()));
}

double tc::estimatePoints(KernelOp kernel, const DimSet &dims) {
  double points = 1;
  for (unsigned dim : dims.set_bits())
    points *= estimateSize(kernel, kernel.getDimSize(dim));
  return points;
}

double tc::getOperationWeight(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<ReadOp, WriteOp, ScalarOp, SizeScalarOp, DimIndexOp, CastOp>(
          [](auto) { return 0.25; })
      .Case<AddOp, SubOp, MulOp, NegOp, AbsOp, MaximumOp, MinimumOp, ReluOp,
            SelectOp, WithinOp, EqOp, NeOp, LtOp, LeOp, GtOp, GeOp, FmaxOp,
            FminOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, BitwiseNotOp,
            ShiftLeftOp, ShiftRightOp, IsNanOp, IsInfOp, IsFiniteOp, SignbitOp,
            CopysignOp, RealOp, ImagOp, ComplexOp, ReduceStageOp,
            ContractStageOp>([](auto) { return 1.0; })
      .Case<DivOp, SqrtOp, RsqrtOp, ReciprocalOp, FloorOp, CeilOp, TruncOp,
            RoundOp, SignOp, ScanStageOp>([](auto) { return 4.0; })
      .Case<SortStageOp, RoutineStageOp, AttentionBackwardStageOp>(
          [](auto) { return 200.0; })
      .Default([](Operation *) { return 20.0; });
}

DimSet tc::getParallelDims(KernelOp kernel, const KernelDims &values) {
  DimSet parallel = values.written();
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ContractStageOp>(op)) {
      parallel &= values.of(op.getResult(0));
    } else if (auto scan = dyn_cast<ScanStageOp>(op)) {
      parallel.reset(scan.getAlong());
    } else if (auto sort = dyn_cast<SortStageOp>(op)) {
      parallel.reset(sort.getAlong());
    } else if (isa<RoutineStageOp, AttentionBackwardStageOp>(op)) {
      for (Value result : op.getResults())
        parallel &= values.of(result);
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      // Combining writes may meet in one place.
      if (!write.getIndices().empty() ||
          write.getCombine() != CombineKind::Replace)
        parallel.reset();
    }
  }
  return parallel;
}

KernelCost tc::estimateCost(KernelOp kernel) {
  KernelDims values(kernel);
  KernelCost cost;
  llvm::SmallPtrSet<Value, 8> read;
  for (Operation &op : kernel.getBodyBlock()) {
    DimSet dims(kernel.getNumDims());
    for (Value operand : op.getOperands())
      dims |= values.of(operand);
    for (Value result : op.getResults())
      dims |= values.of(result);
    double points = estimatePoints(kernel, dims);
    // Five products of queries by keys, of which none is over both.
    if (auto stage = dyn_cast<AttentionBackwardStageOp>(op)) {
      auto size = [&](int64_t dim) {
        return estimateSize(kernel, kernel.getDimSize(unsigned(dim)));
      };
      constexpr double kOfDepth = 3, kOfColumns = 2;
      const double depth = size(stage.getDepthDim()),
                   columns = size(stage.getColumnDim());
      points /= depth * columns;
      cost.flops += points * (kOfDepth * depth + kOfColumns * columns);
      continue;
    }
    cost.flops += points * getOperationWeight(&op);
    if (auto access = dyn_cast<ReadOp>(op)) {
      Type type = access.getSource().getType();
      double bytes = std::min(
          estimateBytes(kernel, type),
          points * static_cast<double>(getElementBytes(access.getType())));
      // A buffer that is read twice comes from the cache the second time.
      if (read.insert(access.getSource()).second)
        cost.bytesRead += bytes;
    } else if (auto access = dyn_cast<WriteOp>(op)) {
      cost.bytesWritten +=
          estimateBytes(kernel, access.getDestination().getType());
    }
  }
  cost.parallelism = estimatePoints(kernel, getParallelDims(kernel, values));
  return cost;
}

double tc::estimateTime(const KernelCost &cost, const MachineModel &machine) {
  double units =
      std::min(std::max(cost.parallelism, 1.0), double(machine.units));
  double memory = cost.getBytes() /
                  std::min(machine.bandwidth, units * machine.unitBandwidth);
  double arithmetic = cost.flops / (units * machine.unitRate);
  return machine.launchTime + std::max(memory, arithmetic);
}
