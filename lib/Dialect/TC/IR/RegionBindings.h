//===- RegionBindings.h - Text of region arguments --------------*- C++ -*-===//

#ifndef TC_LIB_DIALECT_TC_IR_REGIONBINDINGS_H
#define TC_LIB_DIALECT_TC_IR_REGIONBINDINGS_H

#include "mlir/IR/OpImplementation.h"

namespace tc {

/// Parses `keyword(%a = %x : type, ...)`, arguments of a region bound to
/// operands; nothing where the keyword is missing.
mlir::ParseResult parseBindings(
    mlir::OpAsmParser &parser, llvm::StringRef keyword,
    llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);

/// Prints what parseBindings() reads, with a space before; nothing where there
/// are no operands.
void printBindings(mlir::OpAsmPrinter &printer, llvm::StringRef keyword,
                   mlir::ValueRange arguments, mlir::ValueRange operands);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_IR_REGIONBINDINGS_H
