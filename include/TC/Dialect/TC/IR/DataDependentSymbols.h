//===- DataDependentSymbols.h - Symbols u0, u1 of tensor elements *- C++
//-*-===//

#ifndef TC_DIALECT_TC_IR_DATADEPENDENTSYMBOLS_H
#define TC_DIALECT_TC_IR_DATADEPENDENTSYMBOLS_H

#include "TC/Dialect/TC/IR/TCDialect.h"

namespace tc {

/// Whether the symbol is data-dependent, by its name (u0, u1): known from its
/// `tc.size_from` on, and not from the sizes of arguments.
bool isDataDependent(llvm::StringRef symbol);
/// Whether the expression names a data-dependent symbol.
bool isDataDependent(SizeExprAttr size);
/// The data-dependent symbols that the sizes of `type` name, each once.
llvm::SmallVector<mlir::StringAttr> getDataDependentSymbols(mlir::Type type);

} // namespace tc

#endif // TC_DIALECT_TC_IR_DATADEPENDENTSYMBOLS_H
