//===- AttentionMask.cpp - Which keys of attention count ------------------===//

#include "AttentionMask.h"

using namespace mlir;
using namespace tc;

Value tc::buildMasked(KernelBuilder &kernel, Value score, Type type, Value mask,
                      bool isCausal, ArrayRef<AffineExpr> point) {
  auto keepWhere = [&](Value condition) {
    Value kept = score ? score : kernel.scalar(0, type),
          lowest =
              kernel.scalar(-std::numeric_limits<double>::infinity(), type);
    score = kernel.create<SelectOp>(type, condition, kept, lowest);
  };
  if (mask) {
    SmallVector<AffineExpr> at;
    Sizes sizes = getSizes(cast<RankedTensorType>(mask.getType()));
    for (auto [size, expr] : llvm::zip(sizes, point.take_back(sizes.size())))
      at.push_back(size.isConstant(1) ? kernel.constant(0) : expr);
    Value element = kernel.readForCompute(mask, at);
    if (element.getType().isInteger(1))
      keepWhere(element);
    else if (Value added = kernel.cast(element, type); score)
      score = kernel.create<AddOp>(score, added);
    else
      score = added;
  }
  if (isCausal) {
    AffineExpr query = point[point.size() - 2], key = point.back();
    keepWhere(kernel.within(kernel.setOf(query - key)));
  }
  return score;
}
