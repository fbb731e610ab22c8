//===- CoreCount.h - Cores that code is generated for -----------*- C++ -*-===//

#ifndef TC_ANALYSIS_CORECOUNT_H
#define TC_ANALYSIS_CORECOUNT_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// On a module, an integer: cores of the machine that it is compiled for, when
/// that is known. Blocks of contractions are as many as keep them busy.
inline constexpr llvm::StringLiteral kCoresAttr = "tc.cores";

} // namespace tc

#endif // TC_ANALYSIS_CORECOUNT_H
