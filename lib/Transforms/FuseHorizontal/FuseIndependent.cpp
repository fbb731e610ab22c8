//===- FuseIndependent.cpp - tc-fuse-independent --------------------------===//

#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSEINDEPENDENTPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

static constexpr StringLiteral kPass = "tc-fuse-independent";

/// Whether a kernel is pointwise and takes less time than its launch.
static bool isShort(KernelOp kernel, const MachineModel &machine) {
  return classifyKernel(kernel) == KernelClass::Pointwise &&
         writesOwnElements(kernel) &&
         estimateTime(estimateCost(kernel), machine) < 2 * machine.launchTime;
}

/// An error that says why the two stay apart.
static llvm::Error check(KernelOp first, KernelOp second) {
  // Their pointers are parameters of a launch, of which a GPU has 4 KiB.
  constexpr size_t kMaxBuffers = 64;
  if (first.getNumOperands() + second.getNumOperands() > kMaxBuffers)
    return refuse("together they have too many buffers");
  if (!canMoveTogether(first, second))
    return refuse("an op between them needs one and feeds the other");
  return checkMergedCode(first, second);
}

/// The domain that the two have in common, point by point.
static MergedDomain getCommonDomain(KernelOp kernel) {
  MergedDomain domain;
  for (auto [index, dim] : llvm::enumerate(kernel.getDims())) {
    domain.dims.push_back(cast<DimAttr>(dim));
    domain.first.push_back(getAffineDimExpr(index, kernel.getContext()));
  }
  domain.second = domain.first;
  return domain;
}

namespace {
class FuseIndependentPass
    : public tc::impl::TCFuseIndependentPassBase<FuseIndependentPass> {
public:
  void runOnOperation() override {
    machine = MachineModel::get(getOperation());
    for (Block *block : getBlocksAroundKernels(getOperation()))
      runOnBlock(*block);
  }

private:
  /// Merges each short kernel with the next one of its domain, which takes its
  /// place in turn.
  void runOnBlock(Block &block) {
    llvm::MapVector<Attribute, SmallVector<KernelOp>> kernels;
    for (KernelOp kernel : block.getOps<KernelOp>())
      if (isShort(kernel, machine))
        kernels[kernel.getDims()].push_back(kernel);
    IRRewriter rewriter(&getContext());
    for (auto &[dims, same] : kernels)
      for (size_t index = 1; index < same.size(); ++index)
        if (KernelOp merged = tryMerge(rewriter, same[index - 1], same[index]))
          same[index] = merged;
  }

  KernelOp tryMerge(RewriterBase &rewriter, KernelOp first, KernelOp second) {
    if (!areUsedApart(first, second))
      return nullptr;
    std::string name = second.getName().str();
    if (llvm::Error error = check(first, second)) {
      remarkRefused(kPass, first, name, llvm::toString(std::move(error)));
      return nullptr;
    }
    remarkFused(kPass, first, name);
    ++numFused;
    return mergeKernels(rewriter, first, second, getCommonDomain(first));
  }

  MachineModel machine;
};
} // namespace
