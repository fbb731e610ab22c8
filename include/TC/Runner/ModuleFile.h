//===- ModuleFile.h - Reading a file as a module ----------------*- C++ -*-===//

#ifndef TC_RUNNER_MODULEFILE_H
#define TC_RUNNER_MODULEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <string>

namespace tc::runner {

/// Reads a file of MLIR text or bytecode, or a .pt2 archive, by its name's end;
/// "-" is standard input. What is wrong with the content are diagnostics, which
/// refer to `sources`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModuleFile(const std::string &path, llvm::SourceMgr &sources,
               mlir::MLIRContext &context);

} // namespace tc::runner

#endif // TC_RUNNER_MODULEFILE_H
