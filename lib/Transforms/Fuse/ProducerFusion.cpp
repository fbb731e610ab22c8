//===- ProducerFusion.cpp - Whether a producer goes into its consumers ----===//

#include "TC/Transforms/Fuse/ProducerFusion.h"
#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelInlining.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/LibraryFusion.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

/// Above this weight an element is not computed again and again.
static constexpr double kExpensive = 8;
/// Reads of one element that an expensive producer is evaluated for.
static constexpr double kMaxEvaluations = 2;
/// What may be computed on the way into a contraction's operand, which is read
/// once for every tile.
static constexpr double kOperandWeight = 2.5;

/// What may be computed of positions, and of vectors along them, for each score
/// of attention: a mask in memory would be read for each score, and the keys
/// that it leaves out would not be known.
static constexpr double kScoreWeight = 20;

/// Longer bodies are not copied into several kernels: in a recurrence, where
/// each step is read by the next one and by its output, the copies would grow
/// from step to step.
static constexpr size_t kMaxCopiedOps = 64;

/// Longer kernels that a producer went into wait a round before they go into
/// consumers of their own. A chain of n ops is then joined in pairs that double
/// in length, for n log n copies of ops; from its start on it would be n^2.
static constexpr size_t kLongOps = 64;

namespace {
/// The decision for one result of one producer.
class ProducerFusion {
public:
  ProducerFusion(OpResult result, PointwiseProducer producer,
                 const MachineModel &machine, ProducerFusionKind kind,
                 StringRef pass)
      : result(result), producer(std::move(producer)), machine(machine),
        kind(kind), pass(pass), uses(KernelReads::get(result)) {
    for (ReadOp read : uses.reads)
      consumers.insert(cast<KernelOp>(read->getParentOp()));
  }

  const llvm::SetVector<KernelOp> &getConsumers() const { return consumers; }

  /// Does it, and returns the kernels that the producer is in.
  llvm::SetVector<KernelOp> run() {
    if (consumers.empty())
      return {};
    bool isTaken = consumers.size() > 1 || onlyMoves(consumers.front());
    if (isTaken && !producer.isView() && endsContraction()) {
      for (KernelOp consumer : consumers)
        remarkRefused(pass, producer.getKernel(), consumer.getName(),
                      "it is the epilogue of the contraction it reads");
      return {};
    }
    llvm::SetVector<KernelOp> accepted;
    for (KernelOp consumer : consumers) {
      llvm::Error error = check(consumer);
      if (!error) {
        accepted.insert(consumer);
        continue;
      }
      remarkRefused(pass, producer.getKernel(), consumer.getName(),
                    llvm::toString(std::move(error)));
    }
    bool isComplete =
        !uses.hasOtherUsers && accepted.size() == consumers.size();
    llvm::SetVector<KernelOp> chosen;
    size_t ops = producer.getKernel().getBodyBlock().getOperations().size();
    bool isLongCopy =
        (accepted.size() > 1 || staysForOthers()) && ops > kMaxCopiedOps;
    if (isComplete && !isLongCopy && getBenefit(accepted) > 0)
      chosen = accepted;
    else
      for (KernelOp consumer : accepted)
        if (savesBytes(consumer))
          chosen.insert(consumer);
        else
          remarkRefused(pass, producer.getKernel(), consumer.getName(),
                        "its result is needed elsewhere and reading it costs "
                        "less than computing it again");
    apply(chosen);
    return chosen;
  }

private:
  /// Whether the producer alone reads a contraction, as many elements as it
  /// makes and no narrower ones: it can run on the contraction's tile instead
  /// of in each of its consumers.
  bool endsContraction() {
    return llvm::any_of(producer.getReads(), [&](ReadOp read) {
      Value input = getOperandOf(producer.getKernel(), read.getSource());
      auto contraction = input.getDefiningOp<KernelOp>();
      return contraction && hasContraction(contraction) && input.hasOneUse() &&
             estimateElements(contraction, input.getType()) ==
                 estimateElements(producer.getKernel(), result.getType()) &&
             estimateBytes(producer.getKernel(), result.getType()) <=
                 estimateBytes(contraction, input.getType());
    });
  }

  /// Whether a kernel does nothing but move elements, for kernels that can read
  /// through it.
  static bool onlyMoves(KernelOp kernel) {
    return llvm::all_of(
               kernel.getBodyBlock(),
               [](Operation &op) { return isa<ReadOp, WriteOp>(op); }) &&
           llvm::all_of(kernel->getUsers(),
                        [](Operation *user) { return isa<KernelOp>(user); });
  }

