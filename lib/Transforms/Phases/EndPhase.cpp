//===- EndPhase.cpp - tc-end-phase ----------------------------------------===//

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCENDPHASEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class EndPhasePass : public tc::impl::TCEndPhasePassBase<EndPhasePass> {
public:
  using TCEndPhasePassBase::TCEndPhasePassBase;

  void runOnOperation() override {
    getOperation()->setAttr(kPhaseAttr, StringAttr::get(&getContext(), phase));
  }
};
} // namespace
