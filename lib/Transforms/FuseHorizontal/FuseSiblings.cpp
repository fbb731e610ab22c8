//===- FuseSiblings.cpp - tc-fuse-siblings --------------------------------===//

#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Transforms/Fuse/MergedFolds.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSESIBLINGSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

static constexpr StringLiteral kPass = "tc-fuse-siblings";

/// Bytes of the inputs that both kernels read.
static double getSharedBytes(KernelOp first, KernelOp second) {
  double bytes = 0;
  for (Value input : first.getIns())
    if (llvm::is_contained(second.getIns(), input))
      bytes += estimateBytes(first, input.getType());
  return bytes;
}

/// Whether a kernel is worth looking at: contractions keep their tile, and
/// what scatters keeps its order.
static bool isCandidate(KernelOp kernel) {
  if (hasContraction(kernel))
    return false;
  return writesOwnElements(kernel) &&
         llvm::none_of(kernel.getBodyBlock(), [](Operation &op) {
           return isWholeStage(&op) || isa<ScanStageOp>(op);
         });
}

/// Whether a GPU has tiles for one of the kernels alone: what it transposes
/// would be written element by element in the other one's loops.
static bool isTileLost(KernelOp first, KernelOp second) {
  auto transposes = [](KernelOp kernel) {
    return classifyKernel(kernel) == KernelClass::Transpose;
  };
  return getTargetKind(first) != "cpu" &&
         transposes(first) != transposes(second);
}

/// Whether both have tiles of what they transpose and would write along
/// different dimensions of `domain`: no tile serves both.
static bool areTilesLost(KernelOp first, KernelOp second,
                         const MergedDomain &domain) {
  unsigned rank = domain.dims.size();
  auto getWritten = [&](KernelOp kernel, ArrayRef<AffineExpr> place) {
    DimSet dims(kernel.getNumDims());
    int64_t written = getWrittenDim(kernel);
    if (written >= 0 && classifyKernel(kernel) == KernelClass::Transpose)
      dims.set(written);
    return MergedDomain::image(dims, place, rank);
  };
  DimSet left = getWritten(first, domain.first),
         right = getWritten(second, domain.second);
  return left.any() && right.any() && left != right;
}

/// `bytesRead` is what `second` reads.
static llvm::Expected<MergedDomain> decide(KernelOp first, KernelOp second,
                                           double bytesRead,
                                           const MachineModel &machine) {
  // More buffers than this and a loop over both has no registers left.
  constexpr size_t kMaxBuffers = 12;
  if (first.getNumOperands() + second.getNumOperands() > kMaxBuffers)
    return refuse("together they have too many buffers");
  double shared = getSharedBytes(first, second);
  if (shared * 4 < bytesRead)
    return refuse("they share less than a quarter of what they read");
  if (isTileLost(first, second))
    return refuse("one of them is transposed in tiles of shared memory");
  if (!canMoveTogether(first, second))
    return refuse("an op between them needs one and feeds the other");
  if (makesResultsWait(first, second))
    return refuse("its result would wait in memory for the kernels between");
  llvm::Expected<MergedDomain> domain = unifySiblings(first, second);
  if (domain && areTilesLost(first, second, *domain))
    return refuse("they are transposed in tiles and written along different "
                  "dimensions");
  if (domain && hasStages(first) && hasStages(second)) {
    unsigned rank = domain->dims.size();
    DimSet left = MergedDomain::image(getParallelDims(first, KernelDims(first)),
                                      domain->first, rank);
    DimSet right = MergedDomain::image(
        getParallelDims(second, KernelDims(second)), domain->second, rank);
    if (left != right)
      return refuse("they fold different dimensions");
  }
  if (domain && hasStages(first) != hasStages(second) &&
      MergedFolds(first, second, *domain).lacksColumns(machine))
    return refuse("blocks would not share the folds of few columns");
  if (domain)
    if (llvm::Error error = checkMergedCode(first, second))
      return error;
  return domain;
}

namespace {
class FuseSiblingsPass
    : public tc::impl::TCFuseSiblingsPassBase<FuseSiblingsPass> {
public:
  void runOnOperation() override {
    machine = MachineModel::get(getOperation());
    for (Block *block : getBlocksAroundKernels(getOperation())) {
      bytesRead.clear();
      runOnBlock(*block);
    }
  }

private:
  /// Merges each kernel with the later ones that read the same input.
  void runOnBlock(Block &block) {
    IRRewriter rewriter(&getContext());
    SmallVector<KernelOp> order;
    for (KernelOp kernel : block.getOps<KernelOp>())
      if (isCandidate(kernel))
        order.push_back(kernel);
    // Results of kernels with more between them occupy memory for long.
    constexpr size_t kMostKernelsBetween = 256;
    for (size_t first = 0; first < order.size(); ++first)
      for (size_t second = first + 1;
           second < std::min(order.size(), first + kMostKernelsBetween);
           ++second)
        if (KernelOp merged = tryMerge(rewriter, order[first], order[second])) {
          order[second] = merged;
          order[first] = nullptr;
          break;
        }
  }

  /// What the kernel reads: every kernel is asked for it by each before it.
  double getBytesRead(KernelOp kernel) {
    auto [known, isNew] = bytesRead.try_emplace(kernel, 0.0);
    if (isNew)
      known->second = estimateCost(kernel).bytesRead;
    return known->second;
  }

  MachineModel machine;
  llvm::DenseMap<Operation *, double> bytesRead;

  KernelOp tryMerge(RewriterBase &rewriter, KernelOp first, KernelOp second) {
    if (!first || !second || getSharedBytes(first, second) == 0 ||
        !areUsedApart(first, second))
      return nullptr;
    std::string name = second.getName().str();
    llvm::Expected<MergedDomain> domain =
        decide(first, second, getBytesRead(second), machine);
    if (!domain) {
      remarkRefused(kPass, first, name, llvm::toString(domain.takeError()));
      return nullptr;
    }
    remarkFused(kPass, first, name);
    ++numFused;
    bytesRead.erase(first);
    bytesRead.erase(second);
    return mergeKernels(rewriter, first, second, *domain);
  }
};
} // namespace
