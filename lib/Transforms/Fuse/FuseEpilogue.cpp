//===- FuseEpilogue.cpp - tc-fuse-epilogue --------------------------------===//

#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/LibraryFusion.h"
#include "TC/Transforms/Fuse/MergedFolds.h"
#include "TC/Transforms/Fuse/ProductPairs.h"
#include "TC/Transforms/Fuse/StageNesting.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSEEPILOGUEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

static constexpr StringLiteral kPass = "tc-fuse-epilogue";

/// Whether the kernel's results are more than one plain write each.
static bool scattersOrSorts(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock(), [](Operation &op) {
    auto write = dyn_cast<WriteOp>(op);
    return isWholeStage(&op) ||
           (write && (!write.getIndices().empty() || write.getWithin() ||
                      write.getCombine() != CombineKind::Replace));
  });
}

static bool scans(KernelOp kernel) {
  return !kernel.getBodyBlock().getOps<ScanStageOp>().empty();
}

/// Points that the largest reduction of `kernel` folds.
static double getLongestRow(KernelOp kernel) {
  double longest = 1;
  for (ReduceStageOp stage : kernel.getBodyBlock().getOps<ReduceStageOp>()) {
    DimSet over(kernel.getNumDims());
    for (int64_t dim : stage.getOver())
      over.set(dim);
    longest = std::max(longest, estimatePoints(kernel, over));
  }
  return longest;
}

/// Whether `kernel` folds few points for each of its results, and is none of
/// those that hold rows on chip.
static bool foldsWindows(KernelOp kernel) {
  constexpr double kFewPoints = 32;
  return hasStages(kernel) && !hasContraction(kernel) && !scans(kernel) &&
         !scattersOrSorts(kernel) && getLongestRow(kernel) <= kFewPoints;
}

namespace {
/// Whether a consumer should become a part of its producer's kernel.
class EpilogueDecision {
public:
  EpilogueDecision(KernelOp producer, KernelOp consumer,
                   const MachineModel &machine)
      : producer(producer), consumer(consumer), machine(machine) {}

  llvm::Expected<MergedDomain> decide() {
    if (scattersOrSorts(producer) || scattersOrSorts(consumer))
      return refuse("one of them scatters or sorts");
    if (hasContraction(consumer))
      return decidePair();
    if (scans(producer) && hasStages(consumer))
      return refuse("the consumer folds what the producer scans");
    if (hasContraction(producer) && hasStages(consumer))
      return refuse("a contraction's tile does not hold whole rows");
    if (movesWhatStays() || ((hasContraction(producer) ||
                              foldsWindows(producer) || isReadByColumns()) &&
                             isForReaders()))
      return refuse("what reads it is better off with what it is computed "
                    "from");
    if (losesTileStores())
      return refuse("two results of a contraction are stored by threads, which "
                    "would take longer than a kernel of its own");
    if (picksMatrices(consumer, machine))
      return refuse("it picks a matrix for each row of a contraction");
    if (llvm::Error error = checkMergedCode(producer, consumer))
      return error;
    if (!canMoveTogether(producer, consumer))
      return refuse("an op between them needs one and feeds the other");
    llvm::Expected<MergedDomain> domain = unifyDomains(producer, consumer);
    if (!domain)
      return domain;
    if (llvm::Error error = checkDomain(*domain))
      return error;
    constexpr unsigned kMostNesting = 1;
    if (getStageNesting(producer, consumer, *domain) > kMostNesting)
      return refuse("folds along one dimension after the other would be "
                    "computed again for each other's points");
    if (llvm::Error error = checkTime(*domain))
      return error;
    if (llvm::Error error =
            checkLibraryEpilogue(producer, consumer, *domain, machine))
      return error;
    return domain;
  }

private:
  /// Of two products one may be what the other one's epilogue needs.
  llvm::Expected<MergedDomain> decidePair() {
    llvm::Expected<MergedDomain> domain =
        unifyProductPair(producer, consumer, machine);
    if (!domain)
      return domain;
    if (!canMoveTogether(producer, consumer))
      return refuse("an op between them needs one and feeds the other");
    if (llvm::Error error = checkMergedCode(producer, consumer))
      return error;
    if (llvm::Error error =
            checkLibraryEpilogue(producer, consumer, *domain, machine))
      return error;
    return domain;
  }

