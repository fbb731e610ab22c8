//===- Mode.h - What calls are tuned for ------------------------*- C++ -*-===//

#ifndef TC_COMPILER_MODE_H
#define TC_COMPILER_MODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tc {

/// What calls of compiled code are tuned for, under torch.compile's names.
enum class Mode {
  Default,
  /// Calls that repeat launch their kernels as CUDA graphs; see
  /// TC/Runtime/CUDAGraphs.h. On a CPU the same as Default.
  ReduceOverhead,
};

/// The mode of that name; an empty one is "default". The error has the names
/// that are known, and the one that is meant, if one is near.
llvm::Expected<Mode> parseMode(llvm::StringRef name);

/// Says in remarks of the category `graph` what the mode does to a module after
/// phase generate: where a CUDA graph ends as the host waits for the device, or
/// that there are none as the code is for a CPU.
void remarkMode(mlir::ModuleOp module, Mode mode, bool isForGPU);

} // namespace tc

#endif // TC_COMPILER_MODE_H
