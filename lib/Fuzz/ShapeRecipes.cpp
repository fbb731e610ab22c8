//===- ShapeRecipes.cpp - Constants, views, casts -------------------------===//

#include "RecipeTable.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// A small number as an attribute of the element type.
static TypedAttr number(Sampler &s, Type element) {
  if (isa<FloatType>(element))
    return s.builder.getFloatAttr(element, s.random.between(-8, 8) / 2.0);
  unsigned bits = element.getIntOrFloatBitWidth();
  int64_t value = bits == 1 ? s.random.below(2) : s.random.between(0, 9);
  return IntegerAttr::get(element, APInt(bits, value));
}

static bool addConstant(Sampler &s) {
  Type element = s.element();
  SmallVector<int64_t> sizes;
  int64_t count = 1;
  for (int64_t rank = s.random.below(3); rank > 0; --rank)
    count *= sizes.emplace_back(s.smallSize(5));
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(number(s, element));
  return s.add<ConstantOp>(cast<ElementsAttr>(
      DenseElementsAttr::get(RankedTensorType::get(sizes, element), values)));
}

static bool addFull(Sampler &s) {
  Type element = s.element();
  return s.add<FullOp>(getTensorType(s.sizes(0, 3), element),
                       number(s, element));
}

static bool addSizeValue(Sampler &s) {
  if (!s.element().isInteger(64))
    return false;
  return s.add<SizeValueOp>(RankedTensorType::get({}, s.i64()),
                            s.size().mul(3).add(1));
}

static bool addIota(Sampler &s) {
  Type element = s.element();
  if (!element.isInteger(64) && !element.isInteger(32))
    return false;
  Sizes sizes = s.sizes(1, 3);
  return s.add<IotaOp>(getTensorType(sizes, element),
                       s.random.below(sizes.size()), s.random.between(0, 5),
                       s.random.between(1, 3));
}

static bool addBroadcast(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 4), before;
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (s.random.chance(65)) {
      dims.push_back(dim);
      before.push_back(s.random.chance(25) ? s.constant(1) : size);
    }
  return s.add<BroadcastOp>(getTensorType(sizes, element),
                            s.operand(element, before), dims);
}

static bool addTranspose(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 4);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  for (unsigned i = sizes.size(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[s.random.below(i)]);
  return s.add<TransposeOp>(s.operand(element, sizes), permutation);
}

/// Merges two neighbours, splits one, or adds a dimension of size 1.
static bool addReshape(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 4), after = sizes;
  size_t at = s.random.below(sizes.size());
  if (s.random.chance(40) && at + 1 < sizes.size()) {
    after[at] = sizes[at].mul(sizes[at + 1]);
    after.erase(after.begin() + at + 1);
  } else if (s.random.chance(50)) {
    int64_t factor = s.smallSize(4);
    if (s.isHazardous())
      after[at] = sizes[at].floorDiv(factor);
    else
      sizes[at] = sizes[at].mul(factor);
    after.insert(after.begin() + at + s.random.below(2), s.constant(factor));
  } else {
    after.insert(after.begin() + at, s.constant(1));
  }
  return s.add<ReshapeOp>(getTensorType(after, element),
                          s.operand(element, sizes));
}

static bool addSlice(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 4), before, offsets;
  SmallVector<int64_t> strides;
  for (SizeExpr size : sizes) {
    int64_t stride = pick<int64_t>(s, {1, 1, 1, 2, 3, -1, -2});
    int64_t offset = s.random.below(4);
    before.push_back(size.mul(std::abs(stride)).add(offset + 2));
    offsets.push_back(stride > 0 ? s.constant(offset)
                                 : size.add(-1).mul(-stride).add(offset));
    strides.push_back(stride);
  }
  if (s.isHazardous())
    before[s.random.below(before.size())] = s.size();
  return s.add<SliceOp>(getTensorType(sizes, element),
                        s.operand(element, before),
                        SizesAttr::get(s.builder.getContext(), offsets),
                        ArrayRef<int64_t>(strides));
}

