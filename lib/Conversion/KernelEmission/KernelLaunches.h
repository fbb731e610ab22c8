//===- KernelLaunches.h - Kernels become launches ---------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_KERNELLAUNCHES_H
#define TC_CONVERSION_KERNELEMISSION_KERNELLAUNCHES_H

#include "KernelFrame.h"

namespace tc {

/// How the emitted function is to be run.
struct LaunchShape {
  SizeExpr count;      ///< outer iterations; blocks on a GPU
  SizeExpr grain;      ///< fewest iterations of a task
  int64_t threads = 0; ///< of a block on a GPU
  /// Blocks of each launch of a kernel that is launched several times, one
  /// after the other: the frame's `step` is its number. Empty for one launch.
  llvm::SmallVector<SizeExpr, 0> steps = {};
  // On a GPU, as tc.launch has them:
  int64_t cluster = 1;       ///< blocks of a cluster; divides the count
  int64_t sharedBytes = 0;   ///< dynamic shared memory of a block
  bool programmatic = false; ///< may start before the launch before it ends
  bool usesCounters = false;
  bool alignedBuffers = false;     ///< each begins at a multiple of 16 bytes
  mlir::ArrayAttr tensorMaps = {}; ///< #tc.tensor_map; null for none
};

/// Makes the frame of a function called `name` and emits the kernel into it.
using GenerateKernel = llvm::function_ref<mlir::FailureOr<LaunchShape>(
    KernelOp kernel, llvm::StringRef name,
    std::unique_ptr<KernelFrame> &frame)>;

/// Puts a `tc.launch` in the place of every `tc.kernel` of `module`. Kernels
/// that are equal but for their operands and names share one function. Fails,
/// with a diagnostic, on a kernel on tensors and where `generate` does. Kernels
/// that are not `isWanted` stay, where that is given.
mlir::LogicalResult
replaceKernels(mlir::ModuleOp module, GenerateKernel generate,
               llvm::function_ref<bool(KernelOp)> isWanted = nullptr);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_KERNELLAUNCHES_H
