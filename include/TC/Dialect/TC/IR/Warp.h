//===- Warp.h - Threads of a GPU that run in step ---------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_WARP_H
#define TC_DIALECT_TC_IR_WARP_H

#include <cstdint>

namespace tc {

/// Threads of a warp, each of which is one of its lanes.
inline constexpr int64_t kWarpThreads = 32;

/// The mask of all lanes of a warp, as operations of warps take it.
inline constexpr int64_t kAllLanes = -1;

} // namespace tc

#endif // TC_DIALECT_TC_IR_WARP_H
