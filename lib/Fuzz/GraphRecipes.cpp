//===- GraphRecipes.cpp - Products, random numbers, branches --------------===//

#include "Recipes.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

static bool addContract(Sampler &s) {
  Type element = s.element();
  if (element.isInteger(1))
    return false;
  // Each label is a batch, summed over, or free in one operand.
  std::string lhs, rhs, out;
  Sizes lhsSizes, rhsSizes;
  for (char label : StringRef("abcde").take_front(s.random.between(1, 5))) {
    SizeExpr size = s.size();
    int64_t role = s.random.below(4);
    if (role != 2) {
      lhs += label;
      lhsSizes.push_back(size);
    }
    if (role != 1) {
      rhs += label;
      rhsSizes.push_back(size);
    }
    if (role != 3)
      out += label;
  }
  if (out.size() > 1 && s.random.chance(40))
    std::reverse(out.begin(), out.end());
  if (rhsSizes.size() > 1 && s.random.chance(40)) {
    std::reverse(rhs.begin(), rhs.end());
    std::reverse(rhsSizes.begin(), rhsSizes.end());
  }
  return s.add<ContractOp>(lhs + "," + rhs + "->" + out,
                           s.operand(element, lhsSizes),
                           s.operand(element, rhsSizes));
}

static bool addConvolution(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  bool transposed = s.random.chance(30);
  int64_t groups = s.smallSize(2);
  // Groups are of constant numbers of channels.
  bool isAnySize = groups == 1 && s.random.chance(30);
  SizeExpr in = isAnySize ? s.size(6) : s.constant(s.smallSize(4)),
           out = isAnySize ? s.size(6) : s.constant(s.smallSize(5));
  Sizes x{s.size(), in.mul(groups)};
  Sizes weight{transposed ? in.mul(groups) : out.mul(groups),
               transposed ? out : in};
  SmallVector<int64_t> stride, padding, dilation;
  for (int64_t rank = s.smallSize(3); rank > 0; --rank) {
    int64_t kernel = s.smallSize(3);
    stride.push_back(s.smallSize(2));
    dilation.push_back(s.smallSize(2));
    padding.push_back(s.random.below(kernel));
    x.push_back(s.size().add((kernel - 1) * dilation.back() + 1 +
                             (transposed ? padding.back() : 0)));
    weight.push_back(s.constant(kernel));
  }
  Value input = s.operand(element, x);
  return s.add<ConvolutionOp>(input, s.operand(element, weight),
                              ArrayRef<int64_t>(stride), padding, dilation,
                              uint64_t(groups), transposed);
}

static bool addRandom(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  auto kind = pick(s, {DistributionKind::Uniform, DistributionKind::Normal});
  Value seed = s.operand(s.i64(), {}), offset = s.operand(s.i64(), {});
  return s.add<RandomOp>(getTensorType(s.sizes(0, 3), element), kind, seed,
                         offset);
}

/// Both branches compute with values from outside; they may nest.
static bool addIf(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(0, 3);
  Value condition = s.operand(s.builder.getI1Type(), {}, /*exact=*/true);
  Value inner = s.operand(s.builder.getI1Type(), {}, /*exact=*/true);
  Value x = s.operand(element, sizes), y = s.operand(element, sizes);
  auto makeIf = [&](Value when) {
    auto op = IfOp::create(s.builder, s.loc, TypeRange(x.getType()), when);
    for (Region &region : op->getRegions())
      if (region.empty())
        region.emplaceBlock();
    return op;
  };
  auto yield = [&](Region &region, function_ref<Value()> make) {
    OpBuilder::InsertionGuard guard(s.builder);
    if (!region.front().empty())
      region.front().back().erase();
    s.builder.setInsertionPointToEnd(&region.front());
    YieldOp::create(s.builder, s.loc, make());
  };
  IfOp op = makeIf(condition);
  yield(op.getThenRegion(), [&]() -> Value {
    return MulOp::create(s.builder, s.loc,
                         AddOp::create(s.builder, s.loc, x, y), y);
  });
  bool nests = s.random.chance(40), passes = s.random.chance(30);
  yield(op.getElseRegion(), [&]() -> Value {
    if (passes)
      return x;
    if (!nests)
      return NegOp::create(s.builder, s.loc, y);
    IfOp nested = makeIf(inner);
    yield(nested.getThenRegion(), [&] { return y; });
    yield(nested.getElseRegion(),
          [&]() -> Value { return SubOp::create(s.builder, s.loc, x, y); });
    return nested.getResult(0);
  });
  return s.keep(op);
}

void tc::fuzz::addGraphRecipes(RecipeTable &table) {
  addRecipe<ContractOp>(table, addContract);
  addRecipe<ConvolutionOp>(table, addConvolution);
  addRecipe<RandomOp>(table, addRandom);
  addRecipe<IfOp>(table, addIf);
}
