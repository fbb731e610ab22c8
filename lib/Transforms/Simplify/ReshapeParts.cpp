//===- ReshapeParts.cpp - What a reshape splits and merges ----------------===//

#include "ReshapeParts.h"

using namespace mlir;
using namespace tc;

/// Whether `product` is a multiple of `factor`, other than itself, in every
/// call.
static bool isMultiple(SizeExpr product, SizeExpr factor) {
  if (std::optional<int64_t> whole = product.getConstant())
    if (std::optional<int64_t> part = factor.getConstant())
      return *part != 0 && *whole > *part && *whole % *part == 0;
  return product != factor && factor.mul(product.floorDiv(factor)) == product;
}

std::optional<SmallVector<ReshapePart>>
tc::matchReshape(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to) {
  SmallVector<ReshapePart> parts;
  size_t i = 0, j = 0;
  auto isUnit = [](ArrayRef<SizeExpr> sizes, size_t at) {
    return at < sizes.size() && sizes[at].isConstant(1);
  };
  while (i < from.size() || j < to.size()) {
    const size_t fromBegin = i, toBegin = j;
    bool isEqual = i < from.size() && j < to.size() && from[i] == to[j];
    if (!isEqual && isUnit(from, i)) {
      ++i;
    } else if (!isEqual && isUnit(to, j)) {
      ++j;
    } else if (i == from.size() || j == to.size()) {
      return std::nullopt;
    } else {
      // Multiply the smaller side until both are equal.
      SizeExpr left = from[i++], right = to[j++];
      while (left != right) {
        if (i < from.size() && isMultiple(right, left))
          left = left.mul(from[i++]);
        else if (j < to.size() && isMultiple(left, right))
          right = right.mul(to[j++]);
        else
          return std::nullopt;
      }
    }
    parts.push_back({{fromBegin, i}, {toBegin, j}});
  }
  return parts;
}
