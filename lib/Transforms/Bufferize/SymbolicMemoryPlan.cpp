//===- SymbolicMemoryPlan.cpp - An arena of symbolic sizes ----------------===//

#include "TC/Transforms/Bufferize/SymbolicMemoryPlan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tc;

/// Nodes of an expression beyond which a maximum is replaced by a bound.
static constexpr int64_t kLargestExpression = 48;

std::vector<MemoryBlock> tc::getBlocksAt(ArrayRef<SymbolicBlock> blocks,
                                         const SizeBounds &bounds,
                                         unsigned sample) {
  std::vector<MemoryBlock> result;
  // Samples know of each size's range alone: what others leave of a sum of them
  // is less than nothing in some, which is no memory to a plan.
  for (const SymbolicBlock &block : blocks)
    result.push_back({bounds.evaluate(block.bytes, sample).value_or(0),
                      block.first, block.last});
  return result;
}

static int64_t countNodes(SizeExpr expr) {
  int64_t count = 1;
  for (Attribute operand : expr.getOperands())
    count += countNodes(cast<SizeExpr>(operand));
  return count;
}

/// Adds the terms of `expr` to `largest`, where each keeps its largest factor.
static bool takeLargestTerms(SizeExpr expr,
                             llvm::MapVector<Attribute, int64_t> &largest) {
  MLIRContext *context = expr.getContext();
  SmallVector<SizeExpr> terms{expr};
  if (expr.getKind() == SizeExprKind::Sum) {
    terms = {SizeExpr::constant(context, expr.getValue())};
    for (Attribute operand : expr.getOperands())
      terms.push_back(cast<SizeExpr>(operand));
  }
  for (SizeExpr term : terms) {
    int64_t factor = term.isConstant() ? term.getValue() : 1;
    SizeExpr atoms = SizeExpr::constant(context, 1);
    if (term.getKind() == SizeExprKind::Product) {
      factor = term.getValue();
      for (Attribute atom : term.getOperands())
        atoms = atoms.mul(cast<SizeExpr>(atom));
    } else if (!term.isConstant()) {
      atoms = term;
    }
    if (factor < 0)
      return false;
    int64_t &kept = largest[atoms];
    kept = std::max(kept, factor);
  }
  return true;
}

/// The maximum of two ends, or when that would be a long expression a sum that
/// is at least both: each term with the larger of its factors.
static SizeExpr getUpperEnd(SizeExpr a, SizeExpr b) {
  SizeExpr exact = a.max(b);
  if (countNodes(exact) <= kLargestExpression)
    return exact;
  llvm::MapVector<Attribute, int64_t> largest;
  if (!takeLargestTerms(a, largest) || !takeLargestTerms(b, largest))
    return exact;
  SizeExpr sum = SizeExpr::constant(a.getContext(), 0);
  for (auto [atoms, factor] : largest)
    sum = sum.add(cast<SizeExpr>(atoms).mul(factor));
  return sum;
}

/// The largest of `ends`; those that a symbol's range shows to be smaller than
/// another do not take part.
static SizeExpr getLargest(ArrayRef<SizeExpr> ends, SizeBounds &bounds,
                           MLIRContext *context) {
  SmallVector<SizeExpr> kept;
  for (SizeExpr end : ends) {
    if (llvm::any_of(kept, [&](SizeExpr k) { return bounds.isAtMost(end, k); }))
      continue;
    llvm::erase_if(kept, [&](SizeExpr k) { return bounds.isAtMost(k, end); });
    kept.push_back(end);
  }
  SizeExpr result = SizeExpr::constant(context, 0);
  for (SizeExpr end : kept)
    result = result.isConstant(0) ? end : getUpperEnd(result, end);
  return result;
}

/// The plan that has blocks in the order of `concrete`, with symbolic
/// offsets.
static SymbolicMemoryPlan stack(ArrayRef<SymbolicBlock> blocks,
                                const MemoryPlan &concrete, SizeBounds &bounds,
                                MLIRContext *context) {
  SymbolicMemoryPlan plan;
  plan.offsets.resize(blocks.size());
  SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(0, blocks.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(concrete.offsets[a], a) <
           std::pair(concrete.offsets[b], b);
  });
  auto together = [&](size_t a, size_t b) {
    return blocks[a].first <= blocks[b].last &&
           blocks[b].first <= blocks[a].last;
  };
  SmallVector<bool> covered(blocks.size(), false);
  for (auto [position, block] : llvm::enumerate(order)) {
    SmallVector<size_t> below;
    for (size_t other : ArrayRef(order).take_front(position))
      if (together(other, block))
        below.push_back(other);
    SmallVector<SizeExpr> ends;
    for (auto [index, other] : llvm::enumerate(below)) {
      // What is below a block in between is below that block's end.
      bool hidden =
          llvm::any_of(ArrayRef(below).drop_front(index + 1),
                       [&](size_t upper) { return together(upper, other); });
      if (!hidden)
        ends.push_back(plan.offsets[other].add(blocks[other].bytes));
      covered[other] = true;
    }
    plan.offsets[block] = getLargest(ends, bounds, context);
  }
  SmallVector<SizeExpr> tops;
  for (auto [index, block] : llvm::enumerate(blocks))
    if (!covered[index])
      tops.push_back(plan.offsets[index].add(block.bytes));
  plan.bytes = getLargest(tops, bounds, context);
  return plan;
}

SymbolicMemoryPlan tc::planSymbolicMemory(ArrayRef<SymbolicBlock> blocks,
                                          SizeBounds &bounds,
                                          MLIRContext *context) {
  bool isConstant = llvm::all_of(blocks, [](const SymbolicBlock &block) {
    return block.bytes.isConstant();
  });
  if (isConstant) {
    MemoryPlan plan = planMemory(getBlocksAt(blocks, bounds, 0));
    SymbolicMemoryPlan result;
    for (int64_t offset : plan.offsets)
      result.offsets.push_back(SizeExpr::constant(context, offset));
    result.bytes = SizeExpr::constant(context, plan.bytes);
    return result;
  }
  SymbolicMemoryPlan best;
  double bestScore = 0;
  for (unsigned from = 0; from < bounds.getSamples().size(); ++from) {
    MemoryPlan concrete = planMemory(getBlocksAt(blocks, bounds, from));
    SymbolicMemoryPlan plan = stack(blocks, concrete, bounds, context);
    double score = 0;
    for (unsigned at = 0; at < bounds.getSamples().size(); ++at) {
      int64_t peak = getPeakBytes(getBlocksAt(blocks, bounds, at));
      score += double(bounds.evaluate(plan.bytes, at).value_or(0)) /
               double(std::max<int64_t>(peak, 1));
    }
    if (best.offsets.empty() || score < bestScore) {
      best = std::move(plan);
      bestScore = score;
    }
  }
  return best;
}
