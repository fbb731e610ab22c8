//===- Phase.cpp - How far a module has been compiled ---------------------===//

#include "TC/Dialect/TC/IR/Phase.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

static constexpr llvm::StringLiteral kNames[] = {
    "import",    "specialize", "simplify", "fuse",
    "bufferize", "generate",   "emit"};

llvm::StringLiteral tc::stringifyPhase(Phase phase) {
  return kNames[static_cast<int>(phase)];
}

std::optional<Phase> tc::symbolizePhase(StringRef name) {
  const auto *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return Phase(found - std::begin(kNames));
}

std::string tc::getPhaseNames() {
  return llvm::join(llvm::ArrayRef(kNames), ", ");
}

std::optional<Phase> tc::getLastPhase(Operation *module) {
  auto name = module->getAttrOfType<StringAttr>(kPhaseAttr);
  return name ? symbolizePhase(name.getValue()) : std::nullopt;
}

FailureOr<Phase> tc::getNextPhase(Operation *module) {
  auto name = module->getAttrOfType<StringAttr>(kPhaseAttr);
  if (!name)
    return Phase::Import;
  std::optional<Phase> last = symbolizePhase(name.getValue());
  if (!last)
    return module->emitError()
           << "tc.phase names no phase: '" << name.getValue()
           << "'; the phases are " << getPhaseNames();
  return *last == Phase::Emit ? Phase::Emit
                              : Phase(static_cast<int>(*last) + 1);
}
