//===- KeptWeights.cpp - Dropout in kernels of attention ------------------===//

#include "TC/Analysis/KeptWeights.h"
#include "TC/Dialect/TC/IR/AttentionDropout.h"

using namespace mlir;
using namespace tc;

static std::optional<int64_t> getNumber(Value value) {
  auto scalar = value.getDefiningOp<ScalarOp>();
  auto number = scalar ? dyn_cast<IntegerAttr>(scalar.getValue()) : nullptr;
  return number ? std::optional(number.getInt()) : std::nullopt;
}

std::optional<KeptWeights> KeptWeights::find(Value kept, unsigned queryDim,
                                             unsigned keyDim) {
  constexpr int64_t kRowStep = int64_t(1) << 32;
  auto isBelow = kept.getDefiningOp<LtOp>();
  if (!isBelow)
    return std::nullopt;
  KeptWeights found;
  auto count = getNumber(isBelow.getY());
  found.bits = isBelow.getX().getDefiningOp<DropoutBitsOp>();
  auto sum =
      found.bits ? found.bits.getPosition().getDefiningOp<AddOp>() : AddOp();
  auto product = sum ? sum.getX().getDefiningOp<MulOp>() : MulOp();
  auto key = sum ? sum.getY().getDefiningOp<DimIndexOp>() : DimIndexOp();
  found.row =
      product ? product.getX().getDefiningOp<DimIndexOp>() : DimIndexOp();
  if (!count || *count < 0 || *count > 65536 || !found.row || !key ||
      getNumber(product.getY()) != kRowStep)
    return std::nullopt;
  found.count = *count;
  AffineMap map = found.row.getMap();
  AffineExpr row = map.getResult(0);
  const unsigned dims = map.getNumDims();
  if (queryDim < dims)
    row = simplifyAffineExpr(row - getAffineDimExpr(queryDim, row.getContext()),
                             dims, map.getNumSymbols());
  if (key.getMap().getResult(0) != getAffineDimExpr(keyDim, row.getContext()) ||
      row.isFunctionOfDim(keyDim) || row.isFunctionOfDim(queryDim) ||
      !row.isMultipleOf(kDropoutRows))
    return std::nullopt;
  return found;
}
