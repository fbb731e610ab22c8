//===- FuseAttention.cpp - tc-fuse-attention ------------------------------===//

#include "../Schedule/GPUAttentionSchedule.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/FuseReshapes.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/SplitDimensions.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSEATTENTIONPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

static constexpr StringLiteral kPass = "tc-fuse-attention";

/// The kernel that makes what `value`, of a kernel's body, is read from, also
/// with other dimensions in front, where the read is all that it is for.
static KernelOp getOnlyMaker(KernelOp kernel, Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty())
    return nullptr;
  Value input = getOperandOf(kernel, read.getSource());
  if (auto reshape = input.getDefiningOp<ReshapeOp>();
      reshape && input.hasOneUse())
    input = reshape.getX();
  auto maker = input.getDefiningOp<KernelOp>();
  return maker && input.hasOneUse() && maker.getNumResults() == 1 &&
                 maker->getBlock() == kernel->getBlock()
             ? maker
             : nullptr;
}

namespace {
/// Three kernels: scores, their softmax, and the sums that it weights.
struct Parts {
  KernelOp scores, weights, output;
  static std::optional<Parts> find(KernelOp output);
};
} // namespace

/// The only stage of a kernel with no other; null where it has others.
static ContractStageOp getOnlyContraction(KernelOp kernel) {
  if (kernel.getKernelClass() != KernelClass::Contraction)
    return nullptr;
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  return llvm::hasSingleElement(stages) ? *stages.begin() : nullptr;
}

std::optional<Parts> Parts::find(KernelOp output) {
  ContractStageOp stage = getOnlyContraction(output);
  if (!stage)
    return std::nullopt;
  for (Value operand : {stage.getLhs(), stage.getRhs()}) {
    KernelOp weights = getOnlyMaker(output, operand);
    if (!weights || weights.getKernelClass() != KernelClass::RowReduction)
      continue;
    auto folds =
        llvm::to_vector(weights.getBodyBlock().getOps<ReduceStageOp>());
    if (folds.size() != 2 || folds[0].getKind() != ReductionKind::Max ||
        folds[1].getKind() != ReductionKind::Sum)
      continue;
    // The scores are the softmax's only input that a contraction makes.
    for (ReadOp read : weights.getBodyBlock().getOps<ReadOp>())
      if (KernelOp scores = getOnlyMaker(weights, read))
        if (getOnlyContraction(scores))
          return Parts{scores, weights, output};
  }
  return std::nullopt;
}

/// The fold that `divisor` is, or is where that is not 0.
static ReduceStageOp findSum(Value divisor) {
  if (auto select = divisor.getDefiningOp<SelectOp>())
    divisor = select.getY();
  return divisor.getDefiningOp<ReduceStageOp>();
}

/// Weights the values with exponentials, and divides the sums by that of the
/// exponentials, where the weights were divided before: each row is divided
/// once, and its sum need not be known before the values are weighted.
static void divideSums(KernelOp kernel) {
  for (auto stage : kernel.getBodyBlock().getOps<ContractStageOp>())
    for (OpOperand &operand : stage->getOpOperands()) {
      Value weight = operand.get();
      while (auto cast = weight.getDefiningOp<CastOp>())
        weight = cast.getX();
      auto quotient = weight.getDefiningOp<DivOp>();
      if (!quotient || !findSum(quotient.getY()))
        continue;
      OpBuilder builder(stage);
      Value exponential = quotient.getX();
      if (exponential.getType() != operand.get().getType())
        exponential = CastOp::create(builder, stage.getLoc(),
                                     operand.get().getType(), exponential);
      operand.set(exponential);
      builder.setInsertionPointAfter(stage);
      Value sums = stage.getResult();
      auto divided =
          DivOp::create(builder, stage.getLoc(), sums, quotient.getY());
      sums.replaceAllUsesExcept(divided.getResult(), divided);
      return;
    }
}

namespace {
/// Puts the parts into one kernel, or leaves them as they are.
class AttentionFusion {
public:
  AttentionFusion(RewriterBase &rewriter, Parts parts,
                  const MachineModel &machine)
      : rewriter(rewriter), parts(parts), machine(machine) {}
  /// Succeeds where they are one kernel now; else the error says why not.
  llvm::Error run();

private:
  void keepCopies();
  void restore(ArrayRef<KernelOp> kernels);
  llvm::Error readThroughReshapes(KernelOp kernel);
  llvm::Expected<KernelOp> merge(KernelOp first, KernelOp second);

