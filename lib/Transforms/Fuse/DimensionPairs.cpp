//===- DimensionPairs.cpp - Neighbours among a buffer's indices -----------===//

#include "TC/Transforms/Fuse/DimensionPairs.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Transforms/Fuse/PairBounds.h"

using namespace mlir;
using namespace tc;

/// The stage of a kernel that folds, and has no other; null for any other
/// kernel.
static Operation *findOnlyFold(KernelOp kernel) {
  Operation *fold = nullptr;
  for (Operation &op : kernel.getBodyBlock()) {
    const bool isFold = isa<ReduceStageOp, ContractStageOp>(op);
    if ((isFold && fold) || isa<ScanStageOp>(op) || isWholeStage(&op))
      return nullptr;
    if (isFold)
      fold = &op;
  }
  return fold;
}

/// Whether rows of a dimension may begin at `offset`, which depends on others.
static bool mayBeginAt(AffineExpr offset, KernelOp kernel) {
  Operation *fold = findOnlyFold(kernel);
  if (!fold)
    return true;
  ArrayRef<int64_t> folded = getFoldedDims(fold);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (offset.isFunctionOfDim(dim) &&
        !llvm::is_contained(folded, int64_t(dim)))
      return false;
  return true;
}

std::optional<int64_t> tc::findPair(AffineMap map, unsigned outer,
                                    unsigned inner, ShapedType type,
                                    KernelOp kernel, bool allowsParts) {
  bool usesOuter = map.isFunctionOfDim(outer),
       usesInner = map.isFunctionOfDim(inner);
  if (!usesOuter && !usesInner)
    return kUnused;
  MLIRContext *context = map.getContext();
  Sizes sizes = getSizes(type);
  auto usesPair = [&](AffineExpr expr) {
    return expr.isFunctionOfDim(outer) || expr.isFunctionOfDim(inner);
  };
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto mayBePart = [&](AffineExpr offset) {
    return allowsParts && mayBeginAt(offset, kernel);
  };
  std::optional<int64_t> size = kernel.getDimSize(inner).getConstant();
  if (size && llvm::count_if(map.getResults(), usesPair) == 1) {
    AffineExpr combined = getAffineDimExpr(outer, context) * *size +
                          getAffineDimExpr(inner, context);
    IndexSimplifier simplifier(kernel);
    unsigned matches = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
      if (!usesPair(expr))
        return false;
      AffineExpr offset = simplifier.simplify(expr - combined);
      return offset == zero || (!usesPair(offset) && mayBePart(offset));
    });
    if (matches == 1)
      return kAlreadyOne;
  }
  for (unsigned index = 0; index + 1 < map.getNumResults(); ++index) {
    AffineExpr offset = getRest(map.getResult(index), outer, map.getNumDims(),
                                map.getNumSymbols());
    if (usesPair(offset) ||
        map.getResult(index + 1) != getAffineDimExpr(inner, context))
      continue;
    bool isWhole = offset == zero && sizes[index] == kernel.getDimSize(outer),
         isAlone = true;
    for (auto [other, expr] : llvm::enumerate(map.getResults()))
      isAlone &= other == index || other == index + 1 || !usesPair(expr);
    if (!isAlone || sizes[index + 1] != kernel.getDimSize(inner) ||
        (!isWhole && !mayBePart(offset)))
      return std::nullopt;
    return index;
  }
  return std::nullopt;
}

bool tc::mayCombineParts(KernelOp kernel, unsigned inner) {
  constexpr int64_t kAccessBytes = 16;
  auto size = kernel.getDimSize(inner).getConstant();
  if (!size || *size == 0 || (hasStages(kernel) && !findOnlyFold(kernel)) ||
      !MachineModel::get(kernel).isGPU)
    return false;
  return llvm::any_of(kernel.getBodyBlock(), [&](Operation &op) {
    std::optional<KernelAccess> access = getAccess(op);
    return access && access->map.isFunctionOfDim(inner) &&
           *size * getElementBytes(access->getType().getElementType()) %
                   kAccessBytes !=
               0;
  });
}
