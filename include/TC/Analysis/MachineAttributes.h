//===- MachineAttributes.h - Of the machine compiled for --------*- C++ -*-===//

#ifndef TC_ANALYSIS_MACHINEATTRIBUTES_H
#define TC_ANALYSIS_MACHINEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// On a module, an integer: cores of the machine that it is compiled for, when
/// that is known. Blocks of contractions are as many as keep them busy.
inline constexpr llvm::StringLiteral kCoresAttr = "tc.cores";

/// On a module, integers: bytes of the cache that a core has for itself, and of
/// the one that all share, of the machine that it is compiled for.
inline constexpr llvm::StringLiteral kCoreCacheBytesAttr =
    "tc.core_cache_bytes";
inline constexpr llvm::StringLiteral kSharedCacheBytesAttr =
    "tc.shared_cache_bytes";

} // namespace tc

#endif // TC_ANALYSIS_MACHINEATTRIBUTES_H
