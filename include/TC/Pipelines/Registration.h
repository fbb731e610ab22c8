//===- Registration.h - Everything TC registers -----------------*- C++ -*-===//

#ifndef TC_PIPELINES_REGISTRATION_H
#define TC_PIPELINES_REGISTRATION_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc {

/// The dialects of MLIR and `tc`, with their interfaces.
void registerDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of MLIR and TC, for tools that name them. Code is
/// for `defaultTarget` where neither the module nor an option names a target.
void registerPasses(llvm::StringRef defaultTarget = "cpu");

} // namespace tc

#endif // TC_PIPELINES_REGISTRATION_H
