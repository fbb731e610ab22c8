//===- Passes.h - Passes of the compiler ------------------------*- C++ -*-===//

#ifndef TC_TRANSFORMS_PASSES_H
#define TC_TRANSFORMS_PASSES_H

#include "TC/Dialect/TC/IR/Dispatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "TC/Transforms/Passes.h.inc"

} // namespace tc

#endif // TC_TRANSFORMS_PASSES_H
