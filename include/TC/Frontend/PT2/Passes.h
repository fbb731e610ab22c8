//===- Passes.h - Passes of the .pt2 front end ------------------*- C++ -*-===//

#ifndef TC_FRONTEND_PT2_PASSES_H
#define TC_FRONTEND_PT2_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "TC/Frontend/PT2/Passes.h.inc"

} // namespace tc

#endif // TC_FRONTEND_PT2_PASSES_H
