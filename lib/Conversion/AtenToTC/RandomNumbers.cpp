//===- RandomNumbers.cpp - random elements --------------------------------===//
//
// PyTorch's generator is outside of the graph, and its stream of bits is not
// TC's: results have the distribution that is asked for, not PyTorch's
// elements. Each call has the stream of its place in the function, of the seed
// that the function's caller gives (`tc.random_seed`). Where it gives none, the
// seed is 0 and every run of a compiled program draws the same. In a loop each
// iteration has a seed of its own (RandomIterations.cpp).
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Random elements of the result's sizes and type.
static Value draw(AtenCall &call, DistributionKind distribution) {
  RankedTensorType type = call.getResultType();
  Type element = type.getElementType();
  if (!isa<FloatType>(element))
    element = call.builder.getF32Type();
  return call.random(distribution, getSizes(type), element);
}

// Pattern: aten.rand(sizes) -> tc.random uniform
template <DistributionKind distribution>
static LogicalResult convertDraw(AtenCall &call) {
  return call.replace(draw(call, distribution));
}

/// The whole numbers from `low` to before `high`, equally likely.
static Value drawIntegers(AtenCall &call, Value low, Value high) {
  Sizes sizes = getSizes(call.getResultType());
  Value uniform = call.cast(
      call.random(DistributionKind::Uniform, sizes, call.builder.getF32Type()),
      call.builder.getF64Type());
  Value range = call.cast(call.binary<SubOp>(high, low), elementOf(uniform));
  Value scaled = call.unary<FloorOp>(call.binary<MulOp>(uniform, range));
  return call.binary<AddOp>(call.cast(scaled, elementOf(low)), low);
}

// Pattern: aten.randint(low, high, sizes) -> floor(tc.random uniform * (high -
// low)) + low
static LogicalResult convertRandomIntegers(AtenCall &call) {
  RankedTensorType type = call.getResultType();
  Value like =
      call.fill(call.builder.getI64IntegerAttr(0),
                getTensorType(getSizes(type), call.builder.getI64Type()));
  Value low =
      call.getArgument("low") ? call.fillSize(call.getSize("low"), like) : like;
  return call.replace(
      drawIntegers(call, low, call.fillSize(call.getSize("high"), like)));
}

// Pattern: aten.randperm(n) -> the indices of tc.sort of tc.random uniform
static LogicalResult convertPermutation(AtenCall &call) {
  Sizes sizes = getSizes(call.getResultType());
  Value keys =
      call.random(DistributionKind::Uniform, sizes, call.builder.getF32Type());
  auto sort =
      SortOp::create(call.builder, call.location, keys.getType(),
                     getTensorType(sizes, call.builder.getI64Type()), keys, 0,
                     /*descending=*/false);
  return call.replace(sort.getIndices());
}

// Pattern: aten.bernoulli(p) -> tc.random uniform < p
static LogicalResult convertBernoulli(AtenCall &call) {
  Sizes sizes = getSizes(call.getResultType());
  Operand p = call.getOperand(call.getArgument("p") ? "p" : "self");
  Value uniform =
      call.random(DistributionKind::Uniform, sizes, call.builder.getF32Type());
  Value likely = call.materialize(p, elementOf(uniform), sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(call.cast(call.binary<LtOp>(uniform, likely),
                                call.getResultType().getElementType()));
}

// Pattern: aten.uniform(x, from, to) -> from + (to - from) * tc.random uniform
static LogicalResult convertUniform(AtenCall &call) {
  double from = call.getReal("from"), to = call.getReal("to");
  if (call.hasFailed())
    return failure();
  Value scaled =
      call.binary<MulOp>(draw(call, DistributionKind::Uniform), to - from);
  return call.replace(call.binary<AddOp>(scaled, from));
}

// Pattern: aten.normal(mean, std) -> mean + std * tc.random normal
static LogicalResult convertNormal(AtenCall &call) {
  Value normal = draw(call, DistributionKind::Normal);
  Sizes sizes = sizesOf(normal);
  Value deviation =
      call.materialize(call.getOperand("std"), elementOf(normal), sizes);
  Value mean =
      call.materialize(call.getOperand("mean"), elementOf(normal), sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(
      call.binary<AddOp>(call.binary<MulOp>(normal, deviation), mean));
}

void addRandomNumbers(AtenTable &table) {
  table.add({"rand.default", "rand.generator", "rand_like.default",
             "rand_like.generator"},
            convertDraw<DistributionKind::Uniform>);
  table.add({"randn.default", "randn.generator", "randn_like.default",
             "randn_like.generator"},
            convertDraw<DistributionKind::Normal>);
  table.add({"randint.default", "randint.generator", "randint.low",
             "randint.low_generator", "randint_like.default",
             "randint_like.generator", "randint_like.low_dtype",
             "randint_like.low_generator_dtype"},
            convertRandomIntegers);
  table.add({"randperm.default", "randperm.generator"}, convertPermutation);
  table.add({"bernoulli.default", "bernoulli.p", "bernoulli.Tensor"},
            convertBernoulli);
  table.add({"uniform.default"}, convertUniform);
  table.add({"normal_functional.default", "normal.Tensor_Tensor",
             "normal.Tensor_float", "normal.float_Tensor",
             "normal.float_float"},
            convertNormal);
}

} // namespace tc::aten
