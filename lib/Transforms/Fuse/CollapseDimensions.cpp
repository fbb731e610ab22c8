//===- CollapseDimensions.cpp - tc-collapse-dimensions --------------------===//

#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Transforms/Fuse/DimensionPairs.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Fuse/PairBounds.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCCOLLAPSEDIMENSIONSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

//===----------------------------------------------------------------------===//
// Dimensions of size one, and the order of inputs
//===----------------------------------------------------------------------===//

/// Drops dimensions of size one, which no map uses after simplification.
static void dropUnitDims(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<DimAttr> dims;
  SmallVector<AffineExpr> exprs;
  llvm::SmallBitVector dropped(kernel.getNumDims());
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    if (kernel.getDimSize(dim).isConstant(1)) {
      exprs.push_back(getAffineConstantExpr(0, context));
      dropped.set(dim);
      continue;
    }
    exprs.push_back(getAffineDimExpr(dims.size(), context));
    dims.push_back(kernel.getDim(dim));
  }
  if (dropped.none())
    return;
  // A stage must keep something to fold.
  for (Operation &op : kernel.getBodyBlock()) {
    auto isDropped = [&](int64_t dim) { return dropped.test(dim); };
    if (isa<ScanStageOp>(op) || isWholeStage(&op) ||
        (isa<ReduceStageOp, ContractStageOp>(op) &&
         llvm::all_of(getFoldedDims(&op), isDropped)))
      return;
  }
  (void)changeDomain(kernel, dims, exprs);
}

/// `value` as a tensor of `type`, which has as many elements.
static Value reshapeOperand(OpBuilder &builder, Location loc, Value value,
                            RankedTensorType type) {
  if (value.getDefiningOp<EmptyOp>())
    return EmptyOp::create(builder, loc, type);
  return ReshapeOp::create(builder, loc, type, value);
}

/// Dimensions of size one of a buffer; every access to it has index 0 there.
static llvm::SmallBitVector findUnitIndices(BlockArgument buffer) {
  Sizes sizes = getSizes(cast<ShapedType>(buffer.getType()));
  llvm::SmallBitVector unit(sizes.size());
  for (auto [index, size] : llvm::enumerate(sizes))
    unit[index] = size.isConstant(1);
  auto keepUsed = [&](auto access) {
    for (auto [index, expr] : llvm::enumerate(access.getMap().getResults()))
      if (expr != getAffineConstantExpr(0, buffer.getContext()))
        unit.reset(index);
  };
  for (Operation *user : buffer.getUsers())
    llvm::TypeSwitch<Operation *>(user).Case<ReadOp, WriteOp>(keepUsed);
  return unit;
}

/// Drops dimensions of size one from the kernel's buffers: kernels that only
/// differ in them are equal, and their code is generated once.
static void dropUnitIndices(KernelOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  unsigned numIns = kernel.getIns().size();
  for (BlockArgument buffer : kernel.getBodyBlock().getArguments()) {
    llvm::SmallBitVector unit = findUnitIndices(buffer);
    if (unit.none())
      continue;
    auto type = cast<RankedTensorType>(buffer.getType());
    Sizes sizes;
    for (auto [index, size] : llvm::enumerate(getSizes(type)))
      if (!unit.test(index))
        sizes.push_back(size);
    RankedTensorType smaller = getTensorType(sizes, type.getElementType());
    unsigned index = buffer.getArgNumber();
    builder.setInsertionPoint(kernel);
    kernel->setOperand(
        index,
        reshapeOperand(builder, loc, kernel->getOperand(index), smaller));
    buffer.setType(smaller);
    auto dropResults = [&](auto access) {
      access.setMap(access.getMap().dropResults(unit));
    };
    for (Operation *user : buffer.getUsers())
      llvm::TypeSwitch<Operation *>(user).Case<ReadOp, WriteOp>(dropResults);
    if (index < numIns)
      continue;
    OpResult result = kernel->getResult(index - numIns);
    result.setType(smaller);
    builder.setInsertionPointAfter(kernel);
    auto whole = ReshapeOp::create(builder, loc, type, result);
    result.replaceAllUsesExcept(whole, whole);
  }
}

