//===- Index.cpp - Gather, scatter and advanced indexing ------------------===//

#include "Index.h"
#include "Reduction.h"

using namespace mlir;

namespace tc::reference {

static InFlightDiagnostic reportIndex(Operation *op, int64_t index, int64_t dim,
                                      int64_t size) {
  return op->emitOpError() << "has index " << index
                           << " out of range for dimension " << dim
                           << " of size " << size;
}

/// For each element of `index`, the flat position in a tensor of `sizes` where
/// coordinate `dim` is the index and the others are the element's own.
static FailureOr<std::vector<int64_t>> locateAlong(Operation *op,
                                                   const Tensor &index,
                                                   ArrayRef<int64_t> sizes,
                                                   int64_t dim) {
  Sizes64 strides = getRowMajorStrides(sizes);
  std::vector<int64_t> positions(index.getElementCount());
  Sizes64 at(index.getRank(), 0);
  for (int64_t i = 0; i < index.getElementCount();
       ++i, advanceIndex(at, index.getSizes())) {
    int64_t value = index.getInteger(i);
    if (value < 0 || value >= sizes[dim])
      return reportIndex(op, value, dim, sizes[dim]);
    int64_t position = value * strides[dim];
    for (int64_t d = 0; d < index.getRank(); ++d)
      if (d != dim)
        position += at[d] * strides[d];
    positions[i] = position;
  }
  return positions;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, GatherOp op) {
  const Tensor &x = evaluation.get(op.getX()),
               &index = evaluation.get(op.getIndex());
  FailureOr<std::vector<int64_t>> positions =
      locateAlong(op, index, x.getSizes(), op.getDim());
  if (failed(positions))
    return failure();
  Tensor result(x.getElementType(), index.getSizes());
  for (auto [i, position] : llvm::enumerate(*positions))
    result.words()[i] = x.words()[position];
  return Tensors{result};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ScatterOp op) {
  const Tensor &x = evaluation.get(op.getX()),
               &index = evaluation.get(op.getIndex());
  const Tensor &updates = evaluation.get(op.getUpdates());
  FailureOr<std::vector<int64_t>> positions =
      locateAlong(op, index, x.getSizes(), op.getDim());
  if (failed(positions))
    return failure();
  Tensor result = x.clone();
  for (auto [i, position] : llvm::enumerate(*positions)) {
    Word &element = result.words()[position];
    element =
        combineWords(op.getCombine(), element, updates.words()[i], x.getKind());
  }
  return Tensors{evaluation.finish(result)};
}

/// The elements that indexing x along `dims` picks: for each point of the index
/// tensors' shape a base position in x, and the strides of the dimensions that
/// are kept.
struct Picked {
  std::vector<int64_t> bases;
  Sizes64 sizes;      // of all that is picked
  int64_t outer = 1;  // product of the kept sizes before the first index
  Sizes64 innerSizes; // kept sizes after it
  Sizes64 outerSizes; // kept sizes before it
  Sizes64 outerStrides, innerStrides;

  /// Calls `visit(position in x, flat position of the picked element)`.
  template <typename Fn> void forEach(Fn visit) const {
    int64_t innerCount = countElements(innerSizes), flat = 0;
    Sizes64 outerIndex(outerSizes.size(), 0);
    for (int64_t o = 0; o < outer; ++o, advanceIndex(outerIndex, outerSizes)) {
      int64_t outerOffset = 0;
      for (size_t d = 0; d < outerIndex.size(); ++d)
        outerOffset += outerIndex[d] * outerStrides[d];
      for (int64_t base : bases) {
        Sizes64 innerIndex(innerSizes.size(), 0);
        for (int64_t i = 0; i < innerCount;
             ++i, advanceIndex(innerIndex, innerSizes)) {
          int64_t offset = outerOffset + base;
          for (size_t d = 0; d < innerIndex.size(); ++d)
            offset += innerIndex[d] * innerStrides[d];
          visit(offset, flat++);
        }
      }
    }
  }
};

static FailureOr<Picked> pick(Evaluation &evaluation, Operation *op,
                              const Tensor &x, ValueRange indices,
                              ArrayRef<int64_t> dims, bool nonNegative) {
  Picked picked;
  Sizes64 strides = getRowMajorStrides(x.getSizes());
  const Tensor &first = evaluation.get(indices.front());
  picked.bases.assign(first.getElementCount(), 0);
  for (auto [value, dim] : llvm::zip_equal(indices, dims)) {
    const Tensor &index = evaluation.get(value);
    int64_t size = x.getSizes()[dim];
    for (int64_t i = 0; i < index.getElementCount(); ++i) {
      int64_t at = index.getInteger(i);
      if (at < (nonNegative ? 0 : -size) || at >= size)
        return reportIndex(op, at, dim, size);
      picked.bases[i] += (at < 0 ? at + size : at) * strides[dim];
    }
  }
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    bool before = dim < dims.front();
    (before ? picked.outerSizes : picked.innerSizes)
        .push_back(x.getSizes()[dim]);
    (before ? picked.outerStrides : picked.innerStrides)
        .push_back(strides[dim]);
  }
  picked.outer = countElements(picked.outerSizes);
  picked.sizes = picked.outerSizes;
  llvm::append_range(picked.sizes, first.getSizes());
  llvm::append_range(picked.sizes, picked.innerSizes);
  return picked;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, IndexOp op) {
  const Tensor &x = evaluation.get(op.getX());
  // Where nothing is read, no index is out of range.
  FailureOr<Sizes64> sizes =
      evaluation.evaluateSizes(op, cast<ShapedType>(op.getType()));
  if (failed(sizes))
    return failure();
  if (llvm::is_contained(*sizes, 0))
    return Tensors{Tensor(x.getElementType(), *sizes)};
  FailureOr<Picked> picked = pick(evaluation, op, x, op.getIndices(),
                                  op.getDims(), op.getNonNegative());
  if (failed(picked))
    return failure();
  Tensor result(x.getElementType(), picked->sizes);
  picked->forEach(
      [&](int64_t from, int64_t to) { result.words()[to] = x.words()[from]; });
  return Tensors{result};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, NonzeroOp op) {
  const Tensor &x = evaluation.get(op.getX());
  std::vector<int64_t> indices;
  int64_t count = 0;
  for (int64_t flat = 0; flat < x.getElementCount(); ++flat) {
    if (x.words()[flat] == 0)
      continue;
    ++count;
    for (int64_t index : unflatten(flat, x.getSizes()))
      indices.push_back(index);
  }
  Type element = cast<ShapedType>(op.getType()).getElementType();
  return Tensors{Tensor::fromIntegers(element, {count, x.getRank()}, indices)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, IndexPutOp op) {
  const Tensor &x = evaluation.get(op.getX()),
               &values = evaluation.get(op.getValues());
  if (values.getElementCount() == 0) // nothing is written, as nothing is read
    return Tensors{x};
  FailureOr<Picked> picked = pick(evaluation, op, x, op.getIndices(),
                                  op.getDims(), op.getNonNegative());
  if (failed(picked))
    return failure();
  if (values.getSizes() != ArrayRef<int64_t>(picked->sizes))
    return op.emitOpError()
           << "has values of " << values.getElementCount() << " elements for "
           << countElements(picked->sizes) << " picked ones";
  Tensor result = x.clone();
  picked->forEach([&](int64_t to, int64_t from) {
    Word &element = result.words()[to];
    element = combineWords(op.getCombine(), element, values.words()[from],
                           x.getKind());
  });
  return Tensors{evaluation.finish(result)};
}

} // namespace tc::reference
