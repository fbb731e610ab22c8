//===- KernelSimplification.cpp - Tidying a kernel's body -----------------===//

#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/PositionStages.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tc;

namespace {
/// Equality of pure body ops, for common subexpressions.
struct StageInfo : public llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

/// Maps and sets in the simplest form that the sizes allow.
static void simplifyAccesses(KernelOp kernel) {
  IndexSimplifier simplifier(kernel);
  auto simplifyAccess = [&](auto access) {
    access.setMap(simplifier.simplify(access.getMap()));
    if (!access.getWithin())
      return;
    std::optional<IntegerSet> set = simplifier.simplify(*access.getWithin());
    access.setWithinAttr(set ? IntegerSetAttr::get(*set) : nullptr);
  };
  for (Operation &op : llvm::make_early_inc_range(kernel.getBodyBlock())) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      simplifyAccess(read);
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      simplifyAccess(write);
    } else if (auto index = dyn_cast<DimIndexOp>(op)) {
      index.setMap(simplifier.simplify(index.getMap()));
    } else if (auto within = dyn_cast<WithinOp>(op)) {
      if (std::optional<IntegerSet> set =
              simplifier.simplify(within.getSet())) {
        within.setSet(*set);
        continue;
      }
      OpBuilder builder(&op);
      Value always =
          ScalarOp::create(builder, op.getLoc(), builder.getBoolAttr(true));
      within.getResult().replaceAllUsesWith(always);
      within.erase();
    }
  }
}

/// What `op` is equal to among the values before it, or null.
static Value foldStage(Operation *op) {
  if (auto outer = dyn_cast<CastOp>(op)) {
    auto inner = outer.getX().getDefiningOp<CastOp>();
    // A chain keeps f32 inside: rounding to a narrower float and back is left
    // out. In front of memory it stays: tc-propagate-casts stores the narrow
    // one.
    const bool isStored = llvm::all_of(
        outer->getUsers(), [](Operation *user) { return isa<WriteOp>(user); });
    if (inner && !inner.getRounds() && !isStored &&
        inner.getX().getType() == outer.getType() &&
        isa<FloatType>(outer.getType()) &&
        KernelBuilder::getComputeType(inner.getType()) == outer.getType())
      return inner.getX();
    if (outer.getX().getType() == outer.getType())
      return outer.getX();
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    if (select.getX() == select.getY())
      return select.getX();
    if (auto condition = select.getCondition().getDefiningOp<ScalarOp>())
      if (auto value = dyn_cast<BoolAttr>(condition.getValue()))
        return value.getValue() ? select.getX() : select.getY();
  }
  return foldPositionStage(op);
}

/// Has tensor cores multiply what is cast from bf16 or f16 to f32 as it is
/// read: products of such numbers are exact in f32, where they are summed.
static void narrowProducts(KernelOp kernel) {
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  if (stages.empty() ||
      !MachineModel::get(kernel.getOperation()).hasWarpProducts)
    return;
  for (ContractStageOp stage : stages) {
    auto lhs = stage.getLhs().getDefiningOp<CastOp>(),
         rhs = stage.getRhs().getDefiningOp<CastOp>();
    if (!lhs || !rhs || !lhs.getType().isF32())
      continue;
    Type narrow = lhs.getX().getType();
    if (narrow != rhs.getX().getType() || !(narrow.isBF16() || narrow.isF16()))
      continue;
    stage.getLhsMutable().assign(lhs.getX());
    stage.getRhsMutable().assign(rhs.getX());
  }
}

static void eliminateCommonStages(KernelOp kernel) {
  llvm::DenseSet<Operation *, StageInfo> known;
  for (Operation &op : llvm::make_early_inc_range(kernel.getBodyBlock())) {
    if (isa<WriteOp>(op))
      continue;
    if (Value equal = foldStage(&op)) {
      op.getResult(0).replaceAllUsesWith(equal);
      op.erase();
      continue;
    }
    auto [place, isNew] = known.insert(&op);
    if (isNew)
      continue;
    op.replaceAllUsesWith(*place);
    op.erase();
  }
}

static void eliminateDeadStages(KernelOp kernel) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBodyBlock())))
    if (!isa<WriteOp>(op) && op.use_empty())
      op.erase();
}