/// Inputs in the order in which the body first reads them, not in the order in
/// which fusion brought them: again so that equal kernels are found.
static void orderInputs(KernelOp kernel) {
  Block &body = kernel.getBodyBlock();
  unsigned numIns = kernel.getIns().size();
  llvm::SetVector<BlockArgument> order;
  for (ReadOp read : body.getOps<ReadOp>())
    if (auto input = cast<BlockArgument>(read.getSource());
        input.getArgNumber() < numIns)
      order.insert(input);
  order.insert_range(body.getArguments().take_front(numIns));
  if (llvm::equal(order, body.getArguments().take_front(numIns)))
    return;
  SmallVector<Value> inputs;
  for (BlockArgument input : order)
    inputs.push_back(kernel.getIns()[input.getArgNumber()]);
  for (auto [position, input] : llvm::enumerate(order.takeVector()))
    input.replaceAllUsesWith(body.insertArgument(
        numIns + position, input.getType(), input.getLoc()));
  body.eraseArguments(0, numIns);
  kernel.getInsMutable().assign(inputs);
}

//===----------------------------------------------------------------------===//
// Neighbouring dimensions
//===----------------------------------------------------------------------===//

/// The set that op of the body is restricted to or asks for.
static std::optional<IntegerSet> getSet(Operation &op) {
  if (auto within = dyn_cast<WithinOp>(op))
    return within.getSet();
  std::optional<KernelAccess> access = getAccess(op);
  return access ? access->within : std::nullopt;
}

/// Whether a stage or set treats the two alike; sets may bound the outer one
/// where `allowsParts` says so.
static bool isFoldedTogether(Operation &op, unsigned outer, unsigned inner,
                             unsigned rank, bool allowsParts) {
  auto together = [&](ArrayRef<int64_t> over) {
    const int64_t *first = llvm::find(over, outer);
    bool hasOuter = first != over.end(),
         hasInner = llvm::is_contained(over, inner);
    if (!hasOuter && !hasInner)
      return true;
    return hasOuter && hasInner && first + 1 != over.end() &&
           *(first + 1) == inner;
  };
  if (isa<ReduceStageOp, ContractStageOp>(op))
    return together(getFoldedDims(&op));
  if (auto stage = dyn_cast<ScanStageOp>(op))
    return stage.getAlong() != outer && stage.getAlong() != inner;
  if (auto stage = dyn_cast<SortStageOp>(op))
    return stage.getAlong() != outer && stage.getAlong() != inner;
  if (isa<RoutineStageOp, AttentionBackwardStageOp>(op))
    return false;
  auto isFree = [&](const DimSet &used) {
    return !used.test(outer) && !used.test(inner);
  };
  if (auto index = dyn_cast<DimIndexOp>(op))
    return isFree(KernelDims::ofMap(index.getMap(), rank));
  std::optional<IntegerSet> set = getSet(op);
  return !set || isFree(KernelDims::ofSet(*set, rank)) ||
         (allowsParts && boundPairs(*set, outer, inner, /*innerSize=*/1));
}

namespace {
/// Two dimensions of the domain as one, and the same for every buffer that
/// has both.
struct Collapse {
  Collapse(unsigned outer, unsigned inner) : outer(outer), inner(inner) {}

  unsigned outer, inner;
  /// Size of the inner dimension where it is constant.
  int64_t innerSize = 1;
  /// For each operand, where the pair is in it.
  SmallVector<int64_t> positions;

  static std::optional<Collapse> find(KernelOp kernel, unsigned outer,
                                      unsigned inner);
  KernelOp apply(KernelOp kernel) const;

private:
  DomainEmbedding embed(KernelOp kernel, SmallVectorImpl<DimAttr> &dims) const;
  void cloneBody(KernelOp from, KernelOp to,
                 const DomainEmbedding &embedding) const;
  AffineMap mapOf(AffineMap old, const DomainEmbedding &embedding,
                  int64_t position) const;
};
} // namespace

