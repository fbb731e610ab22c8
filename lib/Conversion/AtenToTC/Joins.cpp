//===- Joins.cpp - tensors side by side -----------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// The tensors of a list in their common element type; empty after a refusal.
static SmallVector<Value> getPromotedTensors(AtenCall &call) {
  SmallVector<Operand> operands;
  for (Value tensor : call.getTensors("tensors"))
    operands.push_back({tensor, Attribute()});
  SmallVector<Value> tensors;
  if (operands.empty()) {
    (void)call.refuse("an empty list of tensors");
    return tensors;
  }
  Type element = promoteOperands(operands);
  for (const Operand &operand : operands)
    tensors.push_back(call.cast(operand.tensor, element));
  return tensors;
}

// Pattern: aten.cat([x, y], dim) -> tc.concat x, y
static LogicalResult convertCat(AtenCall &call) {
  SmallVector<Value> tensors = getPromotedTensors(call);
  int64_t rank = call.getResultType().getRank();
  int64_t dim = call.getDim("dim", rank);
  // PyTorch passes over empty tensors of rank 1.
  llvm::erase_if(tensors, [&](Value tensor) {
    return rankOf(tensor) == 1 && rank != 1 && sizesOf(tensor)[0].isConstant(0);
  });
  bool sameRank = llvm::all_of(
      tensors, [&](Value tensor) { return rankOf(tensor) == rank; });
  if (call.hasFailed())
    return failure();
  if (tensors.empty() || !sameRank || rank == 0)
    return call.refuse("tensors of several ranks");
  return call.replace(call.concat(tensors, dim));
}

// Pattern: aten.stack([x, y], dim) -> tc.concat of x and y with a dimension of
// 1
static LogicalResult convertStack(AtenCall &call) {
  SmallVector<Value> tensors = getPromotedTensors(call);
  if (call.hasFailed())
    return failure();
  int64_t dim = call.getDim("dim", rankOf(tensors.front()) + 1);
  bool sameRank = llvm::all_of(tensors, [&](Value tensor) {
    return rankOf(tensor) == rankOf(tensors.front());
  });
  if (call.hasFailed() || !sameRank)
    return call.hasFailed() ? failure()
                            : call.refuse("tensors of several ranks");
  for (Value &tensor : tensors) {
    Sizes sizes = sizesOf(tensor);
    sizes.insert(sizes.begin() + dim, call.constant(1));
    tensor = call.reshape(tensor, sizes);
  }
  return call.replace(call.concat(tensors, dim));
}

// Pattern: aten.hstack([x, y]) -> tc.concat of x and y with ranks filled up
template <int64_t leastRank, int64_t joinDim>
static LogicalResult convertStackAlong(AtenCall &call) {
  SmallVector<Value> tensors = getPromotedTensors(call);
  if (call.hasFailed())
    return failure();
  bool areVectors = rankOf(tensors.front()) <= 1;
  for (Value &tensor : tensors) {
    Sizes sizes = sizesOf(tensor);
    // Vectors become rows for vstack and stay vectors for hstack.
    while (static_cast<int64_t>(sizes.size()) < leastRank)
      sizes.insert(sizes.begin(), call.constant(1));
    tensor = call.reshape(tensor, sizes);
    if (rankOf(tensor) != rankOf(tensors.front()))
      return call.refuse("tensors of several ranks");
  }
  return call.replace(
      call.concat(tensors, joinDim == 1 && areVectors ? 0 : joinDim));
}

// Pattern: aten.dstack([x, y]) -> tc.concat of x and y as stacks of matrices;
// aten.column_stack of vectors as columns
template <bool isDeep> static LogicalResult convertStackLast(AtenCall &call) {
  SmallVector<Value> tensors = getPromotedTensors(call);
  if (call.hasFailed())
    return failure();
  for (Value &tensor : tensors) {
    Sizes sizes = sizesOf(tensor);
    if (isDeep && sizes.size() <= 1)
      sizes.insert(sizes.begin(), call.constant(1));
    while (sizes.size() < (isDeep ? 3 : 2))
      sizes.push_back(call.constant(1));
    tensor = call.reshape(tensor, sizes);
    if (rankOf(tensor) != rankOf(tensors.front()))
      return call.refuse("tensors of several ranks");
  }
  return call.replace(call.concat(tensors, isDeep ? 2 : 1));
}

// Pattern: aten.meshgrid([x, y]) -> a tc.broadcast each
static LogicalResult convertMeshgrid(AtenCall &call) {
  SmallVector<Value> tensors = call.getTensors("tensors"), grids;
  bool swapsFirstTwo = call.getArgument("indexing") &&
                       call.getString("indexing") == "xy" &&
                       tensors.size() >= 2;
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    if (index >= call.getResultCount() || rankOf(tensor) > 1)
      return call.refuse("tensors of rank 2 or more");
    size_t dim = swapsFirstTwo && index < 2 ? 1 - index : index;
    Sizes shape(tensors.size(), call.constant(1));
    shape[dim] = getElementCount(sizesOf(tensor), call.getContext());
    grids.push_back(call.broadcast(call.reshape(tensor, shape),
                                   getSizes(call.getResultType(index))));
  }
  return call.replace(grids);
}

// Pattern: aten.broadcast_tensors([x, y]) -> a tc.broadcast each
static LogicalResult convertBroadcastTensors(AtenCall &call) {
  SmallVector<Value> results;
  for (auto [index, tensor] : llvm::enumerate(call.getTensors("tensors"))) {
    if (index >= call.getResultCount())
      return call.refuse("fewer results than tensors");
    results.push_back(
        call.broadcast(tensor, getSizes(call.getResultType(index))));
  }
  return call.replace(results);
}

void addJoins(AtenTable &table) {
  table.add({"cat.default", "concat.default", "concatenate.default"},
            convertCat);
  table.add({"stack.default"}, convertStack);
  table.add({"hstack.default"}, convertStackAlong<1, 1>);
  table.add({"dstack.default"}, convertStackLast<true>);
  table.add({"column_stack.default"}, convertStackLast<false>);
  table.add({"vstack.default", "row_stack.default"}, convertStackAlong<2, 0>);
  table.add({"meshgrid.default", "meshgrid.indexing"}, convertMeshgrid);
  table.add({"broadcast_tensors.default"}, convertBroadcastTensors);
}

} // namespace tc::aten
