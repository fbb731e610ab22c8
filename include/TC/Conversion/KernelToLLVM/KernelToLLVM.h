//===- KernelToLLVM.h - Kernel bodies to the LLVM dialect -------*- C++ -*-===//
//
// The part of the lowering of kernels that all targets share.
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

/// Of conversions of what has been folded: folding anew takes time.
inline mlir::ConversionConfig getConversionConfig() {
  mlir::ConversionConfig config;
  config.foldingMode = mlir::DialectConversionFoldingMode::Never;
  return config;
}

} // namespace tc

#endif // TC_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
