//===- ReshapeGroups.cpp - Which dimensions a reshape mixes ---------------===//

#include "TC/Analysis/ReshapeGroups.h"

using namespace mlir;
using namespace tc;

/// The smallest group that starts at these dimensions.
static ReshapeGroup getNextGroup(ArrayRef<SizeExprAttr> source,
                                 ArrayRef<SizeExprAttr> result,
                                 unsigned sourceBegin, unsigned resultBegin) {
  MLIRContext *context =
      (source.empty() ? result : source).front().getContext();
  SizeExprAttr one = SizeExprAttr::constant(context, 1);
  // By total length, so that the first match is the smallest.
  unsigned sourceLeft = source.size() - sourceBegin,
           resultLeft = result.size() - resultBegin;
  for (unsigned length = 1; length <= sourceLeft + resultLeft; ++length)
    for (unsigned taken = 0; taken <= std::min(length, sourceLeft); ++taken) {
      if (length - taken > resultLeft)
        continue;
      SizeExprAttr left = one, right = one;
      for (unsigned index = 0; index < taken; ++index)
        left = left.mul(source[sourceBegin + index]);
      for (unsigned index = 0; index < length - taken; ++index)
        right = right.mul(result[resultBegin + index]);
      if (left == right)
        return {sourceBegin, sourceBegin + taken, resultBegin,
                resultBegin + length - taken};
    }
  return {sourceBegin, unsigned(source.size()), resultBegin,
          unsigned(result.size())};
}

SmallVector<ReshapeGroup> tc::getReshapeGroups(ArrayRef<SizeExprAttr> source,
                                               ArrayRef<SizeExprAttr> result) {
  SmallVector<ReshapeGroup> groups;
  unsigned sourceAt = 0, resultAt = 0;
  while (sourceAt < source.size() || resultAt < result.size()) {
    groups.push_back(getNextGroup(source, result, sourceAt, resultAt));
    sourceAt = groups.back().sourceEnd;
    resultAt = groups.back().resultEnd;
  }
  return groups;
}

/// Product of the sizes after `index` in the group, when constant.
static std::optional<int64_t> getStride(ArrayRef<SizeExprAttr> sizes,
                                        unsigned index, unsigned end) {
  int64_t stride = 1;
  for (unsigned inner = index + 1; inner < end; ++inner) {
    std::optional<int64_t> size = sizes[inner].getConstant();
    if (!size || *size == 0)
      return std::nullopt;
    stride *= *size;
  }
  return stride;
}

FailureOr<SmallVector<AffineExpr>>
tc::mapThroughReshape(ArrayRef<SizeExprAttr> source,
                      ArrayRef<SizeExprAttr> result,
                      ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> mapped;
  for (ReshapeGroup group : getReshapeGroups(source, result)) {
    if (group.sourceEnd == group.sourceBegin + 1 &&
        group.resultEnd == group.resultBegin + 1) {
      mapped.push_back(indices[group.resultBegin]);
      continue;
    }
    if (group.sourceEnd == group.sourceBegin)
      continue;
    MLIRContext *context = source.front().getContext();
    AffineExpr linear = getAffineConstantExpr(0, context);
    for (unsigned index = group.resultBegin; index < group.resultEnd; ++index) {
      std::optional<int64_t> stride = getStride(result, index, group.resultEnd);
      if (!stride)
        return failure();
      linear = linear + indices[index] * *stride;
    }
    for (unsigned index = group.sourceBegin; index < group.sourceEnd; ++index) {
      std::optional<int64_t> stride = getStride(source, index, group.sourceEnd);
      if (!stride)
        return failure();
      AffineExpr quotient = linear.floorDiv(*stride);
      if (index == group.sourceBegin) {
        mapped.push_back(quotient);
        continue;
      }
      mapped.push_back(quotient % *source[index].getConstant());
    }
  }
  return mapped;
}
