//===- Passes.h - From tc ops to kernels ------------------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOKERNEL_PASSES_H
#define TC_CONVERSION_TCTOKERNEL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "TC/Conversion/TCToKernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "TC/Conversion/TCToKernel/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_TCTOKERNEL_PASSES_H
