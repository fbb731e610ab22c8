//===- KernelEmbedding.cpp - A kernel's body in another domain ------------===//

#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Expressions, maps and sets
//===----------------------------------------------------------------------===//

AffineMap DomainEmbedding::apply(AffineMap map, unsigned numOldIndices) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> replacements(dims);
  for (unsigned index = 0; index < numOldIndices; ++index)
    replacements.push_back(
        getAffineDimExpr(rank + indices.size() + index, context));
  return map.replaceDimsAndSymbols(
      replacements, symbols, rank + indices.size() + numOldIndices, numSymbols);
}

IntegerSet DomainEmbedding::apply(IntegerSet set) const {
  SmallVector<AffineExpr> constraints;
  for (AffineExpr constraint : set.getConstraints())
    constraints.push_back(constraint.replaceDimsAndSymbols(dims, symbols));
  return IntegerSet::get(rank, numSymbols, constraints, set.getEqFlags());
}

bool DomainEmbedding::usesIndices(AffineExpr expr) const {
  for (unsigned index = 0; index < indices.size(); ++index)
    if (expr.isFunctionOfDim(rank + index))
      return true;
  return false;
}

/// Terms of a sum of dimensions times positive constants; fails on others.
static LogicalResult
collectTerms(AffineExpr expr,
             SmallVectorImpl<std::pair<int64_t, int64_t>> &strideAndDim) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    strideAndDim.emplace_back(1, dim.getPosition());
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return success(isa<AffineConstantExpr>(expr) &&
                   cast<AffineConstantExpr>(expr).getValue() == 0);
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(collectTerms(binary.getLHS(), strideAndDim)) &&
                   succeeded(collectTerms(binary.getRHS(), strideAndDim)));
  auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
  if (binary.getKind() != AffineExprKind::Mul || !dim)
    return failure();
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  // A symbolic stride is larger than any other.
  int64_t stride =
      factor ? factor.getValue() : std::numeric_limits<int64_t>::max();
  strideAndDim.emplace_back(stride, dim.getPosition());
  return success();
}

FailureOr<SmallVector<int64_t>>
DomainEmbedding::apply(ArrayRef<int64_t> over) const {
  SmallVector<int64_t> result;
  for (int64_t dim : over) {
    SmallVector<std::pair<int64_t, int64_t>> strideAndDim;
    if (usesIndices(dims[dim]) || failed(collectTerms(dims[dim], strideAndDim)))
      return failure();
    llvm::sort(strideAndDim, std::greater<>());
    for (auto [stride, newDim] : strideAndDim)
      result.push_back(newDim);
  }
  return result;
}

std::optional<IntegerSet> tc::intersect(std::optional<IntegerSet> a,
                                        std::optional<IntegerSet> b) {
  if (!a || !b)
    return a ? a : b;
  SmallVector<AffineExpr> constraints(a->getConstraints());
  SmallVector<bool> equalities(a->getEqFlags());
  llvm::append_range(constraints, b->getConstraints());
  llvm::append_range(equalities, b->getEqFlags());
  return IntegerSet::get(a->getNumDims(),
                         std::max(a->getNumSymbols(), b->getNumSymbols()),
                         constraints, equalities);
}

SmallVector<AffineExpr> tc::bindSymbols(KernelOp from, KernelOp to) {
  return llvm::map_to_vector(from.getSymbols(), [&](Attribute size) {
    return toAffine(to, cast<SizeExprAttr>(size));
  });
}

DomainEmbedding tc::embedWhole(KernelOp from, KernelOp to, IRMapping &values) {
  DomainEmbedding embedding;
  embedding.rank = to.getNumDims();
  for (unsigned dim = 0; dim < embedding.rank; ++dim)
    embedding.dims.push_back(getAffineDimExpr(dim, to.getContext()));
  embedding.symbols = bindSymbols(from, to);
  embedding.numSymbols = to.getSymbols().size();
  for (auto [index, input] : llvm::enumerate(from.getIns()))
    values.map(from.getInArgument(index), bindInput(to, input));
  return embedding;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

bool tc::canEmbed(Operation *op, const DomainEmbedding &embedding) {
  auto isFreeOfIndices = [&](std::optional<IntegerSet> set) {
    return !set || llvm::none_of(embedding.apply(*set).getConstraints(),
                                 [&](AffineExpr constraint) {
                                   return embedding.usesIndices(constraint);
                                 });
  };
  if (std::optional<KernelAccess> access = getAccess(*op))
    return isFreeOfIndices(access->within);
  if (isa<ReduceStageOp, ContractStageOp>(op))
    return succeeded(embedding.apply(getFoldedDims(op)));
  if (auto stage = dyn_cast<ScanStageOp>(op))
    return isa<AffineDimExpr>(embedding.dims[stage.getAlong()]) &&
           !embedding.usesIndices(embedding.dims[stage.getAlong()]);
  if (auto stage = dyn_cast<SortStageOp>(op))
    return isa<AffineDimExpr>(embedding.dims[stage.getAlong()]) &&
           !embedding.usesIndices(embedding.dims[stage.getAlong()]);
  return !isa<RoutineStageOp, AttentionBackwardStageOp>(op);
}

namespace {
/// Emits index expressions, of which parts may be values of the body.
struct IndexEmitter {
  OpBuilder &builder;
  Location loc;
  const DomainEmbedding &embedding;

  Value emit(AffineExpr expr) {
    Type type = builder.getI64Type();
    if (!embedding.usesIndices(expr))
      return DimIndexOp::create(
          builder, loc, type,
          AffineMap::get(embedding.rank, embedding.numSymbols, expr));
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      Value index = embedding.indices[dim.getPosition() - embedding.rank];
      return index.getType() == type
                 ? index
                 : CastOp::create(builder, loc, type, index).getResult();
    }
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value left = emit(binary.getLHS()), right = emit(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return AddOp::create(builder, loc, type, left, right);
    case AffineExprKind::Mul:
      return MulOp::create(builder, loc, type, left, right);
    case AffineExprKind::FloorDiv:
      return FloorDivOp::create(builder, loc, type, left, right);
    default:
      return RemainderOp::create(builder, loc, type, left, right);
    }
  }

  /// Whether all constraints hold.
  Value emit(IntegerSet set) {
    Value all;
    Value zero = ScalarOp::create(builder, loc, builder.getI64IntegerAttr(0));
    for (auto [constraint, isEquality] :
         llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
      Value left = emit(constraint);
      Value holds = isEquality
                        ? EqOp::create(builder, loc, left, zero).getResult()
                        : GeOp::create(builder, loc, left, zero).getResult();
      all =
          all ? BitwiseAndOp::create(builder, loc, holds.getType(), all, holds)
                    .getResult()
              : holds;
    }
    return all;
  }
};
} // namespace