  RewriterBase &rewriter;
  Parts parts;
  const MachineModel &machine;
  /// Copies of the kernels and of reshapes between them, in their order and in
  /// no block.
  SmallVector<Operation *> copies;
};
} // namespace

void AttentionFusion::keepCopies() {
  IRMapping values;
  auto keep = [&](Operation *op) { copies.push_back(op->clone(values)); };
  KernelOp last;
  for (KernelOp kernel : {parts.scores, parts.weights, parts.output}) {
    if (last)
      for (Operation *user : last->getUsers())
        if (isa<ReshapeOp>(user))
          keep(user);
    keep(kernel);
    last = kernel;
  }
}

/// Puts the copies in the place of what has become of the kernels.
void AttentionFusion::restore(ArrayRef<KernelOp> kernels) {
  KernelOp output = kernels.back();
  rewriter.setInsertionPoint(output);
  for (Operation *copy : copies)
    rewriter.insert(copy);
  rewriter.replaceAllUsesWith(output->getResults(),
                              copies.back()->getResults());
  for (KernelOp kernel : llvm::reverse(kernels)) {
    for (Operation *user : llvm::make_early_inc_range(kernel->getUsers()))
      rewriter.eraseOp(user);
    rewriter.eraseOp(kernel);
  }
  copies.clear();
}

/// Lets the kernel read operands of reshapes, with dimensions in place of those
/// that this divides.
llvm::Error AttentionFusion::readThroughReshapes(KernelOp kernel) {
  for (unsigned index = 0; index < kernel.getIns().size();) {
    auto reshape = kernel.getIns()[index].getDefiningOp<ReshapeOp>();
    if (!reshape) {
      ++index;
      continue;
    }
    if (llvm::Error error =
            fuseReshape(kernel, index, reshape, /*mayDivide=*/true))
      return error;
    if (reshape.use_empty())
      rewriter.eraseOp(reshape);
  }
  splitDimensions(kernel);
  simplifyKernel(kernel);
  return llvm::Error::success();
}

llvm::Expected<KernelOp> AttentionFusion::merge(KernelOp first,
                                                KernelOp second) {
  if (llvm::Error error = readThroughReshapes(second))
    return error;
  if (!canMoveTogether(first, second))
    return refuse("an op between them needs one and feeds the other");
  llvm::Expected<MergedDomain> domain = unifyDomains(first, second);
  if (!domain)
    return domain.takeError();
  return mergeKernels(rewriter, first, second, *domain);
}

llvm::Error AttentionFusion::run() {
  keepCopies();
  llvm::scope_exit dropCopies([&] {
    for (Operation *copy : llvm::reverse(copies))
      copy->destroy();
  });
  llvm::Expected<KernelOp> weights = merge(parts.scores, parts.weights);
  if (!weights) {
    restore({parts.scores, parts.weights, parts.output});
    return weights.takeError();
  }
  llvm::Expected<KernelOp> merged = merge(*weights, parts.output);
  if (!merged) {
    restore({*weights, parts.output});
    return merged.takeError();
  }
  divideSums(*merged);
  simplifyAndClassify(*merged);
  if (getGPUAttentionSchedule(*merged, machine))
    return llvm::Error::success();
  restore({*merged});
  return refuse("the tensor cores cannot compute it as attention");
}

namespace {
class FuseAttentionPass
    : public tc::impl::TCFuseAttentionPassBase<FuseAttentionPass> {
public:
  void runOnOperation() override {
    MachineModel machine = MachineModel::get(getOperation());
    if (!machine.hasWarpProducts)
      return;
    IRRewriter rewriter(&getContext());
    // What a fusion takes is before its output in the order.
    llvm::SmallPtrSet<Operation *, 8> taken;
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      if (taken.contains(kernel))
        continue;
      std::optional<Parts> parts = Parts::find(kernel);
      if (!parts)
        continue;
      std::string scores = parts->scores.getName().str(),
                  output = kernel.getName().str();
      taken.insert({parts->scores, parts->weights, parts->output});
      Location loc = parts->scores.getLoc();
      if (llvm::Error error =
              AttentionFusion(rewriter, *parts, machine).run()) {
        remarkRefused(kPass, loc, scores, output,
                      llvm::toString(std::move(error)));
        continue;
      }
      remarkFused(kPass, loc, scores, output);
      ++numFused;
    }
  }
};
} // namespace
