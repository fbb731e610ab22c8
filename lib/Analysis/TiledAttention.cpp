//===- TiledAttention.cpp - Dimensions and stages of attention ------------===//

#include "TC/Analysis/TiledAttention.h"

using namespace mlir;
using namespace tc;

/// Most elements of the packed keys, and of the scores of the fewest rows, on a
/// thread's stack.
static constexpr int64_t kMostScratch = 1 << 18;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Whether registers hold the value as f32, the type of the scores in memory:
/// they do for all floats except f64.
static bool isHeldAsF32(Value value) {
  return isa<FloatType>(value.getType()) && !value.getType().isF64();
}

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  return value;
}

static std::optional<unsigned> onlyDim(const DimSet &dims) {
  return dims.count() == 1 ? std::optional<unsigned>(dims.find_first())
                           : std::nullopt;
}

/// Whether scores of keys after the row are -inf: the maximum reduces a select
/// between the score and -inf by `row - key >= 0`.
static bool isCausal(TiledAttention parts, unsigned rank) {
  Value value = parts.largest.getValue();
  auto select = value.getDefiningOp<SelectOp>();
  auto within =
      select ? select.getCondition().getDefiningOp<WithinOp>() : nullptr;
  auto lowest = select ? select.getY().getDefiningOp<ScalarOp>() : nullptr;
  if (!within || !lowest || within.getSet().getNumConstraints() != 1 ||
      within.getSet().isEq(0))
    return false;
  auto number = dyn_cast<FloatAttr>(lowest.getValue());
  MLIRContext *context = select.getContext();
  AffineExpr diagonal = getAffineDimExpr(parts.row, context) -
                        getAffineDimExpr(parts.key, context);
  AffineExpr difference =
      simplifyAffineExpr(within.getSet().getConstraint(0) - diagonal, rank, 0);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative() &&
         difference == getAffineConstantExpr(0, context);
}

/// The weights that are 0 in place of `weights` where dropout does not keep
/// them, and what says that; nothing where `weights` are others.
static std::optional<std::pair<Value, Value>> findKept(Value weights) {
  auto select = weights.getDefiningOp<SelectOp>();
  auto zero = select ? select.getY().getDefiningOp<ScalarOp>() : nullptr;
  auto number = zero ? dyn_cast<FloatAttr>(zero.getValue()) : FloatAttr();
  if (!number || !number.getValue().isZero())
    return std::nullopt;
  return std::pair(Value(select.getX()), Value(select.getCondition()));
}

/// The stages, where they are two contractions and two reductions alone.
static std::optional<TiledAttention> findStages(KernelOp kernel) {
  SmallVector<ContractStageOp> contractions;
  SmallVector<ReduceStageOp> folds;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ScanStageOp>(op) || isWholeStage(&op))
      return std::nullopt;
    if (auto contract = dyn_cast<ContractStageOp>(op))
      contractions.push_back(contract);
    if (auto fold = dyn_cast<ReduceStageOp>(op))
      folds.push_back(fold);
  }
  if (contractions.size() != 2 || folds.size() != 2)
    return std::nullopt;
  TiledAttention parts;
  parts.scores = contractions[0];
  parts.output = contractions[1];
  parts.largest = folds[0];
  parts.sum = folds[1];
  if (parts.largest.getKind() != ReductionKind::Max ||
      parts.sum.getKind() != ReductionKind::Sum ||
      parts.output.getOver() != parts.sum.getOver() ||
      parts.largest.getOver() != parts.sum.getOver() ||
      parts.sum.getOver().size() != 1 || !isHeldAsF32(parts.output.getLhs()) ||
      !isHeldAsF32(parts.sum.getValue()))
    return std::nullopt;
  Value weights = withoutCasts(parts.output.getLhs()),
        summed = withoutCasts(parts.sum.getValue());
  if (weights == summed)
    return parts;
  auto dropped = findKept(weights);
  if (!dropped || withoutCasts(dropped->first) != summed)
    return std::nullopt;
  parts.kept = dropped->second;
  return parts;
}

std::optional<TiledAttention>
TiledAttention::findRoles(KernelOp kernel, const KernelDims &dims) {
  std::optional<TiledAttention> found = findStages(kernel);
  if (!found)
    return std::nullopt;
  TiledAttention &parts = *found;
  parts.key = parts.sum.getOver().front();
  for (int64_t dim : parts.scores.getOver())
    parts.depth.push_back(dim);
  llvm::sort(parts.depth);
  parts.values = parts.output.getRhs();
  bool keysAreRight = dims.of(parts.scores.getRhs()).test(parts.key);
  parts.keys = keysAreRight ? parts.scores.getRhs() : parts.scores.getLhs();
  parts.queries = keysAreRight ? parts.scores.getLhs() : parts.scores.getRhs();
  // A dimension of one key is not in the indices of the keys.
  if (!dims.of(parts.keys).test(parts.key) ||
      dims.of(parts.queries).test(parts.key))
    return std::nullopt;

  const DimSet &result = dims.of(parts.output.getResult()),
               &scored = dims.of(parts.scores.getResult());
  DimSet column = result, rows = scored;
  column.reset(scored);
  rows &= result;
  rows.reset(dims.of(parts.keys));
  rows.reset(dims.of(parts.values));
  if (!onlyDim(column))
    return std::nullopt;
  parts.column = *onlyDim(column);
  parts.row = rows.any() ? unsigned(rows.find_last()) : kernel.getNumDims();
  parts.hasOneRowDim = onlyDim(rows).has_value();
  // A mask may vary over more than the scores do.
  if (dims.of(parts.output.getLhs()).test(parts.column))
    return std::nullopt;
  for (unsigned dim : result.set_bits())
    if (dim != parts.row && dim != parts.column)
      parts.batches.push_back(dim);
  DimSet ofRow = result;
  ofRow.reset(parts.column);
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>()) {
    const DimSet written = dims.ofWrite(write);
    if (written != result && written != ofRow)
      return std::nullopt;
    (written == result ? parts.columnWrites : parts.rowWrites).push_back(write);
  }
  if (parts.columnWrites.empty())
    return std::nullopt;
  parts.causal = isCausal(parts, kernel.getNumDims());
  return found;
}

int64_t TiledAttention::countRowMultiplyAdds() const {
  return keyCount * (depthCount + columnCount) + countExponentials();
}

int64_t TiledAttention::countExponentials() const {
  constexpr int64_t kExponential = 16;
  return keyCount * kExponential;
}

std::optional<TiledAttention> TiledAttention::find(KernelOp kernel,
                                                   const KernelDims &dims) {
  std::optional<TiledAttention> parts = findRoles(kernel, dims);
  if (!parts || !parts->hasOneRowDim || parts->kept)
    return std::nullopt;
  auto keys = kernel.getDimSize(parts->key).getConstant(),
       columns = kernel.getDimSize(parts->column).getConstant();
  if (!isHeldAsF32(parts->scores.getResult()) || !keys || !columns)
    return std::nullopt;
  parts->keyCount = *keys;
  parts->columnCount = *columns;
  parts->depthCount = 1;
  for (unsigned dim : parts->depth)
    parts->depthCount *=
        kernel.getDimSize(dim).getConstant().value_or(kMostScratch + 1);
  // The keys, and the scores of the fewest rows, fit a thread's stack.
  constexpr int64_t kMostLanes = 64, kFewestRows = 6;
  if (int64_t(llvm::alignTo(parts->keyCount, kMostLanes)) *
          std::max(parts->depthCount, kFewestRows) >
      kMostScratch)
    return std::nullopt;
  return parts;
}
