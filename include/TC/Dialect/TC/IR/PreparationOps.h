//===- PreparationOps.h - Values prepared ahead of the calls ----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_PREPARATIONOPS_H
#define TC_DIALECT_TC_IR_PREPARATIONOPS_H

#include "TC/Dialect/TC/IR/TCOps.h"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/PreparationOps.h.inc"

namespace tc {

/// The function that computes what depends on parameters alone; its results
/// are the module's `tc.prepared` values.
inline constexpr llvm::StringLiteral kPrepareFunction = "tc.prepare";

} // namespace tc

#endif // TC_DIALECT_TC_IR_PREPARATIONOPS_H
