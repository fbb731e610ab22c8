//===- BeginPhase.cpp - tc-begin-phase ------------------------------------===//

#include "TC/Dialect/TC/IR/Phase.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCBEGINPHASEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class BeginPhasePass : public tc::impl::TCBeginPhasePassBase<BeginPhasePass> {
public:
  using TCBeginPhasePassBase::TCBeginPhasePassBase;

  void runOnOperation() override {
    std::optional<Phase> next = symbolizePhase(phase);
    if (!next) {
      getOperation()->emitError() << "tc-begin-phase names no phase: '" << phase
                                  << "'; the phases are " << getPhaseNames();
      return signalPassFailure();
    }
    FailureOr<Phase> expected = getNextPhase(getOperation());
    if (failed(expected))
      return signalPassFailure();
    // A module just written starts wherever its author says.
    if (!getOperation()->hasAttr(kPhaseAttr) || *expected == *next)
      return;
    getOperation()->emitError()
        << "phase '" << phase
        << "' cannot run on a module whose last phase was "
        << getOperation()->getAttr(kPhaseAttr) << "; the next one is '"
        << stringifyPhase(*expected) << "'";
    signalPassFailure();
  }
};
} // namespace
