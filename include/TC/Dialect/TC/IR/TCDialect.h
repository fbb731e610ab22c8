//===- TCDialect.h - The tc dialect, its attributes and enums --*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_TCDIALECT_H
#define TC_DIALECT_TC_IR_TCDIALECT_H

#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Dialect/TC/IR/ScheduleDefaults.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

#include "TC/Dialect/TC/IR/TCEnums.h.inc"

#include "TC/Dialect/TC/IR/TCAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TC/Dialect/TC/IR/TCAttributes.h.inc"

#include "TC/Dialect/TC/IR/TCDialect.h.inc"

namespace tc {

using SizeExpr = SizeExprAttr;
using Sizes = llvm::SmallVector<SizeExprAttr, 6>;

/// What a kernel sets the status of a launch to.
enum KernelStatus : int64_t { kIndexOutOfRange = 1, kSingularMatrix = 2 };

} // namespace tc

#endif // TC_DIALECT_TC_IR_TCDIALECT_H
