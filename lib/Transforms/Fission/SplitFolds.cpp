//===- SplitFolds.cpp - tc-split-folds ------------------------------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/MergedFolds.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCSPLITFOLDSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether what `op` computes depends on a fold outside `folds`.
static bool needsOtherFold(Operation *op,
                           const llvm::SetVector<Operation *> &folds) {
  return anyProducer(op, [&](Operation *other) {
    return other != op && isa<ReduceStageOp>(other) && !folds.contains(other);
  });
}

namespace {
/// A kernel, of which the folds that need no other fold become one of their
/// own.
class FoldSplit {
public:
  explicit FoldSplit(KernelOp kernel)
      : kernel(kernel), dims(kernel), folded(kernel.getNumDims()) {
    for (ReduceStageOp stage : kernel.getBodyBlock().getOps<ReduceStageOp>())
      if (!needsOtherFold(stage, {}))
        first.insert(stage);
    for (Operation *stage : first)
      for (int64_t dim : getFoldedDims(stage))
        folded.set(unsigned(dim));
    for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
      (isEarly(write) ? early : late).push_back(write);
  }

  /// Whether blocks can share the folds that are split off, and something is
  /// left.
  bool isPossible() {
    return !first.empty() && !late.empty() &&
           llvm::all_of(kernel.getBodyBlock(),
                        [&](Operation &op) {
                          if (auto write = dyn_cast<WriteOp>(op))
                            return !write.isScatter() &&
                                   write.getDestination().hasOneUse();
                          return !isWholeStage(&op) &&
                                 !isa<ContractStageOp, ScanStageOp>(op);
                        }) &&
           llvm::all_of(first, [&](Operation *stage) {
             return getFoldedDims(stage) == getFoldedDims(first.front());
           });
  }

  /// The kernel of the rest.
  KernelOp apply(RewriterBase &rewriter) {
    rewriter.setInsertionPoint(kernel);
    KernelOp folds = makeFolds(rewriter);
    KernelOp rest = makeRest(rewriter, folds);
    for (auto [index, write] : llvm::enumerate(early))
      replace(rewriter, write, folds->getResult(index));
    for (auto [index, write] : llvm::enumerate(late))
      replace(rewriter, write, rest->getResult(index));
    rewriter.eraseOp(kernel);
    simplifyAndClassify(folds);
    simplifyAndClassify(rest);
    return rest;
  }

private:
  /// Whether a write is of what these folds give, and along no folded
  /// dimension.
  bool isEarly(WriteOp write) const {
    return !dims.ofWrite(write).anyCommon(folded) &&
           !needsOtherFold(write, first);
  }

  static unsigned getOut(WriteOp write) {
    KernelOp kernel = write->getParentOfType<KernelOp>();
    return cast<BlockArgument>(write.getDestination()).getArgNumber() -
           unsigned(kernel.getIns().size());
  }

  void replace(RewriterBase &rewriter, WriteOp write, Value by) {
    rewriter.replaceAllUsesWith(kernel->getResult(getOut(write)), by);
  }

  SmallVector<Value> getDestinations(ArrayRef<WriteOp> writes) {
    return llvm::map_to_vector(writes, [&](WriteOp write) {
      return getOperandOf(kernel, write.getDestination());
    });
  }

  SmallVector<AffineExpr> getPoint(Value result, KernelBuilder &b) const {
    return llvm::map_to_vector(dims.of(result).set_bits(),
                               [&](unsigned dim) { return b.dim(dim); });
  }

  /// Clones the body but for what `values` has already, and `writes` instead of
  /// its own, to the first destinations of a kernel.
  void cloneBody(KernelBuilder &b, ArrayRef<WriteOp> writes,
                 IRMapping &values) {
    DomainEmbedding embedding = embedWhole(kernel, b.getKernel(), values);
    for (Operation &op : kernel.getBodyBlock())
      if (!isa<WriteOp>(op) &&
          (op.getNumResults() == 0 || !values.contains(op.getResult(0))))
        cloneEmbedded(b.body, &op, embedding, values);
    for (auto [index, one] : llvm::enumerate(writes)) {
      WriteOp write = one;
      values.map(write.getDestination(), b.getKernel().getOutArgument(index));
      cloneEmbedded(b.body, write, embedding, values);
    }
  }

  KernelOp makeFolds(RewriterBase &rewriter) {
    SmallVector<Value> destinations = getDestinations(early);
    SmallVector<Value> results;
    for (Operation *stage : first)
      llvm::append_range(results, stage->getResults());
    for (Value result : results) {
      auto sizes =
          llvm::map_to_vector(dims.of(result).set_bits(), [&](unsigned dim) {
            return SizeExprAttr(kernel.getDimSize(dim));
          });
      destinations.push_back(EmptyOp::create(
          rewriter, kernel.getLoc(), getTensorType(sizes, result.getType())));
    }
    KernelBuilder b(rewriter, kernel.getLoc(), kernel.getName(), getDims(),
                    destinations);
    IRMapping values;
    cloneBody(b, early, values);
    for (auto [index, result] : llvm::enumerate(results))
      b.write(values.lookup(result), unsigned(early.size() + index),
              getPoint(result, b));
    return b.finish();
  }

  KernelOp makeRest(RewriterBase &rewriter, KernelOp folds) {
    KernelBuilder b(rewriter, kernel.getLoc(), kernel.getName(), getDims(),
                    getDestinations(late));
    IRMapping values;
    unsigned index = early.size();
    for (Operation *stage : first)
      for (Value result : stage->getResults())
        values.map(result,
                   b.read(folds->getResult(index++), getPoint(result, b)));
    cloneBody(b, late, values);
    return b.finish();
  }

  SmallVector<DimAttr> getDims() {
    return llvm::map_to_vector(
        kernel.getDims(), [](Attribute dim) { return cast<DimAttr>(dim); });
  }

  KernelOp kernel;
  KernelDims dims;
  llvm::SetVector<Operation *> first;
  DimSet folded;
  SmallVector<WriteOp> early, late;
};

class SplitFoldsPass : public tc::impl::TCSplitFoldsPassBase<SplitFoldsPass> {
public:
  void runOnOperation() override {
    MachineModel machine = MachineModel::get(getOperation());
    if (!machine.isGPU)
      return;
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      while (kernel && isShortOfColumns(kernel, machine)) {
        FoldSplit split(kernel);
        if (!split.isPossible())
          break;
        kernel = split.apply(rewriter);
        ++numSplit;
      }
  }

private:
  /// Whether a kernel folds columns that blocks cannot share, and has too few
  /// of these for all multiprocessors, so that two kernels take less time, of
  /// which each reads and writes as much.
  static bool isShortOfColumns(KernelOp kernel, const MachineModel &machine) {
    if (classifyKernel(kernel) != KernelClass::ColumnReduction ||
        mayFoldInParts(kernel))
      return false;
    KernelCost cost = estimateCost(kernel), shared = cost;
    cost.parallelism /= kColumnsOfBlock;
    shared.parallelism = double(machine.units);
    return estimateTime(cost, machine) > 2 * estimateTime(shared, machine);
  }
};
} // namespace
