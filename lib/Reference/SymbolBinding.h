//===- SymbolBinding.h - Symbols from the sizes of arguments ----*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_SYMBOLBINDING_H
#define TC_LIB_REFERENCE_SYMBOLBINDING_H

#include "Evaluation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc::reference {

/// Gives every symbol of `function` the value that the arguments' sizes imply
/// and checks the sizes and the symbols' ranges.
mlir::LogicalResult bindSymbols(Evaluation &evaluation,
                                mlir::func::FuncOp function,
                                llvm::ArrayRef<Tensor> arguments);

/// bindSymbols for any function, a dispatch included.
mlir::LogicalResult bindSymbolsOf(mlir::FunctionOpInterface function,
                                  Evaluation &evaluation,
                                  llvm::ArrayRef<Tensor> arguments);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_SYMBOLBINDING_H
