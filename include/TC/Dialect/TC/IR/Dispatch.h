//===- Dispatch.h - Versions of functions ----------------------*- C++ -*-===//
//
// The ops of functions that are specialised: tc.dispatch runs
// the first version whose guards hold.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_DISPATCH_H
#define TC_DIALECT_TC_IR_DISPATCH_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/DispatchOps.h.inc"

#endif // TC_DIALECT_TC_IR_DISPATCH_H
