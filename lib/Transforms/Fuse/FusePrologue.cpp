//===- FusePrologue.cpp - tc-fuse-prologue --------------------------===//

#include "TC/Transforms/Fuse/KernelInlining.h"
#include "TC/Transforms/Fuse/ProducerFusion.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSEPROLOGUEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

namespace {
class FuseProloguePass
    : public tc::impl::TCFuseProloguePassBase<FuseProloguePass> {
public:
  void runOnOperation() override {
    numFused += tc::fuseProducers(
        getOperation(), tc::ProducerFusionKind::Prologue, "tc-fuse-prologue");
  }
};
} // namespace
