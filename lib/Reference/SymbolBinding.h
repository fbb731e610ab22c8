//===- SymbolBinding.h - Symbols from the sizes of arguments ----*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_SYMBOLBINDING_H
#define TC_LIB_REFERENCE_SYMBOLBINDING_H

#include "Evaluation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc::reference {

/// bindSymbols of Evaluation.h for any function, a dispatch included.
mlir::LogicalResult bindSymbolsOf(mlir::FunctionOpInterface function,
                                  Evaluation &evaluation,
                                  llvm::ArrayRef<Tensor> arguments);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_SYMBOLBINDING_H
