//===- PTX.h - LLVM dialect to PTX ------------------------------*- C++ -*-===//

#ifndef TC_TARGET_CUDA_PTX_H
#define TC_TARGET_CUDA_PTX_H

#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc {

/// PTX of a gpu.module whose content is in the LLVM and NVVM dialects. Thread-
/// safe for different modules. Fails with LLVM's message, and when the module
/// calls a function that it does not define: nothing is linked later.
llvm::Expected<std::string> generatePTX(mlir::gpu::GPUModuleOp module,
                                        const CUDATarget &target);

} // namespace tc

#endif // TC_TARGET_CUDA_PTX_H
