//===- LibraryOps.h - Calls of libraries ------------------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_LIBRARYOPS_H
#define TC_DIALECT_TC_IR_LIBRARYOPS_H

#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "TC/Dialect/TC/IR/TCOps.h"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/LibraryOps.h.inc"

#endif // TC_DIALECT_TC_IR_LIBRARYOPS_H
