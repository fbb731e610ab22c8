//===- GroupedProducts.cpp - products whose rows are in groups ------------===//
//
// Mixtures of experts sort their rows by expert; each group of rows is
// multiplied by its own matrix. Offset i is where group i ends, so the matrix
// of a row is the number of offsets at or before it. Each row reads one matrix,
// by its number, inside of the product: nothing is multiplied with the others.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// The group of each of `count` rows: [count], equal to the number of groups
/// for rows after the last.
static Value getGroups(AtenCall &call, Value offsets, SizeExpr count) {
  offsets = call.cast(offsets, call.builder.getI64Type());
  Sizes sizes{count, sizesOf(offsets)[0]};
  Value isBefore =
      call.binary<LeOp>(call.broadcast(offsets, sizes), call.iota(sizes, 0));
  return call.reduce(ReductionKind::Sum,
                     call.cast(isBefore, call.builder.getI64Type()), 1);
}

/// Whether the arguments have the ranks and the sizes of a grouped product.
static LogicalResult checkGroups(AtenCall &call, Value stack, Value offsets) {
  if (!offsets || rankOf(offsets) != 1 || !isa<IntegerType>(elementOf(offsets)))
    return call.refuse("offsets of this rank or type");
  if (sizesOf(stack)[0].isConstant(0))
    return call.refuse("no group");
  return success();
}

/// Groups along a dimension of the product: `rows` by rank 2 and `stack` by
/// rank 3 operands of `spec`, with the group in front of the stack's.
static Value multiplyGroups(AtenCall &call, Value stack, Value offsets,
                            SizeExpr count, int64_t groupDim,
                            function_ref<Value(Value)> multiply) {
  Value groups = getGroups(call, offsets, count);
  Value number = call.fillSize(sizesOf(stack)[0], groups);
  Value isInside = call.binary<LtOp>(groups, number);
  // Rows after the last group are zeros, and read any matrix.
  groups = call.binary<MinimumOp>(groups, call.binary<SubOp>(number, 1.0));
  Sizes sizes = sizesOf(stack);
  sizes[0] = count;
  Value picked = IndexOp::create(call.builder, call.location,
                                 getTensorType(sizes, elementOf(stack)), stack,
                                 groups, ArrayRef<int64_t>{0});
  Value product = multiply(picked);
  Sizes column(2, call.constant(1));
  column[groupDim] = count;
  isInside = call.broadcast(call.reshape(isInside, column), sizesOf(product));
  return call.select(isInside, product, call.fill(0.0, product));
}

/// The product of rank 2 and 3, 3 and 2 or 3 and 3.
static LogicalResult convertGrouped(AtenCall &call, Value x, Value y,
                                    Value offsets) {
  int64_t xRank = rankOf(x), yRank = rankOf(y);
  Type element = call.getResultType().getElementType();
  auto finish = [&](Value product) {
    return call.hasFailed() ? failure()
                            : call.replace(call.cast(product, element));
  };
  if (xRank == 3 && yRank == 3)
    return finish(call.contract("bmk,bkn->bmn", x, y));
  if (xRank == 2 && yRank == 3) {
    if (failed(checkGroups(call, y, offsets)))
      return failure();
    return finish(
        multiplyGroups(call, y, offsets, sizesOf(x)[0], 0, [&](Value picked) {
          return call.contract("mk,mkn->mn", x, picked);
        }));
  }
  if (xRank == 3 && yRank == 2) {
    if (failed(checkGroups(call, x, offsets)))
      return failure();
    return finish(
        multiplyGroups(call, x, offsets, sizesOf(y)[1], 1, [&](Value picked) {
          return call.contract("nmk,kn->mn", picked, y);
        }));
  }
  return call.refuse("operands of rank " + Twine(xRank) + " and " +
                     Twine(yRank) + ", whose groups are summed over");
}

// Pattern: aten._grouped_mm(x, w, offsets) -> tc.contract of x and
// tc.index_tensors w[group of the row]
static LogicalResult convertGroupedProduct(AtenCall &call) {
  if (call.getTensor("bias"))
    return call.refuse("a bias");
  return convertGrouped(call, call.getTensor("self"), call.getTensor("mat2"),
                        call.getTensor("offs"));
}

// Pattern: transformers.grouped_mm_fallback(x, w, offsets) -> tc.contract of x
// and tc.index_tensors w[group of the row]
static LogicalResult convertTransformersGroupedProduct(AtenCall &call) {
  return convertGrouped(call, call.getTensor("input"), call.getTensor("weight"),
                        call.getTensor("offs"));
}

void addGroupedProducts(AtenTable &table) {
  table.add({"_grouped_mm.default"}, convertGroupedProduct);
  table.add({"transformers.grouped_mm_fallback.default"},
            convertTransformersGroupedProduct);
}

} // namespace tc::aten