static bool addPad(Sampler &s) {
  Type element = s.element();
  auto mode = pick(s, {PadMode::Constant, PadMode::Reflect, PadMode::Replicate,
                       PadMode::Circular});
  Sizes sizes = s.sizes(1, 3);
  SmallVector<int64_t> low, high;
  for (SizeExpr &size : sizes) {
    // A mirror takes only what is there; a constant may also cut.
    if (mode != PadMode::Constant)
      size = size.add(3);
    // Of a size that is known, cutting more than is there makes no op.
    bool isHazardous = s.isHazardous() && !size.getConstant();
    int64_t least =
        mode == PadMode::Constant &&
                ((size.getConstant() && *size.getConstant() > 1) || isHazardous)
            ? -1 - 2 * isHazardous
            : 0;
    low.push_back(s.random.between(least, 2));
    high.push_back(s.random.between(low.back() < 0 ? 0 : least, 2));
  }
  TypedAttr value;
  if (mode == PadMode::Constant)
    value = number(s, element);
  return s.add<PadOp>(mode, s.operand(element, sizes), low, high, value);
}

static bool addConcat(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(1, 3);
  int64_t dim = s.random.below(sizes.size());
  SmallVector<Value> inputs;
  for (int64_t count = s.smallSize(4); count > 0; --count) {
    inputs.push_back(s.operand(element, sizes));
    sizes[dim] = s.size();
  }
  return s.add<ConcatOp>(inputs, dim);
}

static bool addSelect(Sampler &s) {
  Type element = s.element();
  Sizes sizes = s.sizes(0, 3);
  Value condition = s.operand(s.builder.getI1Type(), sizes, /*exact=*/true);
  Value x = s.operand(element, sizes), y = s.operand(element, sizes);
  return s.add<SelectOp>(x.getType(), condition, x, y);
}

/// To the element type; from a float to an integer only what it can hold.
/// A part of complex numbers that are made of two tensors and moved in between,
/// so that joining and splitting them do not cancel.
template <typename PartOp> static bool addComplexPart(Sampler &s) {
  Type element = s.element();
  if (!element.isF32() && !element.isF64())
    return false;
  Sizes sizes = s.sizes(0, 3);
  Value numbers =
      ComplexOp::create(s.builder, s.loc, s.operand(element, sizes, true),
                        s.operand(element, sizes, true));
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, sizes.size())));
  return s.add<PartOp>(
      Value(TransposeOp::create(s.builder, s.loc, numbers, order)));
}

static bool addCast(Sampler &s) {
  Type to = s.element();
  auto unsigned8 =
      IntegerType::get(s.builder.getContext(), 8, IntegerType::Unsigned);
  Type from =
      pick<Type>(s, {s.builder.getF32Type(), s.builder.getF64Type(),
                     s.builder.getBF16Type(), s.builder.getF16Type(), s.i64(),
                     s.builder.getI32Type(), s.builder.getI8Type(), unsigned8,
                     s.builder.getI1Type(), s.element(), s.element()});
  Sizes sizes = s.sizes(0, 3);
  bool isDiscrete = isFloat(from) && !isa<FloatType>(to);
  Value x = s.operand(from, sizes, /*exact=*/isDiscrete);
  if (isDiscrete && !to.isInteger(1) && s.random.chance(80)) {
    auto full = [&](double value) -> Value {
      return FullOp::create(s.builder, s.loc, x.getType(),
                            s.builder.getFloatAttr(from, value));
    };
    x = FmaxOp::create(s.builder, s.loc, x,
                       full(to.isUnsignedInteger() ? 0 : -100));
    x = FminOp::create(s.builder, s.loc, x, full(100));
  }
  return s.add<CastOp>(getTensorType(sizes, to), x);
}

void tc::fuzz::addShapeRecipes(RecipeTable &table) {
  addRecipe<ConstantOp>(table, addConstant);
  addRecipe<FullOp>(table, addFull);
  addRecipe<SizeValueOp>(table, addSizeValue);
  addRecipe<IotaOp>(table, addIota);
  addRecipe<BroadcastOp>(table, addBroadcast);
  addRecipe<TransposeOp>(table, addTranspose);
  addRecipe<ReshapeOp>(table, addReshape);
  addRecipe<SliceOp>(table, addSlice);
  addRecipe<PadOp>(table, addPad);
  addRecipe<ConcatOp>(table, addConcat);
  addRecipe<SelectOp>(table, addSelect);
  addRecipe<CastOp>(table, addCast);
  addRecipe<ComplexOp>(table, addComplexPart<RealOp>);
  addRecipe<RealOp>(table, addComplexPart<RealOp>);
  addRecipe<ImagOp>(table, addComplexPart<ImagOp>);
}
