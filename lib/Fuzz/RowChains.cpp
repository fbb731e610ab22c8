//===- RowChains.cpp - Chains of row operations ---------------------------===//
//
// Norms, softmax and statistics one after the other, each over some of the same
// dimensions, with elementwise ops between them: what fuses into one kernel
// whose stages fold different dimensions of one domain.
//
//===----------------------------------------------------------------------===//

#include "TC/Fuzz/RowChains.h"
#include "RecipeTable.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {
/// Builds one chain; every step takes and gives a tensor of the same sizes.
class ChainBuilder {
public:
  ChainBuilder(Sampler &s, Value start)
      : s(s), build(s.builder, s.loc), start(start),
        sizes(TensorBuilder::sizesOf(start)) {}

  Value addStep(Value x);
  /// Dimensions to fold: one of them, or any others, or all.
  SmallVector<int64_t> pickDims();
  Value addStatistic(Value x);
  Value foldRepeated(Value x, ArrayRef<int64_t> dims);

private:
  Value addNorm(Value x);
  Value addElementwise(Value x);
  Attribute eps() { return s.builder.getF64FloatAttr(0.25); }
  Value perElement(ArrayRef<SizeExpr> sizes) {
    return s.random.chance(30) ? s.operand(typeOf(start), sizes) : Value();
  }
  static Type typeOf(Value x) {
    return cast<RankedTensorType>(x.getType()).getElementType();
  }

  Sampler &s;
  TensorBuilder build;
  Value start;
  Sizes sizes;
};
} // namespace

SmallVector<int64_t> ChainBuilder::pickDims() {
  int64_t rank = sizes.size();
  SmallVector<int64_t> dims;
  if (s.random.chance(40))
    return {s.random.below(rank)};
  bool all = s.random.chance(40);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (all || s.random.chance(60))
      dims.push_back(dim);
  return dims.empty() ? SmallVector<int64_t>{rank - 1} : dims;
}

/// The sum of x, repeated along another dimension, which may be empty, over
/// that dimension and some of its own.
Value ChainBuilder::foldRepeated(Value x, ArrayRef<int64_t> dims) {
  SizeExpr times = s.size(12);
  // Of most values that symbols have, a fortieth is 0.
  if (!times.isConstant() && s.random.chance(50))
    times = times.floorDiv(40);
  int64_t place = s.random.below(sizes.size() + 1);
  Sizes repeated = sizes;
  repeated.insert(repeated.begin() + place, times);
  auto moved = [&](int64_t dim) { return dim + (dim >= place); };
  SmallVector<int64_t> own, folded{place};
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim)
    own.push_back(moved(dim));
  for (int64_t dim : dims)
    folded.push_back(moved(dim));
  llvm::sort(folded);
  Value sum = build.reduce(ReductionKind::Sum,
                           build.broadcast(x, repeated, own), folded);
  return build.create<TanhOp>(sum);
}

/// A statistic of x over some dimensions, of the sizes of x again.
Value ChainBuilder::addStatistic(Value x) {
  SmallVector<int64_t> dims = pickDims();
  Value result;
  switch (s.random.below(8)) {
  case 0:
    result = build.reduce(ReductionKind::Max, x, dims);
    break;
  case 1:
    result = build.reduce(ReductionKind::Min, x, dims);
    break;
  case 2: {
    Value squares = build.mean(build.mul(x, x), dims);
    result = build.create<SqrtOp>(squares);
    break;
  }
  case 3:
    result = VarianceOp::create(s.builder, s.loc, x, dims, APFloat(0.0));
    break;
  case 4:
  case 5:
    result = foldRepeated(x, dims);
    break;
  default:
    result = build.mean(x, dims);
  }
  return build.restoreDims(result, sizes, dims);
}

/// x with a softmax or a norm over some dimensions.
Value ChainBuilder::addNorm(Value x) {
  int64_t rank = sizes.size();
  int64_t inner = s.smallSize(rank);
  auto folded = ArrayRef(sizes).take_back(inner);
  auto innerRank = s.builder.getI64IntegerAttr(inner);
  switch (s.random.below(5)) {
  case 0:
    return SoftmaxOp::create(s.builder, s.loc, x,
                             uint64_t(s.random.below(rank)));
  case 1:
    return LogSoftmaxOp::create(s.builder, s.loc, x,
                                uint64_t(s.random.below(rank)));
  case 2:
    return RmsNormOp::create(s.builder, s.loc, x.getType(), x,
                             perElement(folded), innerRank,
                             cast<FloatAttr>(eps()));
  case 3:
    if (rank > 1)
      return GroupNormOp::create(s.builder, s.loc, x.getType(), x,
                                 perElement(sizes[1]), perElement(sizes[1]),
                                 s.builder.getI64IntegerAttr(1),
                                 cast<FloatAttr>(eps()));
    [[fallthrough]];
  default:
    return LayerNormOp::create(s.builder, s.loc, x.getType(), x,
                               perElement(folded), perElement(folded),
                               innerRank, cast<FloatAttr>(eps()));
  }
}

/// A function of x that grows no faster than x.
Value ChainBuilder::addElementwise(Value x) {
  switch (s.random.below(6)) {
  case 0:
    return build.create<TanhOp>(x);
  case 1:
    return build.create<GeluOp>(x);
  case 2:
    return build.create<SigmoidOp>(x);
  case 3:
    return build.add(x, start);
  case 4:
    return build.sub(x, build.fullLike(0.5, x));
  default:
    return build.create<AbsOp>(x);
  }
}

Value ChainBuilder::addStep(Value x) {
  int64_t kind = s.random.below(10);
  if (kind < 4)
    return addNorm(x);
  if (kind < 6)
    return addElementwise(x);
  // Values computed for a fold are kept for later steps.
  if (s.random.chance(30))
    x = addElementwise(x);
  Value statistic = addStatistic(x);
  switch (s.random.below(4)) {
  case 0:
    return build.add(x, statistic);
  case 1: {
    // The root of the squares is no less than its dividend.
    Value one = build.fullLike(1, x);
    return build.div(x, build.add(build.create<AbsOp>(statistic), one));
  }
  case 2:
    return build.create<TanhOp>(build.mul(x, statistic));
  default:
    return build.sub(x, statistic);
  }
}

bool tc::fuzz::addRowChain(Sampler &s, int64_t steps) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  unsigned rank = s.random.between(1, 3);
  Sizes sizes;
  // Rows of some vectors and a rest, and more rows than a task has.
  int64_t largest[] = {300, 70, 12};
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(s.size(largest[rank - 1]));
  Value x = s.operand(element, sizes, /*exact=*/true);
  ChainBuilder chain(s, x);
  for (int64_t step = 0; step < steps; ++step) {
    x = chain.addStep(x);
    if (s.random.chance(15) && !s.keep(x.getDefiningOp()))
      return false;
  }
  if (s.random.chance(25))
    x = chain.addStatistic(x);
  return s.keep(x.getDefiningOp());
}
