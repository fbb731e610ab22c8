//===- CompileCached.h - Code from the cache on disk ------------*- C++ -*-===//

#ifndef TC_COMPILER_COMPILECACHED_H
#define TC_COMPILER_COMPILECACHED_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runtime/ArtefactCache.h"

namespace tc {

/// What a module's code depends on, as text: the module with its locations, the
/// target with what is known of this machine, the options, the versions of TC
/// and LLVM. Nothing where code depends on more, such as libraries that the
/// compiler looks for, or where artefacts cannot hold it.
std::optional<std::string> cacheKey(mlir::ModuleOp module,
                                    const CompileOptions &options);

/// compile(), which runs no phase where `cache` has the code, and stores it
/// there where it has not. A cache that cannot be written is a warning. The
/// module is left as it is, or as the emit phase made it.
llvm::Expected<CompiledModule>
compileCached(mlir::ModuleOp module, const CompileOptions &options,
              const runtime::ArtefactCache &cache);

} // namespace tc

#endif // TC_COMPILER_COMPILECACHED_H
