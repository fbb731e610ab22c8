//===- EliminateDeadOutputs.cpp - tc-eliminate-dead-outputs ---------------===//

#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCELIMINATEDEADOUTPUTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class EliminateDeadOutputsPass
    : public tc::impl::TCEliminateDeadOutputsPassBase<
          EliminateDeadOutputsPass> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    // Users before what they use.
    for (Operation *op : llvm::reverse(ops)) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        eliminateDeadOutputs(kernel);
      else if (op->getNumResults() > 0 && isOpTriviallyDead(op))
        op->erase();
    }
  }
};
} // namespace
