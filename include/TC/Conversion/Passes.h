//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef TC_CONVERSION_PASSES_H
#define TC_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace tc {

#define GEN_PASS_DECL
#include "TC/Conversion/Passes.h.inc"

/// convert-nvvm-to-ptx that tells `onPTX` of each kernel's PTX once it is made,
/// from several threads.
std::unique_ptr<mlir::Pass>
createConvertNVVMToPTXPass(std::function<void(llvm::StringRef)> onPTX);

} // namespace tc

#endif // TC_CONVERSION_PASSES_H
