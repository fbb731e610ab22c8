//===- KernelMerging.cpp - Two kernels as one -----------------------------===//

#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/DomainUnification.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

/// The ops after `first` and before `second` that depend on `first`, in the
/// order of the block; nothing when there are too many to look at for each pair
/// of kernels.
static std::optional<SmallVector<Operation *>>
getDependentsBetween(KernelOp first, KernelOp second) {
  constexpr size_t kMostUses = 256;
  Block *block = first->getBlock();
  llvm::SetVector<Operation *> dependents;
  dependents.insert(first);
  size_t uses = 0;
  for (size_t index = 0; index < dependents.size(); ++index)
    for (Operation *user : dependents[index]->getUsers()) {
      if (++uses > kMostUses)
        return std::nullopt;
      Operation *op = block->findAncestorOpInBlock(*user);
      if (op && op != second && op->isBeforeInBlock(second))
        dependents.insert(op);
    }
  SmallVector<Operation *> between =
      llvm::to_vector(llvm::drop_begin(dependents));
  llvm::sort(between, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  return between;
}

SmallVector<Block *> tc::getBlocksAroundKernels(Operation *root) {
  SmallVector<Block *> blocks;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  return blocks;
}

bool tc::areUsedApart(KernelOp first, KernelOp second) {
  return !first->use_empty() && !second->use_empty() &&
         !llvm::is_contained(first->getUsers(), second.getOperation());
}

bool tc::writesOwnElements(KernelOp kernel) {
  return llvm::all_of(
      kernel.getBodyBlock().getOps<WriteOp>(), [](WriteOp write) {
        return write.getIndices().empty() && !write.getWithin() &&
               write.getCombine() == CombineKind::Replace;
      });
}

bool tc::canMoveTogether(KernelOp first, KernelOp second) {
  if (first->getBlock() != second->getBlock() ||
      !first->isBeforeInBlock(second))
    return false;
  auto between = getDependentsBetween(first, second);
  // What names a symbol stays after the op that defines it.
  if (!between || llvm::any_of(*between, llvm::IsaPred<SizeFromOp>))
    return false;
  return llvm::none_of(second->getOperands(), [&](Value operand) {
    return llvm::is_contained(*between, operand.getDefiningOp());
  });
}

bool tc::makesResultsWait(KernelOp first, KernelOp second) {
  bool hasKernelBetween = false;
  for (Operation *op = first->getNextNode(); op && op != second;
       op = op->getNextNode())
    hasKernelBetween |= isa<KernelOp>(op);
  if (!hasKernelBetween)
    return false;
  double waiting = 0;
  for (Value result : second.getResults())
    waiting += estimateBytes(second, result.getType());
  constexpr double kSmallPart = 0.125;
  if (waiting <= kSmallPart * estimateCost(second).bytesRead)
    return false;
  for (Value input : second.getIns()) {
    auto maker = input.getDefiningOp<KernelOp>();
    bool isShared = maker == first || llvm::is_contained(first.getIns(), input);
    bool endsHere = llvm::all_of(input.getUsers(), [&](Operation *user) {
      return user == first.getOperation() || user == second.getOperation();
    });
    if (maker && isShared && endsHere)
      waiting -= estimateBytes(second, input.getType());
  }
  return waiting > 0;
}

/// Clones the body of `kernel` into `merged`, its outs from `firstOut` on.
static void cloneBody(OpBuilder &builder, KernelOp kernel, KernelOp merged,
                      ArrayRef<AffineExpr> dims, unsigned firstOut,
                      IRMapping &values) {
  DomainEmbedding embedding;
  embedding.rank = merged.getNumDims();
  embedding.dims.assign(dims.begin(), dims.end());
  embedding.symbols = bindSymbols(kernel, merged);
  embedding.numSymbols = merged.getSymbols().size();
  for (auto [index, input] : llvm::enumerate(kernel.getIns())) {
    BlockArgument argument = kernel.getInArgument(index);
    if (!values.contains(argument))
      values.map(argument, bindInput(merged, input));
  }
  // Binding inputs moves the outs' arguments; they are mapped last.
  for (unsigned index = 0; index < kernel.getOuts().size(); ++index)
    values.map(kernel.getOutArgument(index),
               merged.getOutArgument(firstOut + index));
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto read = dyn_cast<ReadOp>(op); read && values.contains(read))
      continue;
    cloneEmbedded(builder, &op, embedding, values);
  }
}