  /// Whether kernels that read the consumer are better off with what it is
  /// computed from: folds, where that is in memory for others anyway and takes
  /// no more bytes than its result would be written and read with; and any that
  /// compute point by point as well, where its result is wider than that, as
  /// that of a cast.
  bool isForReaders() {
    if (consumer->use_empty())
      return false;
    bool staysForOthers = llvm::none_of(consumer.getIns(), [&](Value input) {
      return input.getDefiningOp() == producer.getOperation() &&
             isForConsumer(input);
    });
    KernelCost cost = estimateCost(consumer);
    if (staysForOthers && cost.bytesRead <= 2 * cost.bytesWritten &&
        isReadByKernels(consumer, /*byFoldsAlone=*/true))
      return true;
    return cost.bytesRead < cost.bytesWritten &&
           isReadByKernels(consumer, /*byFoldsAlone=*/false);
  }

  /// Whether the consumer only moves what stays in memory for others, for
  /// contractions on tensor cores, which can read it where it is.
  bool movesWhatStays() {
    return machine.hasWarpGroupProducts && !hasContraction(producer) &&
           staysForOthers() && movesForContractions(consumer);
  }

  /// Whether the consumer's readers fold columns on a GPU, whose blocks share
  /// them only where no point is written: not in one kernel with the producer.
  bool isReadByColumns() {
    return machine.isGPU && !hasStages(consumer) &&
           llvm::all_of(consumer->getUsers(), [](Operation *reader) {
             auto kernel = dyn_cast<KernelOp>(reader);
             return kernel &&
                    kernel.getKernelClass() == KernelClass::ColumnReduction;
           });
  }

  /// Whether only kernels read the results of `op` into which a producer goes:
  /// folds, or others that are pointwise.
  static bool isReadByKernels(Operation *op, bool byFoldsAlone) {
    return llvm::all_of(op->getUsers(), [byFoldsAlone](Operation *reader) {
      if (isa<ReshapeOp>(reader))
        return isReadByKernels(reader, byFoldsAlone);
      auto kernel = dyn_cast<KernelOp>(reader);
      return kernel && !hasContraction(kernel) && !scans(kernel) &&
             !scattersOrSorts(kernel) && (!byFoldsAlone || hasStages(kernel));
    });
  }

  /// Whether the copy engine stores the tiles of a contraction as long as it
  /// has one result, and that is worth a launch more.
  bool losesTileStores() {
    // Bytes of two results in a nanosecond, on an H200.
    constexpr double kThreadStores = 1400;
    if (!hasContraction(producer) || !machine.hasWarpGroupProducts ||
        !staysForOthers())
      return false;
    llvm::Expected<TensorCoreProduct> product =
        TensorCoreProduct::find(producer, getWrittenDim(producer));
    if (!product) {
      llvm::consumeError(product.takeError());
      return false;
    }
    KernelCost own = estimateCost(consumer);
    double stored = estimateCost(producer).bytesWritten + own.bytesWritten;
    return product->results &&
           stored / kThreadStores > estimateTime(own, machine);
  }

  llvm::Error checkDomain(const MergedDomain &domain) {
    unsigned rank = domain.dims.size();
    DimSet ofProducer = MergedDomain::usedBy(domain.first, rank);
    DimSet ofConsumer = MergedDomain::usedBy(domain.second, rank);
    // A dimension of one point repeats nothing.
    for (unsigned dim = 0; dim < rank; ++dim)
      if (domain.dims[dim].getSize().getConstant() == 1)
        ofConsumer.reset(dim);
    DimSet onlyConsumer = ofConsumer;
    onlyConsumer.reset(ofProducer);
    KernelDims values(producer);
    DimSet beyond = ofConsumer;
    beyond.reset(MergedDomain::image(values.written(), domain.first, rank));
    // Where it needs only what has been folded, no row is read again.
    if (beyond.none() && !hasStages(consumer) && !hasContraction(producer))
      return llvm::Error::success();
    if (onlyConsumer.none() && !hasContraction(producer))
      return checkRow();
    if (hasContraction(producer)) {
      if (isView(consumer) && splitsDims(domain))
        return refuse("the consumer only moves elements and would split a "
                      "dimension of the contraction");
      if (beyond.any())
        return refuse("the consumer needs more than a tile of the contraction");
      return llvm::Error::success();
    }
    // The consumer has dimensions of its own: what the producer computes is
    // used again at each of their points. Kept on chip if it is small work.
    constexpr double kSmallPart = 0.25;
    if (estimateCost(producer).flops >
        kSmallPart * estimateCost(consumer).flops)
      return refuse("the consumer repeats each element, and the producer is "
                    "much work");
    return checkRow();
  }

  /// Whether the kernel does nothing but copy.
  static bool isView(KernelOp kernel) {
    return llvm::all_of(kernel.getBodyBlock(), [](Operation &op) {
      return isa<ReadOp, WriteOp, CastOp>(op);
    });
  }

  /// Whether a dimension of the producer would become several.
  static bool splitsDims(const MergedDomain &domain) {
    return !llvm::all_of(domain.first, [](AffineExpr expr) {
      return isa<AffineDimExpr, AffineConstantExpr>(expr);
    });
  }

