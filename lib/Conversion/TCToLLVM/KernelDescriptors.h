//===- KernelDescriptors.h - What a GPU launch is given ---------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_KERNELDESCRIPTORS_H
#define TC_LIB_CONVERSION_TCTOLLVM_KERNELDESCRIPTORS_H

#include "HostBuilder.h"

namespace tc {

/// Makes globals of every `gpu.binary` of a module: the image, the runtime's
/// handles and the tc_kernel, which says how the kernel's launches start it,
/// and one list of all tc_kernels. Fails, with a diagnostic, on a binary that
/// is no PTX and on launches of one kernel that differ.
mlir::LogicalResult makeKernelDescriptors(mlir::ModuleOp module,
                                          StringTable &strings);

/// Makes the array in which the runtime keeps what it made of `symbol` for each
/// device.
void makeHandles(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::StringRef symbol);

/// Makes a constant struct or array of `values`, which `fill` computes.
void makeConstant(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
    llvm::StringRef name,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> fill);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_KERNELDESCRIPTORS_H
