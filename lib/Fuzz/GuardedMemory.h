//===- GuardedMemory.h - Memory between pages without access ----*- C++ -*-===//

#ifndef TC_LIB_FUZZ_GUARDEDMEMORY_H
#define TC_LIB_FUZZ_GUARDEDMEMORY_H

#include "TC/Runtime/Storage.h"

namespace tc::fuzz {

/// Which end of the memory touches a page without access.
enum class GuardedEnd { Begin, End };

/// Memory of `bytes` bytes, filled with 0xa5, between two pages whose access
/// ends the process. It touches the one behind it, but for what `alignment` (a
/// power of two, in bytes) needs, or the one before it. Null where the system
/// gives no memory.
runtime::StorageRef allocateGuarded(size_t bytes, size_t alignment,
                                    GuardedEnd end);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_GUARDEDMEMORY_H
