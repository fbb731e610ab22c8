//===- Dispatch.h - Versions of functions ----------------------*- C++ -*-===//
//
// The ops and attributes of functions that are specialised: tc.dispatch runs
// the first version whose guards hold.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_DISPATCH_H
#define TC_DIALECT_TC_IR_DISPATCH_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/DispatchOps.h.inc"

namespace tc {

/// On a func: the versions asked for, as arrays of #tc.symbol with narrower
/// ranges.
inline constexpr llvm::StringLiteral kSpecializationsAttr =
    "tc.specializations";
/// On a func: the function whose dispatch runs it.
inline constexpr llvm::StringLiteral kVersionOfAttr = "tc.version_of";
/// On such a func: what it is specialised to, as #tc.symbol.
inline constexpr llvm::StringLiteral kSpecializationAttr = "tc.specialization";

} // namespace tc

#endif // TC_DIALECT_TC_IR_DISPATCH_H