std::optional<Collapse> Collapse::find(KernelOp kernel, unsigned outer,
                                       unsigned inner) {
  Collapse collapse(outer, inner);
  collapse.innerSize = kernel.getDimSize(inner).getConstant().value_or(1);
  collapse.positions.assign(kernel.getNumOperands(), kUnused);
  llvm::SmallBitVector seen(kernel.getNumOperands());
  const bool allowsParts = mayCombineParts(kernel, inner),
             boundsParts = allowsParts && !hasStages(kernel);
  for (Operation &op : kernel.getBodyBlock()) {
    if (!isFoldedTogether(op, outer, inner, kernel.getNumDims(), boundsParts))
      return std::nullopt;
    std::optional<KernelAccess> access = getAccess(op);
    if (!access)
      continue;
    std::optional<int64_t> position = findPair(
        access->map, outer, inner, access->getType(), kernel, allowsParts);
    unsigned operand = access->buffer.getArgNumber();
    if (!position ||
        (seen.test(operand) && collapse.positions[operand] != *position))
      return std::nullopt;
    seen.set(operand);
    collapse.positions[operand] = *position;
  }
  return collapse;
}

/// `type` with dimensions `position` and `position + 1` as one.
static RankedTensorType collapseType(RankedTensorType type, int64_t position) {
  Sizes sizes = getSizes(type);
  sizes[position] = sizes[position].mul(sizes[position + 1]);
  sizes.erase(sizes.begin() + position + 1);
  return getTensorType(sizes, type.getElementType());
}

/// The operands of the smaller kernel: reshapes, and smaller empties.
static SmallVector<Value> collapseOperands(OpBuilder &builder, KernelOp kernel,
                                           ArrayRef<int64_t> positions) {
  SmallVector<Value> operands;
  for (auto [operand, position] :
       llvm::zip_equal(kernel.getOperands(), positions)) {
    Value value = operand;
    if (position >= 0)
      value = reshapeOperand(
          builder, kernel.getLoc(), value,
          collapseType(cast<RankedTensorType>(value.getType()), position));
    operands.push_back(value);
  }
  return operands;
}

/// The domain without `inner`, whose points are now those of `outer`. Only the
/// pair's buffers use it, and their maps lose an index.
DomainEmbedding Collapse::embed(KernelOp kernel,
                                SmallVectorImpl<DimAttr> &dims) const {
  MLIRContext *context = kernel.getContext();
  DomainEmbedding embedding;
  embedding.rank = kernel.getNumDims() - 1;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    if (dim == inner) {
      embedding.dims.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    embedding.dims.push_back(getAffineDimExpr(dims.size(), context));
    DimAttr old = kernel.getDim(dim);
    SizeExprAttr size = old.getSize();
    if (dim == outer)
      size = size.mul(kernel.getDimSize(inner));
    dims.push_back(
        DimAttr::get(context, old.getName(), old.getIterator(), size));
  }
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  return embedding;
}

/// Clones the body; an access to a buffer with the pair has one index less.
void Collapse::cloneBody(KernelOp from, KernelOp to,
                         const DomainEmbedding &embedding) const {
  IRMapping values;
  for (auto [old, argument] :
       llvm::zip_equal(from.getBodyBlock().getArguments(),
                       to.getBodyBlock().getArguments()))
    values.map(old, argument);
  OpBuilder builder = OpBuilder::atBlockEnd(&to.getBodyBlock());
  for (Operation &op : from.getBodyBlock()) {
    cloneEmbedded(builder, &op, embedding, values);
    Operation *clone = &to.getBodyBlock().back();
    if (std::optional<IntegerSet> set = getSet(op)) {
      set = embedding.apply(*boundPairs(*set, outer, inner, innerSize));
      if (auto within = dyn_cast<WithinOp>(clone))
        within.setSetAttr(IntegerSetAttr::get(*set));
      else if (auto read = dyn_cast<ReadOp>(clone))
        read.setWithinAttr(IntegerSetAttr::get(*set));
      else
        cast<WriteOp>(clone).setWithinAttr(IntegerSetAttr::get(*set));
    }
    std::optional<KernelAccess> access = getAccess(op);
    if (!access)
      continue;
    AffineMap map =
        mapOf(access->map, embedding, positions[access->buffer.getArgNumber()]);
    if (auto read = dyn_cast<ReadOp>(clone))
      read.setMap(map);
    else
      cast<WriteOp>(clone).setMap(map);
  }
}

