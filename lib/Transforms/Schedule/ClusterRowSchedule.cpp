//===- ClusterRowSchedule.cpp - Rows of a cluster -------------------------===//

#include "ClusterRowSchedule.h"
#include "TC/Analysis/RowCopies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Whether threads can copy all that is read of a row to shared memory, and
/// that has room for it.
static bool fitsSharedMemory(KernelOp kernel, const MachineModel &machine,
                             GPURowScheduleAttr rows) {
  RowCopies copies(kernel, rows);
  return copies.isComplete && !copies.reads.empty() &&
         copies.getBytes(rows) <= getRoomForRows(machine.blockSharedBytes);
}

GPURowScheduleAttr tc::getClusterRows(KernelOp kernel,
                                      const MachineModel &machine, unsigned dim,
                                      int64_t lanes, int64_t size,
                                      bool loadsHalves) {
  constexpr int64_t kThreads = 256, kMostThreads = 1024;
  auto make = [&](int64_t threads, int64_t cluster) -> GPURowScheduleAttr {
    int64_t units =
        llvm::divideCeil(llvm::divideCeil(size, lanes), threads * cluster);
    if (units * lanes > kMostHeldPoints)
      return {};
    auto hold = [&](bool isPacked, bool isShared) {
      return GPURowScheduleAttr::get(kernel.getContext(), dim, lanes, units,
                                     /*held=*/true, isPacked, threads,
                                     /*rows=*/1, cluster, /*fitsThreads=*/false,
                                     /*blocks=*/0, isShared,
                                     /*evictLast=*/false);
    };
    auto shared = hold(/*isPacked=*/true, /*isShared=*/true);
    if (fitsSharedMemory(kernel, machine, shared))
      return shared;
    if (threads > kThreads)
      return {};
    return hold(loadsHalves && units * lanes > kUnpackedPoints,
                /*isShared=*/false);
  };
  for (int64_t cluster = 2; cluster <= machine.clusterBlocks; cluster *= 2)
    if (auto rows = make(kThreads, cluster))
      return rows;
  for (int64_t threads = 2 * kThreads;
       machine.clusterBlocks > 1 && threads <= kMostThreads; threads *= 2)
    if (auto rows = make(threads, machine.clusterBlocks))
      return rows;
  return {};
}
