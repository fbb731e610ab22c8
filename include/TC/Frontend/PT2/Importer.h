//===- Importer.h - an exported program as a tc module ----------*- C++ -*-===//
//
// The captured graph of a .pt2 archive, one op for each call and no decisions:
// `@main` takes the user's inputs and returns the user's outputs, then what
// replaces mutated inputs and buffers (results marked `tc.mutates`). Weights
// are `tc.parameter_source`s that point into the archive.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_PT2_IMPORTER_H
#define TC_FRONTEND_PT2_IMPORTER_H

#include "TC/Frontend/PT2/ExportedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc::pt2 {

/// Makes a module of the program, or emits diagnostics on `context` and
/// returns null. What `tc` cannot express is refused by name, with
/// the user's source line. Loads the dialects it needs.
mlir::OwningOpRef<mlir::ModuleOp>
importExportedProgram(const ExportedProgram &program,
                      mlir::MLIRContext *context);

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_IMPORTER_H
