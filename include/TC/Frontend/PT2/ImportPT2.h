//===- ImportPT2.h - archives and graphs as modules -------------*- C++ -*-===//

#ifndef TC_FRONTEND_PT2_IMPORTPT2_H
#define TC_FRONTEND_PT2_IMPORTPT2_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc::pt2 {

/// Reads the archive at `path` and imports it. `modelName` as for
/// ExportedProgram::load.
mlir::OwningOpRef<mlir::ModuleOp> importPT2File(llvm::StringRef path,
                                                mlir::MLIRContext *context,
                                                llvm::StringRef modelName = "");

/// Imports the text of a graph without weights, as ExportedProgram::parse reads
/// it; messages call it `name`.
mlir::OwningOpRef<mlir::ModuleOp> importGraphText(llvm::StringRef text,
                                                  llvm::StringRef name,
                                                  mlir::MLIRContext *context);

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_IMPORTPT2_H