  /// Whether the reads of `consumer` can be replaced, and how often each
  /// element would be computed.
  llvm::Error check(KernelOp consumer) {
    if (consumer->getBlock() != producer.getKernel()->getBlock())
      return refuse("it is in another region");
    if (!producer.isView())
      if (llvm::Error error =
              checkInlinedCode(consumer, result, producer.getWeight()))
        return error;
    KernelDims values(consumer);
    for (ReadOp read : uses.reads) {
      if (read->getParentOp() != consumer)
        continue;
      if (llvm::Error error = producer.canInline(read))
        return error;
      if (kind == ProducerFusionKind::Elementwise && read.getWithin() &&
          mayBeEpilogue())
        return refuse("it may be an epilogue, which what reads partly outside "
                      "is not");
      bool isCheap = producer.isView() ||
                     picksMatrices(producer.getKernel(), machine) ||
                     (producer.getWeight() <= kOperandWeight &&
                      (producer.getReads().size() <= 1 ||
                       isOperandOfOneTile(consumer, read, machine)));
      bool changesScores =
          producer.getWeight() <= kScoreWeight && isOfScores(consumer, read);
      if (hasContraction(consumer) && feedsContraction(read) && !isCheap &&
          !changesScores)
        return refuse("it would be computed for every tile of a contraction");
      if (llvm::Error error = checkLibraryPrologue(producer, read, machine))
        return error;
      double evaluations =
          estimatePoints(consumer, values.of(read.getResult())) /
          estimateElements(consumer, result.getType());
      if (isNarrowed(read) && readsInTiles(consumer, read, evaluations))
        return refuse("tiles of a contraction are copied from memory in the "
                      "type that it multiplies");
      if (producer.getWeight() > kExpensive && evaluations > kMaxEvaluations &&
          !changesScores)
        return refuse("it is expensive and each element is read " +
                      Twine(static_cast<int64_t>(evaluations)) + " times");
    }
    return llvm::Error::success();
  }

  /// Whether the producer casts wider elements to what `read` takes for tensor
  /// cores: the copy engine would not copy them, and each tile would read the
  /// wider ones.
  bool isNarrowed(ReadOp read) {
    return machine.hasWarpGroupProducts && isa<FloatType>(read.getType()) &&
           llvm::any_of(producer.getReads(), [&](ReadOp source) {
             return getElementBytes(source.getType()) >
                    getElementBytes(read.getType());
           });
  }

  /// Whether more than one tile of a contraction reads each element, or the
  /// consumer only moves elements for contractions, which then can read what it
  /// reads.
  bool readsInTiles(KernelOp consumer, ReadOp read, double evaluations) {
    return movesForContractions(consumer) ||
           (feedsContraction(read) &&
            (evaluations > kMaxEvaluations ||
             !isOperandOfOneTile(consumer, read, machine)));
  }

  /// Whether the producer is arithmetic on what only it needs of a kernel with
  /// stages.
  bool mayBeEpilogue() {
    return !producer.isView() &&
           llvm::any_of(producer.getKernel().getIns(), [](Value input) {
             auto source = input.getDefiningOp<KernelOp>();
             return source && hasStages(source) && input.hasOneUse();
           });
  }

  /// Whether a contraction's operand depends on `read`.
  static bool feedsContraction(ReadOp read) {
    return isReached(read, [](Operation *user, Value) {
      return isa<ContractStageOp>(user) ? Reached::Yes : Reached::Further;
    });
  }

  /// Whether attention, or its gradients, multiply what depends on `read` other
  /// than by the exponentials of scores.
  static bool feedsMatrix(ReadOp read) {
    return isReached(read, [](Operation *user, Value value) {
      if (isa<ExpOp>(user))
        return Reached::No;
      if (auto stage = dyn_cast<AttentionBackwardStageOp>(user))
        return value == stage.getAdded() ? Reached::No : Reached::Yes;
      return isa<ContractStageOp>(user) ? Reached::Yes : Reached::Further;
    });
  }

  enum class Reached { Yes, No, Further };
  /// Whether `judge` says Yes of an op that depends on `read` by ops of which
  /// it says Further, with the operand by which it does.
  static bool isReached(ReadOp read,
                        llvm::function_ref<Reached(Operation *, Value)> judge) {
    llvm::SetVector<Value> reached;
    reached.insert(read.getResult());
    for (size_t index = 0; index < reached.size(); ++index)
      for (Operation *user : reached[index].getUsers()) {
        Reached found = judge(user, reached[index]);
        if (found == Reached::Yes)
          return true;
        if (found == Reached::Further)
          reached.insert(user->result_begin(), user->result_end());
      }
    return false;
  }

  /// Whether `read` is added to the scores of attention, or masks them, also
  /// where it has gradients, and the producer reads less than it makes.
  bool isOfScores(KernelOp consumer, ReadOp read) {
    bool isAttention =
        consumer.getKernelClass() == KernelClass::Attention ||
        !consumer.getBodyBlock().getOps<AttentionBackwardStageOp>().empty();
    if (!isAttention || feedsMatrix(read))
      return false;
    double elements = estimateElements(producer.getKernel(), result.getType());
    return llvm::all_of(producer.getReads(), [&](ReadOp source) {
      Value input = getOperandOf(producer.getKernel(), source.getSource());
      return source.getIndices().empty() &&
             estimateElements(producer.getKernel(), input.getType()) < elements;
    });
  }

