//===- Index.cpp - Gather and scatter to kernels --------------------------===//

#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

/// Counts a negative index from the end.
static Value wrapNegative(KernelBuilder &kernel, Value index,
                          SizeExprAttr size) {
  Value zero = kernel.scalar(0.0, index.getType());
  Value length = kernel.cast(kernel.size(size), index.getType());
  Value isNegative = kernel.create<LtOp>(index, zero);
  return kernel.create<SelectOp>(index.getType(), isNegative,
                                 kernel.create<AddOp>(index, length), index);
}

/// Whether `indices` is a constant that counts nothing from the end.
static bool isNonNegative(Value indices) {
  auto constant = indices.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  return elements &&
         llvm::none_of(elements.getValues<APInt>(),
                       [](const APInt &i) { return i.isNegative(); });
}

namespace {
/// Where advanced indexing reads or writes x: an index expression for each
/// dimension of x, some of them values of the body.
struct AdvancedIndex {
  SmallVector<AffineExpr> at;
  SmallVector<Value> indices;

  /// `dims` of x are indexed by `tensors`, whose shape begins at `dims[0]` of
  /// the kernel's domain in place of the indexed dimensions. Negative indices
  /// count from the end, or are out of range where all are `nonNegative`.
  AdvancedIndex(KernelBuilder &kernel, RankedTensorType x, ValueRange tensors,
                ArrayRef<int64_t> dims, bool nonNegative) {
    unsigned first = dims.empty() ? 0 : dims.front();
    unsigned indexRank =
        tensors.empty()
            ? 0
            : cast<RankedTensorType>(tensors.front().getType()).getRank();
    SmallVector<AffineExpr> indexPoint;
    for (unsigned dim = 0; dim < indexRank; ++dim)
      indexPoint.push_back(kernel.dim(first + dim));
    unsigned next = 0;
    for (int64_t dim = 0; dim < x.getRank(); ++dim) {
      if (next == first)
        next += indexRank;
      const int64_t *found = llvm::find(dims, dim);
      if (found == dims.end()) {
        at.push_back(kernel.dim(next++));
        continue;
      }
      Value index =
          readElement(kernel, tensors[found - dims.begin()], indexPoint);
      at.push_back(kernel.dim(kernel.getRank() + indices.size()));
      indices.push_back(nonNegative ||
                                isNonNegative(tensors[found - dims.begin()])
                            ? index
                            : wrapNegative(kernel, index, getSizes(x)[dim]));
    }
  }
};

/// Pattern: tc.index_tensors %x[%i] -> kernel { read %i; wrap; read x at; write
/// }
struct IndexTensorsToKernel : public KernelPattern<IndexOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(IndexOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "index");
    AdvancedIndex index(kernel, op.getX().getType(), op.getIndices(),
                        op.getDims(), op.getNonNegative());
    kernel.write(kernel.read(op.getX(), index.at, index.indices), 0,
                 kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.gather %x[%i] -> kernel { read %i; read x at it; write }
struct GatherToKernel : public KernelPattern<GatherOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(GatherOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "gather");
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank()), at = point;
    Value index = readElement(kernel, op.getIndex(), point);
    at[op.getDim()] = kernel.dim(kernel.getRank());
    kernel.write(kernel.read(op.getX(), at, index), 0, point);
    return kernel.finish();
  }
};

/// Pattern: tc.scatter %x[%i] = %u -> kernel onto x { read %i; read %u; write
/// at %i, combining }
struct ScatterToKernel : public KernelPattern<ScatterOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ScatterOp op,
                            PatternRewriter &rewriter) const override {
    SmallVector<DimAttr> dims =
        getNamedDims(op.getContext(), getSizes(op.getIndex().getType()));
    KernelBuilder kernel(rewriter, op.getLoc(), "scatter", dims, op.getX());
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank()), at = point;
    Value index = readElement(kernel, op.getIndex(), point);
    Value update = readElement(kernel, op.getUpdates(), point);
    at[op.getDim()] = kernel.dim(kernel.getRank());
    kernel.write(update, 0, at, index, std::nullopt, op.getCombine());
    return kernel.finish();
  }
};

/// Pattern: tc.index_put %x[%i] = %v -> kernel onto x { read %i; wrap; read %v;
/// write at %i, combining }
struct IndexPutToKernel : public KernelPattern<IndexPutOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(IndexPutOp op,
                            PatternRewriter &rewriter) const override {
    SmallVector<DimAttr> dims =
        getNamedDims(op.getContext(), getSizes(op.getValues().getType()));
    KernelBuilder kernel(rewriter, op.getLoc(), "index_put", dims, op.getX());
    AdvancedIndex index(kernel, op.getX().getType(), op.getIndices(),
                        op.getDims(), op.getNonNegative());
    Value value =
        readElement(kernel, op.getValues(), kernel.dims(kernel.getRank()));
    kernel.write(value, 0, index.at, index.indices, std::nullopt,
                 op.getCombine());
    return kernel.finish();
  }
};
} // namespace

void tc::populateIndexToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<IndexTensorsToKernel, GatherToKernel, ScatterToKernel,
               IndexPutToKernel>(patterns.getContext());
}
