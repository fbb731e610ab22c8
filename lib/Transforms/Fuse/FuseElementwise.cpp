//===- FuseElementwise.cpp - tc-fuse-elementwise --------------------------===//

#include "TC/Transforms/Fuse/KernelInlining.h"
#include "TC/Transforms/Fuse/ProducerFusion.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSEELEMENTWISEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

namespace {
class FuseElementwisePass
    : public tc::impl::TCFuseElementwisePassBase<FuseElementwisePass> {
public:
  void runOnOperation() override {
    numFused +=
        tc::fuseProducers(getOperation(), tc::ProducerFusionKind::Elementwise,
                          "tc-fuse-elementwise");
  }
};
} // namespace