  double readBytes(KernelOp consumer) {
    double bytes = 0;
    KernelDims values(consumer);
    for (ReadOp read : uses.reads)
      if (read->getParentOp() == consumer)
        bytes = std::max(
            bytes,
            std::min(estimateBytes(consumer, result.getType()),
                     estimatePoints(consumer, values.of(read.getResult())) *
                         double(getElementBytes(read.getType()))));
    return bytes;
  }

  /// Bytes of the producer's inputs that the consumer would read, for the part
  /// of the result that it needs.
  double newBytes(KernelOp consumer) {
    double bytes = producer.getInputBytes([&](Value input) {
      return llvm::is_contained(consumer.getIns(), input);
    });
    KernelDims values(consumer);
    double part = 0, elements = estimateElements(consumer, result.getType());
    for (ReadOp read : uses.reads)
      if (read->getParentOp() == consumer)
        part = std::max(part,
                        estimatePoints(consumer, values.of(read.getResult())) /
                            std::max(elements, 1.0));
    return bytes * std::min(part, 1.0);
  }

  double recomputation(KernelOp consumer) {
    KernelDims values(consumer);
    double points = 0;
    for (ReadOp read : uses.reads)
      if (read->getParentOp() == consumer)
        points += estimatePoints(consumer, values.of(read.getResult()));
    return points * producer.getWeight();
  }

  /// Whether the producer computes something else that is needed.
  bool staysForOthers() {
    return llvm::any_of(producer.getKernel()->getResults(), [&](Value other) {
      return other != result && !other.use_empty();
    });
  }

  /// Nanoseconds that are saved when the producer disappears into `consumers`,
  /// less what one kernel with both its own and a consumer's result saves.
  double getBenefit(const llvm::SetVector<KernelOp> &consumers) {
    double elements = estimateElements(producer.getKernel(), result.getType());
    double written = estimateBytes(producer.getKernel(), result.getType());
    double bytes =
        written + producer.getInputBytes([](Value) { return false; });
    double flops = -elements * producer.getWeight(), largestRead = 0;
    for (KernelOp consumer : consumers) {
      bytes += readBytes(consumer) - newBytes(consumer);
      flops += recomputation(consumer);
      largestRead = std::max(largestRead, readBytes(consumer));
    }
    double benefit =
        (staysForOthers() ? 0 : machine.launchTime) +
        bytes / machine.bandwidth -
        std::max(flops, 0.0) / (machine.unitRate * double(machine.units));
    if (consumers.size() > 1 && !producer.isView())
      benefit -= machine.launchTime + largestRead / machine.bandwidth - 1;
    return benefit;
  }

  /// Whether reading the producer's inputs is less than reading its result.
  bool savesBytes(KernelOp consumer) {
    double before = readBytes(consumer), after = newBytes(consumer);
    return producer.isView()
               ? after <= before
               : after < before && producer.getWeight() <= kExpensive;
  }

  void apply(const llvm::SetVector<KernelOp> &chosen) {
    for (KernelOp consumer : chosen)
      remarkFused(pass, producer.getKernel(), consumer.getName());
    // Erases the read: each is looked at once.
    for (ReadOp read : uses.reads)
      if (chosen.contains(cast<KernelOp>(read->getParentOp())))
        producer.inlineAt(read);
    for (KernelOp consumer : chosen)
      simplifyKernel(consumer);
  }

  OpResult result;
  PointwiseProducer producer;
  const MachineModel &machine;
  ProducerFusionKind kind;
  StringRef pass;
  KernelReads uses;
  llvm::SetVector<KernelOp> consumers;
};
} // namespace

/// Fuses those of `kernels` that need not wait, and returns the others.
static SmallVector<KernelOp> fuseRound(ArrayRef<KernelOp> kernels,
                                       const MachineModel &machine,
                                       ProducerFusionKind kind, StringRef pass,
                                       unsigned &fused) {
  llvm::DenseSet<Operation *> grown;
  SmallVector<KernelOp> waiting;
  for (KernelOp kernel : kernels) {
    if (grown.contains(kernel) &&
        kernel.getBodyBlock().getOperations().size() > kLongOps) {
      waiting.push_back(kernel);
      continue;
    }
    for (OpResult result : kernel->getResults()) {
      std::optional<PointwiseProducer> producer =
          PointwiseProducer::get(result);
      if (!producer)
        continue;
      ProducerFusion fusion(result, *producer, machine, kind, pass);
      bool hasOtherConsumers =
          llvm::any_of(fusion.getConsumers(),
                       [](KernelOp consumer) { return hasStages(consumer); });
      if (kind == ProducerFusionKind::Elementwise && hasOtherConsumers)
        continue;
      llvm::SetVector<KernelOp> chosen = fusion.run();
      fused += !chosen.empty();
      grown.insert(chosen.begin(), chosen.end());
    }
    eliminateDeadOutputs(kernel);
  }
  return waiting;
}

unsigned tc::fuseProducers(Operation *root, ProducerFusionKind kind,
                           StringRef pass) {
  MachineModel machine = MachineModel::get(root);
  unsigned fused = 0;
  SmallVector<KernelOp> kernels = getOutermostKernels(root);
  while (!kernels.empty())
    kernels = fuseRound(kernels, machine, kind, pass, fused);
  return fused;
}
