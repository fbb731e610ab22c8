//===- GraphRecipes.cpp - Products, random numbers, control flow ----------===//

#include "RecipeTable.h"

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

namespace {
/// Writes a loop that a counter ends after a few iterations.
class LoopWriter {
public:
  LoopWriter(Sampler &s, Value x, Value y)
      : s(s), x(x), y(y), one(makeNumber(1)), zero(makeNumber(0)) {}

  /// Carries a counter, that stops at `limit`, and two values of the type of
  /// `x`. In the body of a loop there may be a branch by `flag`, or a loop.
  WhileOp make(Value limit, Value flag, Value a, Value b, bool mayNest);
  Value makeNumber(int64_t value) {
    auto type = RankedTensorType::get({}, s.i64());
    return ConstantOp::create(s.builder, s.loc,
                              DenseElementsAttr::get(type, ArrayRef(value)));
  }

private:
  template <typename OpTy> Value create(Value lhs, Value rhs) {
    return OpTy::create(s.builder, s.loc, lhs, rhs).getResult();
  }
  Value makeNext(Value own, Value other);
  Value choose(Value flag, Value a, Value b);

  Sampler &s;
  Value x, y, one, zero;
};
} // namespace

/// The value of the next iteration: one that is carried, one from outside, or
/// what is computed from them.
Value LoopWriter::makeNext(Value own, Value other) {
  int64_t rank = cast<ShapedType>(own.getType()).getRank();
  switch (s.random.below(rank > 0 ? 8 : 6)) {
  case 0:
    return other;
  case 1:
    return s.random.chance(50) ? own : x;
  case 2:
    return create<AddOp>(own, y);
  case 3:
    return create<SubOp>(other, own);
  case 4:
    return create<MulOp>(create<AddOp>(own, other), y);
  case 6:
    return SoftmaxOp::create(s.builder, s.loc, own,
                             uint64_t(s.random.below(rank)));
  case 7:
    return ScanOp::create(s.builder, s.loc, ReductionKind::Sum, own,
                          uint64_t(s.random.below(rank)));
  default:
    return NegOp::create(s.builder, s.loc, own);
  }
}

Value LoopWriter::choose(Value flag, Value a, Value b) {
  auto op = IfOp::create(s.builder, s.loc, TypeRange(a.getType()), flag);
  OpBuilder::InsertionGuard guard(s.builder);
  for (auto [region, value] :
       {std::pair(&op.getThenRegion(), a), std::pair(&op.getElseRegion(), b)}) {
    s.builder.setInsertionPointToEnd(&region->emplaceBlock());
    Value made = s.random.chance(50)
                     ? value
                     : NegOp::create(s.builder, s.loc, value).getResult();
    YieldOp::create(s.builder, s.loc, made);
  }
  return op.getResult(0);
}

WhileOp LoopWriter::make(Value limit, Value flag, Value a, Value b,
                         bool mayNest) {
  auto loop = WhileOp::create(s.builder, s.loc, ArrayRef<Value>{zero, a, b});
  OpBuilder::InsertionGuard guard(s.builder);
  s.builder.setInsertionPointToEnd(&loop.getConditionBlock());
  YieldOp::create(s.builder, s.loc,
                  create<LtOp>(loop.getConditionBlock().getArgument(0), limit));
  Block &body = loop.getBodyBlock();
  s.builder.setInsertionPointToEnd(&body);
  Value counter = body.getArgument(0), first = body.getArgument(1),
        second = body.getArgument(2);
  if (mayNest && s.random.chance(30))
    first = make(counter, flag, first, second, /*mayNest=*/false).getResult(1);
  else if (s.random.chance(30))
    first = choose(flag, first, second);
  Value next[] = {create<AddOp>(counter, one), makeNext(first, second),
                  makeNext(second, first)};
  YieldOp::create(s.builder, s.loc, next);
  return loop;
}

static bool addWhile(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(0, 3);
  Value flag = s.operand(s.builder.getI1Type(), {}, /*exact=*/true);
  Value limit = s.operand(s.i64(), {}, /*exact=*/true);
  Value x = s.operand(element, sizes), y = s.operand(element, sizes);
  LoopWriter writer(s, x, y);
  limit = MinimumOp::create(s.builder, s.loc, limit,
                            writer.makeNumber(s.random.between(0, 4)));
  return s.keep(writer.make(limit, flag, x, y, /*mayNest=*/true));
}

void tc::fuzz::addGraphRecipes(RecipeTable &table) {
  addRecipe<ContractOp>(table, addContract);
  addRecipe<ConvolutionOp>(table, addConvolution);
  addRecipe<RandomOp>(table, addRandom);
  addRecipe<IfOp>(table, addIf);
  addRecipe<WhileOp>(table, addWhile);
}
