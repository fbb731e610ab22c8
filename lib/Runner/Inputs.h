//===- Inputs.h - The inputs of a run ---------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_INPUTS_H
#define TC_LIB_RUNNER_INPUTS_H

#include "TC/Runner/Entry.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"

namespace tc::runner {

/// The inputs that the options ask for. Their number and element types are
/// checked here, their sizes by the function.
llvm::Expected<Tensors> makeInputs(const Entry &entry,
                                   const RunOptions &options);

/// Fails where an input, of which there are as many as types, has another
/// element type, rank or known size.
llvm::Error checkTypes(llvm::ArrayRef<mlir::ShapedType> types,
                       const Tensors &inputs);

/// Fails where a size, which is a symbol of the function, is none that the
/// symbol can have, or not that of another input.
llvm::Error checkSymbols(const Entry &entry, const Tensors &inputs);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_INPUTS_H