  /// The row that both need must stay on chip.
  llvm::Error checkRow() {
    double row = std::max(getLongestRow(producer), getLongestRow(consumer));
    constexpr double kBytes = 4;
    // Blocks of a cluster share a row.
    auto most = double(machine.onChipBytes * machine.clusterBlocks);
    if (hasStages(producer) && row * kBytes > most)
      return refuse("a row of " + Twine(static_cast<int64_t>(row)) +
                    " elements does not stay on chip");
    return llvm::Error::success();
  }

  /// Time of one kernel against that of two.
  llvm::Error checkTime(const MergedDomain &domain) {
    KernelCost first = estimateCost(producer), second = estimateCost(consumer);
    KernelCost merged;
    merged.flops = first.flops + second.flops;
    merged.bytesRead = first.bytesRead + second.bytesRead - sharedBytes();
    merged.bytesWritten =
        first.bytesWritten + second.bytesWritten - unneededBytes();
    const MergedFolds folds(producer, consumer, domain);
    merged.parallelism = folds.getParallelism(machine, staysForOthers());
    // Columns are folded first, and what is written is computed behind that.
    if (machine.isGPU && folds.keepsColumnsWhole(staysForOthers()))
      merged.bytesRead *= 2;
    double before =
        estimateTime(first, machine) + estimateTime(second, machine);
    double after = estimateTime(merged, machine);
    if (after <= before)
      return llvm::Error::success();
    return refuse("one kernel has " +
                  Twine(static_cast<int64_t>(merged.parallelism)) +
                  " independent parts and would take longer");
  }

  /// Bytes that the consumer reads of the producer's results and inputs.
  double sharedBytes() {
    double bytes = 0;
    for (Value input : consumer.getIns())
      if (input.getDefiningOp() == producer.getOperation() ||
          llvm::is_contained(producer.getIns(), input))
        bytes += estimateBytes(consumer, input.getType());
    return std::min(bytes, estimateCost(consumer).bytesRead);
  }

  /// Bytes of results that nothing but the consumer needs.
  double unneededBytes() {
    double bytes = 0;
    for (Value result : producer.getResults())
      if (isForConsumer(result))
        bytes += estimateBytes(producer, result.getType());
    return bytes;
  }

  /// Whether nothing but the consumer reads a result of the producer.
  bool isForConsumer(Value result) {
    return llvm::all_of(result.getUsers(), [&](Operation *user) {
      return user == consumer.getOperation();
    });
  }

  /// Whether anything but the consumer reads what the producer gives.
  bool staysForOthers() {
    return !llvm::all_of(producer.getResults(),
                         [&](Value result) { return isForConsumer(result); });
  }

  KernelOp producer, consumer;
  const MachineModel &machine;
};

class FuseEpiloguePass
    : public tc::impl::TCFuseEpiloguePassBase<FuseEpiloguePass> {
public:
  void runOnOperation() override {
    MachineModel machine = MachineModel::get(getOperation());
    SmallVector<KernelOp> order = getOutermostKernels(getOperation());
    // The next one is at the back.
    std::reverse(order.begin(), order.end());
    IRRewriter rewriter(&getContext());
    while (!order.empty()) {
      KernelOp producer = order.pop_back_val();
      if (KernelOp merged =
              fuseWithConsumer(rewriter, producer, machine, order))
        order.push_back(merged);
    }
  }

private:
  /// Merges `producer` with the first consumer that fits. Kernels that vanish
  /// leave `order`.
  KernelOp fuseWithConsumer(RewriterBase &rewriter, KernelOp producer,
                            const MachineModel &machine,
                            SmallVectorImpl<KernelOp> &order) {
    llvm::SetVector<KernelOp> consumers;
    for (Operation *user : producer->getUsers())
      if (auto kernel = dyn_cast<KernelOp>(user))
        if (kernel->getBlock() == producer->getBlock())
          consumers.insert(kernel);
    SmallVector<KernelOp> inOrder = consumers.takeVector();
    llvm::sort(inOrder, [](KernelOp a, KernelOp b) {
      return a != b && a->isBeforeInBlock(b);
    });
    for (KernelOp consumer : inOrder) {
      std::string name = consumer.getName().str();
      llvm::Expected<MergedDomain> domain =
          EpilogueDecision(producer, consumer, machine).decide();
      if (!domain) {
        remarkRefused(kPass, producer, name,
                      llvm::toString(domain.takeError()));
        continue;
      }
      remarkFused(kPass, producer, name);
      ++numFused;
      llvm::erase(order, consumer);
      return mergeKernels(rewriter, producer, consumer, *domain);
    }
    return nullptr;
  }
};
} // namespace
