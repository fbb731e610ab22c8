//===- KernelToLLVM.h - Kernel bodies to the LLVM dialect -------*- C++ -*-===//
//
// What the lowering of kernels has in common on all targets.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
#define TC_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// Rewrites, to be applied first, of ops that the conversion does not know.
/// `expandBF16` makes conversions from and to bf16 integer operations, for
/// targets without instructions for them.
void populateKernelSteps(mlir::RewritePatternSet &patterns, bool expandBF16);

/// The conversion of loops, arithmetic, vectors and math functions.
void populateKernelToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

/// Makes illegal what these patterns convert.
void configureKernelToLLVMLegality(mlir::ConversionTarget &target);

} // namespace tc

#endif // TC_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
