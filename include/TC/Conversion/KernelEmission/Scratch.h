//===- Scratch.h - A kernel's room on the stack -----------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_SCRATCH_H
#define TC_CONVERSION_KERNELEMISSION_SCRATCH_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// On `llvm.alloca` with symbolic sizes: the number of elements, a `#tc.expr`.
inline constexpr llvm::StringLiteral kScratchElementsAttr =
    "tc.scratch_elements";

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_SCRATCH_H