/// An access's map in the smaller domain, `position` as `findPair` says.
AffineMap Collapse::mapOf(AffineMap old, const DomainEmbedding &embedding,
                          int64_t position) const {
  SmallVector<AffineExpr> dims(embedding.dims);
  if (position == kAlreadyOne) {
    // The simplifier puts the quotient and the remainder together again.
    AffineExpr whole = dims[outer];
    dims[outer] = whole.floorDiv(innerSize);
    dims[inner] = whole % innerSize;
  }
  if (position >= 0) {
    // Rows before the first one are so many points.
    AffineExpr offset = getRest(old.getResult(position), outer,
                                old.getNumDims(), old.getNumSymbols());
    SmallVector<AffineExpr> results(old.getResults());
    results[position] =
        getAffineDimExpr(outer, old.getContext()) + offset * innerSize;
    old = AffineMap::get(old.getNumDims(), old.getNumSymbols(), results,
                         old.getContext());
  }
  unsigned numIndices = old.getNumDims() - dims.size();
  for (unsigned index = 0; index < numIndices; ++index)
    dims.push_back(getAffineDimExpr(embedding.rank + index, old.getContext()));
  AffineMap map = old.replaceDimsAndSymbols(dims, embedding.symbols,
                                            embedding.rank + numIndices,
                                            embedding.numSymbols);
  return position >= 0 ? map.dropResult(position + 1) : map;
}

KernelOp Collapse::apply(KernelOp kernel) const {
  OpBuilder builder(kernel);
  SmallVector<Value> operands = collapseOperands(builder, kernel, positions);
  SmallVector<DimAttr> dims;
  DomainEmbedding embedding = embed(kernel, dims);
  unsigned numIns = kernel.getIns().size();
  KernelOp collapsed = KernelOp::create(
      builder, kernel.getLoc(), kernel.getName(), kernel.getKernelClass(), dims,
      ArrayRef(operands).take_front(numIns),
      ArrayRef(operands).drop_front(numIns));
  collapsed.setSymbolsAttr(kernel.getSymbolsAttr());
  cloneBody(kernel, collapsed, embedding);
  for (auto [old, result] :
       llvm::zip_equal(kernel.getResults(), collapsed.getResults())) {
    Value value = result;
    if (value.getType() != old.getType())
      value = ReshapeOp::create(builder, kernel.getLoc(), old.getType(), value);
    old.replaceAllUsesWith(value);
  }
  kernel.erase();
  simplifyKernel(collapsed);
  return collapsed;
}

namespace {
class CollapseDimensionsPass
    : public tc::impl::TCCollapseDimensionsPassBase<CollapseDimensionsPass> {
public:
  void runOnOperation() override {
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      simplifyKernel(kernel);
      dropUnitDims(kernel);
      while (KernelOp smaller = collapseOnce(kernel)) {
        kernel = smaller;
        ++numCollapsed;
      }
      dropUnitIndices(kernel);
      orderInputs(kernel);
      updateIteratorKinds(kernel);
    }
  }

private:
  static KernelOp collapseOnce(KernelOp kernel) {
    for (unsigned outer = 0; outer < kernel.getNumDims(); ++outer)
      for (unsigned inner = 0; inner < kernel.getNumDims(); ++inner)
        if (outer != inner)
          if (std::optional<Collapse> collapse =
                  Collapse::find(kernel, outer, inner))
            return collapse->apply(kernel);
    return nullptr;
  }
};
} // namespace
