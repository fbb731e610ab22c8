//===- LibraryScheduleAttributes.h - Convolutions of libraries --*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_LIBRARYSCHEDULEATTRIBUTES_H
#define TC_DIALECT_TC_IR_LIBRARYSCHEDULEATTRIBUTES_H

#include "TC/Dialect/TC/IR/TCDialect.h"

#include "TC/Dialect/TC/IR/LibraryScheduleEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h.inc"

#endif // TC_DIALECT_TC_IR_LIBRARYSCHEDULEATTRIBUTES_H
