//===- ModuleText.h - Modules as text and bytecode --------------*- C++ -*-===//
//
// MLIR's parsers recurse into nested text, and its reader of bytecode
// trusts the lengths that it reads. Their input is checked here first, so that
// no file can crash the process.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_TEXT_MODULETEXT_H
#define TC_FRONTEND_TEXT_MODULETEXT_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace tc {

/// Brackets that may be open at one place of a text, and of these braces: a
/// region takes far more of the stack than an attribute.
inline constexpr unsigned kMostNested = 1000, kMostBraces = 128;
/// Operators in one affine map or set.
inline constexpr unsigned kMostAffineTerms = 1024;

/// The content of a file that MLIR's parser can take: text nested no deeper
/// than the limits above, or bytecode without its seal. Fails, saying why, for
/// other text, for bytecode that is not sealed, and where the seal does not
/// fit.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
checkModuleText(std::unique_ptr<llvm::MemoryBuffer> buffer);

/// Parses text or sealed bytecode. Null after an error has been reported.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
            llvm::SourceMgr &sources, const mlir::ParserConfig &config);

/// Whether `text` is MLIR's bytecode.
bool isBytecode(llvm::StringRef text);

/// Bytecode after its length and a hash, by which checkModuleText knows that
/// it is as TC wrote it.
std::string sealBytecode(llvm::StringRef bytecode);

} // namespace tc

#endif // TC_FRONTEND_TEXT_MODULETEXT_H
