//===- IndexRecipes.cpp - Gathers, scatters, sorts, scans, reductions -----===//

#include "RecipeTable.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

static CombineKind pickCombine(Sampler &s, Type element) {
  if (element.isInteger(1))
    return CombineKind::Replace;
  return pick(s, {CombineKind::Replace, CombineKind::Sum, CombineKind::Prod,
                  CombineKind::Max, CombineKind::Min});
}

static bool addGather(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 3), index = sizes;
  int64_t dim = s.random.below(sizes.size());
  sizes[dim] = s.nonEmpty({s.size()}).front();
  if (s.isHazardous())
    index = s.sizes(sizes.size());
  return s.add<GatherOp>(s.operand(element, sizes),
                         s.indices(index, sizes[dim], false), dim);
}

static bool addScatter(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 3), index = sizes;
  int64_t dim = s.random.below(sizes.size());
  sizes[dim] = s.nonEmpty({s.size()}).front();
  if (s.isHazardous())
    index = s.sizes(sizes.size());
  return s.add<ScatterOp>(pickCombine(s, element), s.operand(element, sizes),
                          s.indices(index, sizes[dim], false),
                          s.operand(element, index), dim);
}

namespace {
/// Operands of advanced indexing: x, the dimensions of it that are indexed.
struct Advanced {
  bool nonNegative;
  Value x;
  SmallVector<Value> indices;
  SmallVector<int64_t> dims;
  Sizes result;

  explicit Advanced(Sampler &s, Type element)
      : nonNegative(s.random.chance(30)) {
    Sizes sizes = s.nonEmpty(s.sizes(1, 3)), index = s.sizes(0, 2);
    x = s.operand(element, sizes);
    for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
      bool isLast = dim + 1 == int64_t(sizes.size());
      if (!s.random.chance(50) && !(isLast && dims.empty())) {
        result.push_back(sizes[dim]);
        continue;
      }
      if (dims.empty())
        llvm::append_range(result, index);
      dims.push_back(dim);
      indices.push_back(s.indices(index, sizes[dim], !nonNegative));
    }
  }
};
} // namespace

static bool addIndex(Sampler &s) {
  Advanced index(s, s.element());
  return s.add<IndexOp>(index.x, index.indices, index.dims, index.nonNegative);
}

static bool addIndexPut(Sampler &s) {
  Type element = s.element();
  Advanced index(s, element);
  return s.add<IndexPutOp>(pickCombine(s, element), index.x, index.indices,
                           s.operand(element, index.result), index.dims,
                           index.nonNegative);
}

static bool addReduce(Sampler &s) {
  Type element = s.element();
  auto kind = element.isInteger(1)
                  ? pick(s, {ReductionKind::All, ReductionKind::Any,
                             ReductionKind::Max, ReductionKind::Min})
                  : pick(s, {ReductionKind::Sum, ReductionKind::Prod,
                             ReductionKind::Max, ReductionKind::Min});
  Sizes sizes = s.sizes(0, 4);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim)
    if (s.random.chance(50))
      dims.push_back(dim);
  if (kind == ReductionKind::Max || kind == ReductionKind::Min)
    sizes = s.nonEmpty(sizes);
  return s.add<ReduceOp>(kind, s.operand(element, sizes), dims);
}

static bool addArgReduce(Sampler &s) {
  Type element = s.element();
  auto kind = pick(s, {ReductionKind::ArgMax, ReductionKind::ArgMin});
  Sizes sizes = s.sizes(1, 3);
  int64_t dim = s.random.below(sizes.size());
  sizes[dim] = s.nonEmpty({sizes[dim]}).front();
  return s.add<ArgReduceOp>(kind, s.operand(element, sizes, /*exact=*/true),
                            dim);
}

static bool addVariance(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(1, 3);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim)
    if (s.random.chance(50))
      dims.push_back(dim);
  return s.add<VarianceOp>(s.operand(element, sizes, /*exact=*/true),
                           s.builder.getDenseI64ArrayAttr(dims),
                           s.builder.getF64FloatAttr(s.random.below(2)));
}

static bool addSort(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 3);
  return s.add<SortOp>(s.operand(element, sizes, /*exact=*/true),
                       uint64_t(s.random.below(sizes.size())),
                       s.random.chance(50));
}

static bool addTopK(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 3);
  int64_t dim = s.random.below(sizes.size()), k = s.random.below(4);
  if (!s.isHazardous())
    sizes[dim] = sizes[dim].add(k);
  return s.add<TopKOp>(s.operand(element, sizes, /*exact=*/true), uint64_t(dim),
                       uint64_t(k), s.random.chance(50));
}

static bool addScan(Sampler &s) {
  Type element = s.element();
  if (element.isInteger(1))
    return false;
  auto kind = pick(s, {ReductionKind::Sum, ReductionKind::Prod,
                       ReductionKind::Max, ReductionKind::Min});
  Sizes sizes = s.sizes(1, 3);
  return s.add<ScanOp>(kind, s.operand(element, sizes),
                       s.random.below(sizes.size()));
}

static bool addRoutine(Sampler &s) {
  Type element = s.element();
  if (!element.isF32() && !element.isF64())
    return false;
  auto kind = RoutineKind(s.random.below(getMaxEnumValForRoutineKind() + 1));
  RoutineSizes sizes{s.size(), s.size(), s.size()};
  Sizes batch = s.sizes(0, 2);
  if (!s.isHazardous())
    sizes.n = sizes.n.add(sizes.k); // no more are selected than there are
  SmallVector<Value> operands;
  for (StringRef letters : getRoutineSignature(kind).operands) {
    Sizes operand = batch;
    for (char letter : letters)
      operand.push_back(sizes.of(letter));
    operands.push_back(s.operand(element, operand, /*exact=*/true));
  }
  return s.add<RoutineOp>(kind, operands, /*checked=*/false);
}

void tc::fuzz::addIndexRecipes(RecipeTable &table) {
  addRecipe<GatherOp>(table, addGather);
  addRecipe<ScatterOp>(table, addScatter);
  addRecipe<IndexOp>(table, addIndex);
  addRecipe<IndexPutOp>(table, addIndexPut);
  addRecipe<ReduceOp>(table, addReduce);
  addRecipe<ArgReduceOp>(table, addArgReduce);
  addRecipe<VarianceOp>(table, addVariance);
  addRecipe<RoutineOp>(table, addRoutine);
  addRecipe<SortOp>(table, addSort);
  addRecipe<TopKOp>(table, addTopK);
  addRecipe<ScanOp>(table, addScan);
}
