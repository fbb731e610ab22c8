//===- ClusterRowSchedule.h - Rows of a cluster -----------------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_CLUSTERROWSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_CLUSTERROWSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The most points of a row that a thread holds in registers, and the most of
/// which it holds what it computed as well as what it loaded.
inline constexpr int64_t kMostHeldPoints = 64, kUnpackedPoints = 32;

/// A schedule for rows of `size` points, too long for the registers of a block,
/// that the blocks of a cluster share and hold: in shared memory where threads
/// can copy them there, else in registers, packed where `loadsHalves` says that
/// what varies along a row is loaded as 16 bits or fewer. Null where neither
/// has room.
GPURowScheduleAttr getClusterRows(KernelOp kernel, const MachineModel &machine,
                                  unsigned dim, int64_t lanes, int64_t size,
                                  bool loadsHalves);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_CLUSTERROWSCHEDULE_H
