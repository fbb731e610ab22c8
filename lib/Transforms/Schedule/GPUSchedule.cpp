//===- GPUSchedule.cpp - The machine model's schedules for a GPU ----------===//

#include "GPUSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kWarpThreads = 32, kMostThreads = 1024,
                         kUsualThreads = 256;
/// Fewest elements of a row for each thread.
static constexpr int64_t kElementsPerThread = 8;

/// Threads of a block that reduces one row of `length` elements: a power of two
/// from a warp to the largest block, with kElementsPerThread elements each.
static int64_t getRowThreads(double length) {
  auto wanted = static_cast<uint64_t>(length) / kElementsPerThread;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(std::max<uint64_t>(wanted, 1)),
                             kWarpThreads, kMostThreads);
}

GPULoopScheduleAttr tc::getGPUSchedule(KernelOp kernel) {
  // Consecutive threads of a contraction write consecutive results; each row
  // that they multiply is the same for all.
  bool contracts = hasContraction(kernel);
  int64_t dim = contracts ? getWrittenDim(kernel) : getContiguousDim(kernel);
  int64_t threads = kUsualThreads;
  bool isRow = dim >= 0 && !contracts &&
               !getParallelDims(kernel, KernelDims(kernel)).test(dim);
  if (isRow)
    threads = getRowThreads(estimateSize(kernel, kernel.getDimSize(dim)));
  return GPULoopScheduleAttr::get(kernel.getContext(), dim, threads);
}