/// Reads by `second` of what `first` computed are the values themselves.
static void forwardResults(KernelOp first, KernelOp second, IRMapping &values) {
  for (auto [index, input] : llvm::enumerate(second.getIns())) {
    auto result = dyn_cast<OpResult>(input);
    if (!result || result.getOwner() != first)
      continue;
    BlockArgument written = first.getOutArgument(result.getResultNumber());
    auto write = cast<WriteOp>(*written.user_begin());
    BlockArgument argument = second.getInArgument(index);
    // Never read as a buffer.
    values.map(argument, argument);
    for (Operation *user : argument.getUsers())
      values.map(cast<ReadOp>(user).getResult(),
                 values.lookup(write.getValue()));
  }
}

/// Moves writes of the same dimensions next to each other, where others are in
/// between: they are one loop then.
static void gatherWrites(KernelOp kernel) {
  KernelDims dims(kernel);
  SmallVector<DimSet> keys;
  SmallVector<SmallVector<WriteOp>> groups; ///< of each key
  unsigned last = 0;
  bool isApart = false;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    // Writes to one output stay in their order.
    if (!write.getDestination().hasOneUse())
      return;
    const DimSet &own = dims.ofWrite(write);
    unsigned key = llvm::find(keys, own) - keys.begin();
    if (key == keys.size()) {
      keys.push_back(own);
      groups.emplace_back();
    }
    isApart |= !groups[key].empty() && key != last;
    groups[key].push_back(write);
    last = key;
  }
  if (!isApart)
    return;
  for (ArrayRef<WriteOp> writes : groups)
    for (WriteOp write : writes)
      write->moveBefore(&kernel.getBodyBlock(), kernel.getBodyBlock().end());
}

KernelOp tc::mergeKernels(RewriterBase &rewriter, KernelOp first,
                          KernelOp second, const MergedDomain &domain) {
  // Known from canMoveTogether.
  SmallVector<Operation *> dependents = *getDependentsBetween(first, second);
  rewriter.setInsertionPoint(second);
  SmallVector<Value> outs(first.getOuts());
  llvm::append_range(outs, second.getOuts());
  Location loc =
      FusedLoc::get(rewriter.getContext(), {first.getLoc(), second.getLoc()});
  KernelOp merged = KernelOp::create(
      rewriter, loc, joinNames(first.getName(), second.getName()),
      KernelClass::Pointwise, domain.dims, ValueRange(), outs);
  OpBuilder builder = OpBuilder::atBlockEnd(&merged.getBodyBlock());
  IRMapping values;
  cloneBody(builder, first, merged, domain.first, 0, values);
  forwardResults(first, second, values);
  cloneBody(builder, second, merged, domain.second, first.getOuts().size(),
            values);
  gatherWrites(merged);
  rewriter.replaceAllUsesWith(
      first.getResults(),
      merged.getResults().take_front(first.getNumResults()));
  rewriter.replaceAllUsesWith(
      second.getResults(),
      merged.getResults().drop_front(first.getNumResults()));
  rewriter.eraseOp(second);
  rewriter.eraseOp(first);
  Operation *last = merged;
  for (Operation *op : dependents) {
    op->moveAfter(last);
    last = op;
  }
  merged = eliminateDeadOutputs(merged);
  if (!merged)
    return nullptr;
  simplifyAndClassify(merged);
  return merged;
}
