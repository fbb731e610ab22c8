//===- OutlinedCode.h - Code in a function of its own -----------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_OUTLINEDCODE_H
#define TC_CONVERSION_TCTOVECTOR_OUTLINEDCODE_H

#include "../KernelEmission/KernelFrame.h"

namespace tc {

/// Emits what `body` emits, which gives no values, as a function
/// `@<kernel's function>_<name>` that is never inlined, and a call of it. LLVM
/// allocates the registers of a function as a whole: it would keep constants of
/// an epilogue in registers that an innermost loop needs, and have that loop
/// store and load accumulators in each iteration.
void emitOutlined(KernelFrame &frame, mlir::StringRef name,
                  llvm::function_ref<void()> body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_OUTLINEDCODE_H
