//===- ClusterRowSchedule.cpp - Rows of a cluster -------------------------===//

#include "ClusterRowSchedule.h"
#include "TC/Analysis/RowCopies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// `rows` with threads that hold their points in shared memory; null where that
/// has no room for them, or something is read that threads cannot copy there.
static GPURowScheduleAttr holdInSharedMemory(KernelOp kernel,
                                             const MachineModel &machine,
                                             GPURowScheduleAttr rows) {
  RowCopies copies(kernel, rows);
  if (!copies.isComplete || copies.reads.empty() ||
      copies.getBytes(rows) > getRoomForRows(machine.blockSharedBytes))
    return {};
  return GPURowScheduleAttr::get(
      kernel.getContext(), rows.getVectorDim(), rows.getVectorWidth(),
      rows.getUnits(), /*held=*/true, /*packed=*/true, rows.getThreads(),
      rows.getRows(), rows.getCluster(), /*fitsThreads=*/false, /*blocks=*/0,
      /*shared=*/true);
}

GPURowScheduleAttr tc::getClusterRows(KernelOp kernel,
                                      const MachineModel &machine, unsigned dim,
                                      int64_t lanes, int64_t size,
                                      bool loadsHalves) {
  constexpr int64_t kThreads = 256, kMostThreads = 1024, kPackedPoints = 32,
                    kHeldPoints = 64;
  auto make = [&](int64_t threads, int64_t cluster) -> GPURowScheduleAttr {
    int64_t units =
        llvm::divideCeil(llvm::divideCeil(size, lanes), threads * cluster);
    if (units * lanes > kHeldPoints)
      return {};
    auto rows = GPURowScheduleAttr::get(
        kernel.getContext(), dim, lanes, units, /*held=*/true,
        loadsHalves && units * lanes > kPackedPoints, threads, /*rows=*/1,
        cluster, /*fitsThreads=*/false, /*blocks=*/0, /*shared=*/false);
    if (auto shared = holdInSharedMemory(kernel, machine, rows))
      return shared;
    return threads == kThreads ? rows : GPURowScheduleAttr();
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
