//===- Phase.h - How far a module has been compiled -------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_PHASE_H
#define TC_DIALECT_TC_IR_PHASE_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tc {

/// The phases of compilation, in the order in which they run.
enum class Phase {
  Import,
  Specialize,
  Simplify,
  Fuse,
  Bufferize,
  Generate,
  Emit
};

/// The phase's name, as in `tc.phase`: "import".
llvm::StringLiteral stringifyPhase(Phase phase);

/// The phase called `name`, if there is one.
std::optional<Phase> symbolizePhase(llvm::StringRef name);

/// Names of all phases, for messages: "import, specialize, ...".
std::string getPhaseNames();

/// The phase that has run last on `module`, by its `tc.phase`, if that names
/// one.
std::optional<Phase> getLastPhase(mlir::Operation *module);

/// The first phase that has not run on `module` by its `tc.phase`; fails, with
/// a diagnostic, when that names no phase. Emit's successor is emit itself.
mlir::FailureOr<Phase> getNextPhase(mlir::Operation *module);

} // namespace tc

#endif // TC_DIALECT_TC_IR_PHASE_H
