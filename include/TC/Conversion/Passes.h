//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef TC_CONVERSION_PASSES_H
#define TC_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "TC/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TC/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_PASSES_H