/// The indices of a cloned access: the embedding's, then its own.
static SmallVector<Value> cloneIndices(ValueRange own,
                                       const DomainEmbedding &embedding,
                                       IRMapping &values) {
  SmallVector<Value> indices(embedding.indices);
  for (Value index : own)
    indices.push_back(values.lookup(index));
  return indices;
}

/// Drops the indices that the map does not use.
static AffineMap pruneIndices(AffineMap map, unsigned rank,
                              SmallVectorImpl<Value> &indices) {
  SmallVector<AffineExpr> replacements;
  SmallVector<Value> used;
  MLIRContext *context = map.getContext();
  for (unsigned dim = 0; dim < rank; ++dim)
    replacements.push_back(getAffineDimExpr(dim, context));
  for (auto [position, index] : llvm::enumerate(indices)) {
    replacements.push_back(getAffineDimExpr(rank + used.size(), context));
    if (map.isFunctionOfDim(rank + position))
      used.push_back(index);
  }
  indices = used;
  return map.replaceDimsAndSymbols(replacements, {}, rank + used.size(),
                                   map.getNumSymbols());
}

void tc::cloneEmbedded(OpBuilder &builder, Operation *op,
                       const DomainEmbedding &embedding, IRMapping &values) {
  IndexEmitter emitter{builder, op->getLoc(), embedding};
  if (auto index = dyn_cast<DimIndexOp>(op)) {
    AffineExpr expr = embedding.apply(index.getMap(), 0).getResult(0);
    Value value = emitter.emit(expr);
    if (value.getType() != index.getType())
      value = CastOp::create(builder, op->getLoc(), index.getType(), value);
    values.map(index.getResult(), value);
    return;
  }
  if (auto within = dyn_cast<WithinOp>(op)) {
    IntegerSet set = embedding.apply(within.getSet());
    bool isDynamic = llvm::any_of(set.getConstraints(), [&](AffineExpr expr) {
      return embedding.usesIndices(expr);
    });
    values.map(within.getResult(),
               isDynamic ? emitter.emit(set)
                         : WithinOp::create(builder, op->getLoc(),
                                            builder.getI1Type(), set)
                               .getResult());
    return;
  }
  Operation *clone = builder.clone(*op, values);
  if (auto read = dyn_cast<ReadOp>(clone)) {
    auto old = cast<ReadOp>(op);
    SmallVector<Value> indices =
        cloneIndices(old.getIndices(), embedding, values);
    AffineMap map = embedding.apply(old.getMap(), old.getIndices().size());
    map = pruneIndices(map, embedding.rank, indices);
    read.getIndicesMutable().assign(indices);
    read.setMap(map);
    std::optional<IntegerSet> within;
    if (old.getWithin())
      within = embedding.apply(*old.getWithin());
    within = intersect(within, embedding.within);
    if (within)
      read.setWithinAttr(IntegerSetAttr::get(*within));
  } else if (auto write = dyn_cast<WriteOp>(clone)) {
    auto old = cast<WriteOp>(op);
    write.setMap(embedding.apply(old.getMap(), old.getIndices().size()));
    if (old.getWithin())
      write.setWithinAttr(
          IntegerSetAttr::get(embedding.apply(*old.getWithin())));
  } else if (auto stage = dyn_cast<ReduceStageOp>(clone)) {
    stage.setOver(*embedding.apply(stage.getOver()));
  } else if (auto stage = dyn_cast<ContractStageOp>(clone)) {
    stage.setOver(*embedding.apply(stage.getOver()));
  } else if (auto stage = dyn_cast<ScanStageOp>(clone)) {
    stage.setAlong(
        cast<AffineDimExpr>(embedding.dims[stage.getAlong()]).getPosition());
  } else if (auto stage = dyn_cast<SortStageOp>(clone)) {
    stage.setAlong(
        cast<AffineDimExpr>(embedding.dims[stage.getAlong()]).getPosition());
  }
}

std::string tc::joinNames(StringRef first, StringRef second) {
  // Enough to recognise the kernel in a profile.
  constexpr size_t kMaxLength = 48;
  SmallVector<StringRef> parts;
  first.split(parts, '_');
  if (second == first || first.size() + second.size() + 1 > kMaxLength)
    return first.str();
  return (first + "_" + second).str();
}
