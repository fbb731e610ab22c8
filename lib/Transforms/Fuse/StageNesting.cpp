//===- StageNesting.cpp - Stages inside the loops of others ---------------===//

#include "TC/Transforms/Fuse/StageNesting.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

static bool isLoopStage(Operation *op) {
  return isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op);
}

namespace {
/// A stage, in the dimensions of the merged domain.
struct Stage {
  DimSet varying, folded;
  unsigned nesting = 0;
};

class StageNesting {
public:
  StageNesting(KernelOp first, KernelOp second, const MergedDomain &domain)
      : first(first), domain(domain), rank(domain.dims.size()),
        anyFolded(rank) {
    collect(first, domain.first);
    collect(second, domain.second);
    for (auto &[op, stage] : stages)
      anyFolded |= stage.folded;
  }

  unsigned get() {
    // In the order of the bodies, so that what a stage uses is known.
    unsigned deepest = 0;
    for (auto &[op, stage] : stages) {
      for (Operation *used : findUsedStages(op)) {
        const Stage &inner = stages.find(used)->second;
        DimSet varying = inner.varying;
        varying &= anyFolded;
        if (varying.none())
          continue;
        bool isInside = varying.anyCommon(stage.folded),
             isRepeated = isInside && countRepeats(stage, inner) > kFewRepeats;
        stage.nesting =
            std::max(stage.nesting, inner.nesting + isInside + isRepeated);
      }
      deepest = std::max(deepest, stage.nesting);
    }
    return deepest;
  }

private:
  /// Points of `stage` for each of which all of `inner` is folded again.
  double countRepeats(const Stage &stage, const Stage &inner) const {
    DimSet repeated = stage.varying;
    repeated &= inner.folded;
    return domain.estimatePoints(first, repeated);
  }

  void collect(KernelOp kernel, ArrayRef<AffineExpr> exprs) {
    KernelDims dims(kernel);
    for (Operation &op : kernel.getBodyBlock()) {
      if (auto write = dyn_cast<WriteOp>(op))
        written[getResultOf(kernel, write)].push_back(write.getValue());
      if (!isLoopStage(&op))
        continue;
      DimSet folded(kernel.getNumDims());
      for (Value operand : op.getOperands())
        folded |= dims.of(operand);
      DimSet varying = dims.of(op.getResult(0));
      folded.reset(varying);
      stages.insert({&op, Stage{MergedDomain::image(varying, exprs, rank),
                                MergedDomain::image(folded, exprs, rank)}});
    }
  }

  static Value getResultOf(KernelOp kernel, WriteOp write) {
    for (auto [index, result] : llvm::enumerate(kernel.getResults()))
      if (kernel.getOutArgument(index) == write.getDestination())
        return result;
    return Value();
  }

  /// The nearest stages that a stage's operands are computed from, through what
  /// the first kernel writes and the second reads.
  SmallVector<Operation *> findUsedStages(Operation *stage) {
    llvm::SetVector<Value> values(stage->operand_begin(), stage->operand_end());
    SmallVector<Operation *> used;
    for (size_t index = 0; index < values.size(); ++index) {
      Operation *op = values[index].getDefiningOp();
      if (!op)
        continue;
      if (isLoopStage(op)) {
        used.push_back(op);
        continue;
      }
      values.insert(op->operand_begin(), op->operand_end());
      if (auto read = dyn_cast<ReadOp>(op)) {
        auto kernel = cast<KernelOp>(read->getParentOp());
        auto source = written.find(getOperandOf(kernel, read.getSource()));
        if (source != written.end())
          values.insert(source->second.begin(), source->second.end());
      }
    }
    return used;
  }

  /// A fold again for each of so few points, a few vectors, is less than a
  /// kernel of its own.
  static constexpr double kFewRepeats = 32;

  KernelOp first;
  const MergedDomain &domain;
  unsigned rank;
  DimSet anyFolded;
  llvm::MapVector<Operation *, Stage> stages;
  /// What is written to each result.
  llvm::DenseMap<Value, SmallVector<Value>> written;
};
} // namespace

unsigned tc::getStageNesting(KernelOp first, KernelOp second,
                             const MergedDomain &domain) {
  return StageNesting(first, second, domain).get();
}