/// Unused inputs and symbols leave the operands and maps.
static void eliminateUnusedBindings(KernelOp kernel) {
  for (unsigned index = kernel.getIns().size(); index-- > 0;) {
    if (!kernel.getInArgument(index).use_empty())
      continue;
    kernel.getBodyBlock().eraseArgument(index);
    kernel.getInsMutable().erase(index);
  }
  auto isUsed = [&](unsigned symbol) {
    for (Operation &op : kernel.getBodyBlock()) {
      for (NamedAttribute attribute : op.getAttrs()) {
        if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue());
            map && map.getValue().isFunctionOfSymbol(symbol))
          return true;
        if (auto set = dyn_cast<IntegerSetAttr>(attribute.getValue()))
          for (AffineExpr constraint : set.getValue().getConstraints())
            if (constraint.isFunctionOfSymbol(symbol))
              return true;
      }
    }
    return false;
  };
  // Trailing ones only: a symbol's number is in every map.
  SmallVector<Attribute> symbols(kernel.getSymbols().getValue());
  size_t before = symbols.size();
  while (!symbols.empty() && !isUsed(symbols.size() - 1))
    symbols.pop_back();
  if (symbols.size() == before)
    return;
  kernel.setSymbolsAttr(ArrayAttr::get(kernel.getContext(), symbols));
  unsigned count = symbols.size();
  auto shrink = [&](AffineMap map) {
    return AffineMap::get(map.getNumDims(),
                          std::min(map.getNumSymbols(), count),
                          map.getResults(), map.getContext());
  };
  auto shrinkSet = [&](IntegerSet set) {
    return IntegerSet::get(set.getNumDims(),
                           std::min(set.getNumSymbols(), count),
                           set.getConstraints(), set.getEqFlags());
  };
  for (Operation &op : kernel.getBodyBlock()) {
    SmallVector<NamedAttribute> attributes(op.getAttrs());
    for (NamedAttribute &attribute : attributes) {
      if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
        op.setAttr(attribute.getName(),
                   AffineMapAttr::get(shrink(map.getValue())));
      if (auto set = dyn_cast<IntegerSetAttr>(attribute.getValue()))
        op.setAttr(attribute.getName(),
                   IntegerSetAttr::get(shrinkSet(set.getValue())));
    }
  }
}

void tc::simplifyKernel(KernelOp kernel) {
  simplifyAccesses(kernel);
  narrowProducts(kernel);
  eliminateCommonStages(kernel);
  eliminateDeadStages(kernel);
  eliminateUnusedBindings(kernel);
  updateIteratorKinds(kernel);
}

/// Whether the output is a gradient of attention: the kernel that computes one
/// of these computes and stores all three.
static bool isGradientOfAttention(KernelOp kernel, unsigned output) {
  return llvm::any_of(
      kernel.getBodyBlock().getOps<WriteOp>(), [&](WriteOp write) {
        return write.getDestination() == kernel.getOutArgument(output) &&
               write.getValue().getDefiningOp<AttentionBackwardStageOp>();
      });
}

void tc::simplifyAndClassify(KernelOp kernel) {
  simplifyKernel(kernel);
  kernel.setKernelClass(classifyKernel(kernel));
}

bool tc::movesForContractions(KernelOp kernel) {
  return !kernel->use_empty() &&
         llvm::all_of(kernel.getBodyBlock(),
                      [](Operation &op) { return isa<ReadOp, WriteOp>(op); }) &&
         llvm::all_of(kernel->getUsers(), [](Operation *user) {
           auto reader = dyn_cast<KernelOp>(user);
           return reader && hasContraction(reader);
         });
}

Value tc::getCopiedInput(KernelOp kernel) {
  auto read = dyn_cast<ReadOp>(kernel.getBodyBlock().front());
  auto write = dyn_cast<WriteOp>(kernel.getBodyBlock().back());
  if (!read || !write || read->getNextNode() != write ||
      write.getValue() != read.getResult() || read.getMap() != write.getMap() ||
      !read.getMap().isPermutation() || read.getWithin() || write.getWithin())
    return nullptr;
  Value source = getOperandOf(kernel, read.getSource());
  return source.getType() == kernel->getResult(0).getType() ? source : Value();
}

KernelOp tc::eliminateDeadOutputs(KernelOp kernel) {
  SmallVector<unsigned> kept;
  for (auto [index, result] : llvm::enumerate(kernel.getResults()))
    if (!result.use_empty() ||
        (!kernel->use_empty() && isGradientOfAttention(kernel, index)))
      kept.push_back(index);
  if (kept.size() == kernel.getNumResults())
    return kernel;
  if (kept.empty()) {
    kernel.erase();
    return nullptr;
  }
  OpBuilder builder(kernel);
  SmallVector<DimAttr> dims;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    dims.push_back(kernel.getDim(dim));
  SmallVector<Value> outs;
  for (unsigned index : kept)
    outs.push_back(kernel.getOuts()[index]);
  KernelOp smaller =
      KernelOp::create(builder, kernel.getLoc(), kernel.getName(),
                       kernel.getKernelClass(), dims, kernel.getIns(), outs);
  smaller.setSymbolsAttr(kernel.getSymbolsAttr());
  Block &from = kernel.getBodyBlock(), &to = smaller.getBodyBlock();
  for (unsigned index = 0; index < kernel.getIns().size(); ++index)
    kernel.getInArgument(index).replaceAllUsesWith(
        smaller.getInArgument(index));
  for (auto [position, index] : llvm::enumerate(kept)) {
    kernel.getOutArgument(index).replaceAllUsesWith(
        smaller.getOutArgument(position));
    kernel.getResult(index).replaceAllUsesWith(smaller.getResult(position));
  }
  for (Operation &op : llvm::make_early_inc_range(from))
    if (isa<WriteOp>(op) &&
        cast<BlockArgument>(cast<WriteOp>(op).getDestination()).getOwner() ==
            &from)
      op.erase();
  to.getOperations().splice(to.end(), from.getOperations());
  kernel.erase();
  simplifyKernel(smaller);
  return smaller;
}
