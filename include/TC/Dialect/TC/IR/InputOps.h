//===- InputOps.h - The memory of inputs ------------------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_INPUTOPS_H
#define TC_DIALECT_TC_IR_INPUTOPS_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/InputOps.h.inc"

namespace tc {

/// On an argument of a function, an array of #tc.expr: its strides in elements,
/// one for each dimension, as the caller gives it. Arguments without it are
/// row-major. Strides of dimensions of size 1 do not matter, nor do those of a
/// tensor without elements.
inline constexpr llvm::StringLiteral kStridesAttr = "tc.strides";

/// The strides that an argument has by `tc.strides`; nothing for a row-major
/// one.
std::optional<Sizes> getInputStrides(mlir::FunctionOpInterface function,
                                     unsigned argument);

/// Verifies `tc.strides` of an argument of `function`.
llvm::LogicalResult verifyInputStrides(mlir::FunctionOpInterface function,
                                       unsigned argument,
                                       mlir::Attribute strides);

} // namespace tc

#endif // TC_DIALECT_TC_IR_INPUTOPS_H
