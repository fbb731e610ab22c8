//===- AtenCall.cpp - values and builders of a call under conversion ------===//

#include "AtenCall.h"

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/RandomSeed.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::aten {

Value AtenCall::getInput(OperandAttr operand) {
  Value value = op.getInputs()[operand.getIndex()];
  Sizes sizes = sizesOf(value);
  for (SizeExpr &size : sizes)
    if (!size.isConstant())
      if (SizeRange range = ranges.of(size); range.min == range.max)
        size = constant(range.min);
  return reshape(value, sizes);
}

Value AtenCall::getTensor(StringRef name) {
  Attribute argument = arguments.get(name);
  if (auto operand = dyn_cast<OperandAttr>(argument))
    return getInput(operand);
  if (isa<UnitAttr>(argument))
    return Value();
  Type element = promoteOperands(Operand{Value(), argument});
  return fill(argument, RankedTensorType::get({}, element));
}

SmallVector<Value> AtenCall::getTensors(StringRef name) {
  SmallVector<Value> values;
  if (auto list = dyn_cast<ArrayAttr>(arguments.get(name)))
    for (Attribute element : list) {
      auto operand = dyn_cast<OperandAttr>(element);
      values.push_back(operand ? getInput(operand) : Value());
    }
  return values;
}

bool AtenCall::isNumber(Attribute argument) {
  auto operand = dyn_cast<OperandAttr>(argument);
  std::optional<ArrayRef<int64_t>> numbers = op.getNumbers();
  return operand && numbers && llvm::is_contained(*numbers, operand.getIndex());
}

Operand AtenCall::getOperand(StringRef name) {
  Attribute number = arguments.get(name);
  if (isa<OperandAttr>(number))
    return {getTensor(name), Attribute(), isNumber(number)};
  return {Value(), isa<UnitAttr>(number) ? Attribute() : number};
}

RankedTensorType AtenCall::getResultType(unsigned index) {
  return cast<RankedTensorType>(op->getResult(index).getType());
}

LogicalResult AtenCall::replace(ArrayRef<Value> values) {
  if (failed)
    return failure();
  if (values.size() != op->getNumResults())
    return refuse("its " + Twine(op->getNumResults()) +
                  " captured results; expected " + Twine(values.size()));
  for (auto [index, value] : llvm::enumerate(values)) {
    OpResult result = op->getResult(index);
    if (!value) {
      if (!result.use_empty())
        return refuse("a use of result " + Twine(index));
      continue;
    }
    RankedTensorType type = getResultType(index);
    Value converted = cast(value, type.getElementType());
    if (rankOf(converted) != type.getRank() ||
        sizesOf(converted) != getSizes(type)) {
      SizeExpr difference =
          getElementCount(sizesOf(converted), getContext())
              .sub(getElementCount(getSizes(type), getContext()));
      if (difference.isConstant() && !difference.isConstant(0)) {
        failed = true;
        return emitError(location)
               << "'" << getTarget() << "' gives " << converted.getType()
               << " by its arguments, but the capture says " << type;
      }
      bool isView = difference.isConstant(0); // one by one, sizes may differ
      converted = isView || rankOf(converted) != type.getRank()
                      ? reshape(converted, getSizes(type))
                      : withSizes(converted, getSizes(type));
    }
    result.replaceAllUsesWith(converted);
  }
  op.erase();
  return success();
}

Value AtenCall::cast(Value x, Type element) {
  if (elementOf(x) == element)
    return x;
  return CastOp::create(builder, location, withElementType(typeOf(x), element),
                        x);
}

Value AtenCall::widen(Value x) {
  Type element = elementOf(x);
  return element.isF16() || element.isBF16() ? cast(x, builder.getF32Type())
                                             : x;
}

Value AtenCall::reshape(Value x, ArrayRef<SizeExpr> sizes) {
  RankedTensorType type = getTensorType(sizes, elementOf(x));
  if (type == x.getType())
    return x;
  equalities.require(getElementCount(sizesOf(x), getContext()),
                     getElementCount(sizes, getContext()), location,
                     getTarget());
  return ReshapeOp::create(builder, location, type, x);
}

Value AtenCall::withSizes(Value x, ArrayRef<SizeExpr> sizes) {
  for (auto [own, size] : llvm::zip_equal(sizesOf(x), sizes))
    equalities.require(own, size, location, getTarget());
  return reshape(x, sizes);
}

Value AtenCall::flatten(Value x) {
  return reshape(x, getElementCount(sizesOf(x), getContext()));
}

Value AtenCall::broadcast(Value x, ArrayRef<SizeExpr> sizes) {
  Sizes from = sizesOf(x);
  if (from.size() > sizes.size()) {
    (void)refuse("a tensor of rank " + Twine(from.size()) +
                 " where one of rank " + Twine(sizes.size()) + " is expected");
    return x;
  }
  size_t shift = sizes.size() - from.size();
  SmallVector<int64_t> dims;
  // Sizes that a guard makes equal become the same expression first.
  Sizes adjusted = from;
  for (auto [index, size] : llvm::enumerate(adjusted)) {
    SizeExpr wanted = sizes[index + shift];
    dims.push_back(index + shift);
    if (size == wanted || size.isConstant(1))
      continue;
    if (size.isConstant() && wanted.isConstant()) {
      (void)refuse("size " + Twine(size.getValue()) + " where " +
                   Twine(wanted.getValue()) + " or 1 is expected");
      return x;
    }
    size = wanted;
  }
  x = withSizes(x, adjusted);
  RankedTensorType type = getTensorType(sizes, elementOf(x));
  if (type == x.getType())
    return x;
  return BroadcastOp::create(builder, location, type, x, dims);
}

Value AtenCall::transpose(Value x, ArrayRef<int64_t> permutation) {
  bool identity = true;
  Sizes from = sizesOf(x), to;
  for (auto [index, dim] : llvm::enumerate(permutation)) {
    identity &= static_cast<int64_t>(index) == dim;
    to.push_back(from[dim]);
  }
  if (identity)
    return x;
  return TransposeOp::create(builder, location, getTensorType(to, elementOf(x)),
                             x, permutation);
}

Value AtenCall::fill(Attribute number, RankedTensorType type) {
  if (auto operand = dyn_cast<OperandAttr>(number))
    return broadcast(cast(getInput(operand), type.getElementType()),
                     getSizes(type));
  if (auto size = dyn_cast<SizeExprAttr>(number)) {
    Value value = SizeValueOp::create(
        builder, location, RankedTensorType::get({}, builder.getI64Type()),
        size);
    return broadcast(cast(value, type.getElementType()), getSizes(type));
  }
  return FullOp::create(builder, location, type,
                        convertNumber(number, type.getElementType()));
}

void AtenCall::defineSize(SizeExpr size, Value count) {
  Operation *parent = builder.getBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function) {
    (void)refuse(Twine("a size that depends on data, in a ") +
                 (isa<WhileOp>(parent) ? "loop" : "branch"));
    return;
  }
  auto makeFresh = [&] { return declareFreshSymbol(function, INT64_MIN); };
  if (mlir::failed(tc::defineSize(builder, location, size,
                                  cast(count, builder.getI64Type()),
                                  makeFresh)))
    (void)refuse("the size " + size.str() +
                 ", which depends on data and is no symbol");
}

bool AtenCall::isUndefined(SizeExpr size) {
  return size.getKind() == SizeExprKind::Symbol && isDataDependent(size) &&
         !findSizeFrom(op, size.getSymbol().getValue());
}

SizeExpr AtenCall::makeSymbol() {
  auto function = op->getParentOfType<func::FuncOp>();
  return SizeExpr::named(getContext(), declareFreshSymbol(function, /*min=*/0));
}

SizeExpr AtenCall::evaluate(SizeExpr number) {
  if (number.isConstant() || number.getKind() == SizeExprKind::Symbol)
    return number;
  SizeExpr symbol = makeSymbol();
  defineSize(symbol,
             SizeValueOp::create(
                 builder, location,
                 RankedTensorType::get({}, builder.getI64Type()), number));
  return symbol;
}

void AtenCall::check(SizeExpr number, StringRef origin) {
  GuardOp::create(builder, location, GuardKind::Scalar, ValueRange(),
                  IntegerAttr(), Attribute(), number,
                  builder.getI64IntegerAttr(0),
                  builder.getI64IntegerAttr(INT64_MAX), IntegerAttr(),
                  builder.getStringAttr(origin));
}

Value AtenCall::countTrue(Value mask) {
  return reduce(ReductionKind::Sum, cast(flatten(mask), builder.getI64Type()),
                0);
}

Value AtenCall::positionsOf(Value mask, SizeExpr count) {
  mask = flatten(mask);
  defineSize(count, countTrue(mask));
  Value rows = NonzeroOp::create(
      builder, location,
      getTensorType({count, constant(1)}, builder.getI64Type()), mask);
  return reshape(rows, count);
}

Value AtenCall::fill(double number, Value like) {
  return fill(builder.getF64FloatAttr(number), typeOf(like));
}

Value AtenCall::fillSize(SizeExpr size, Value like) {
  Attribute number = size.isConstant()
                         ? Attribute(builder.getI64IntegerAttr(size.getValue()))
                         : Attribute(size);
  return fill(number, typeOf(like));
}

Value AtenCall::getSeed() {
  if (Value seed = findRandomSeed(op->getParentOfType<func::FuncOp>()))
    return seed;
  return fill(builder.getI64IntegerAttr(0),
              RankedTensorType::get({}, builder.getI64Type()));
}

Value AtenCall::random(DistributionKind distribution, ArrayRef<SizeExpr> sizes,
                       Type element) {
  auto state = RankedTensorType::get({}, builder.getI64Type());
  Value seed = getSeed();
  Value offset = fill(builder.getI64IntegerAttr(randomStreams++), state);
  auto made = RandomOp::create(builder, location, getTensorType(sizes, element),
                               distribution, seed, offset);
  if (made->getParentOfType<WhileOp>())
    made.setEachIteration(true);
  return made;
}

std::pair<Value, Value> AtenCall::drawState() {
  auto state = RankedTensorType::get({}, builder.getI64Type());
  Value seed = getSeed();
  // In a loop the seed is drawn, so that each iteration has another.
  if (op->getParentOfType<WhileOp>()) {
    constexpr double kSeeds = 16777216;
    seed = cast(binary<MulOp>(
                    random(DistributionKind::Uniform, {}, builder.getF32Type()),
                    kSeeds),
                builder.getI64Type());
  }
  return {seed, fill(builder.getI64IntegerAttr(randomStreams++), state)};
}

Value AtenCall::materialize(Operand operand, Type element,
                            ArrayRef<SizeExpr> sizes) {
  if (operand.tensor)
    return broadcast(cast(operand.tensor, element), sizes);
  return fill(operand.number, getTensorType(sizes, element));
}

Value AtenCall::slice(Value x, int64_t dim, SizeExpr start, SizeExpr size,
                      int64_t step) {
  Sizes sizes = sizesOf(x), offsets(sizes.size(), constant(0));
  SmallVector<int64_t> strides(sizes.size(), 1);
  if (start.isConstant(0) && step == 1 && sizes[dim] == size)
    return x;
  sizes[dim] = size;
  offsets[dim] = start;
  strides[dim] = step;
  return SliceOp::create(builder, location, getTensorType(sizes, elementOf(x)),
                         x, SizesAttr::get(getContext(), offsets), strides);
}

Sizes withoutDims(ArrayRef<SizeExpr> sizes, ArrayRef<int64_t> dims) {
  Sizes rest;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      rest.push_back(size);
  return rest;
}

Value AtenCall::reduce(ReductionKind kind, Value x, ArrayRef<int64_t> dims,
                       bool allowEmpty) {
  if (dims.empty())
    return x;
  if (elementOf(x).isInteger(1)) // true + true is true
    kind = kind == ReductionKind::Sum    ? ReductionKind::Any
           : kind == ReductionKind::Prod ? ReductionKind::All
                                         : kind;
  return ReduceOp::create(
      builder, location,
      getTensorType(withoutDims(sizesOf(x), dims), elementOf(x)), kind, x, dims,
      allowEmpty);
}

Value AtenCall::concat(ArrayRef<Value> parts, int64_t dim) {
  if (parts.size() == 1)
    return parts.front();
  Sizes sizes = sizesOf(parts.front());
  SmallVector<Value> aligned;
  sizes[dim] = constant(0);
  for (Value part : parts) {
    // Sizes that a guard makes equal become the same expression.
    Sizes own = sizes;
    own[dim] = sizesOf(part)[dim];
    aligned.push_back(withSizes(part, own));
    sizes[dim] = sizes[dim].add(own[dim]);
  }
  return ConcatOp::create(builder, location,
                          getTensorType(sizes, elementOf(parts.front())),
                          aligned, dim);
}

Value AtenCall::mean(Value x, ArrayRef<int64_t> dims) {
  SizeExpr count = constant(1);
  for (int64_t dim : dims)
    count = count.mul(sizesOf(x)[dim]);
  Value sum = reduce(ReductionKind::Sum, x, dims);
  return binary<DivOp>(sum, fillSize(count, sum));
}

Value AtenCall::spreadBack(Value x, ArrayRef<int64_t> dims,
                           ArrayRef<SizeExpr> sizes) {
  Sizes kept(sizes);
  for (int64_t dim : dims)
    kept[dim] = constant(1);
  return broadcast(reshape(x, kept), sizes);
}

Value AtenCall::contract(StringRef spec, Value lhs, Value rhs) {
  Type element = promoteTypes(elementOf(lhs), elementOf(rhs));
  if (element.isInteger(1)) { // whether any product is true
    Type number = builder.getI32Type();
    return cast(contract(spec, cast(lhs, number), cast(rhs, number)), element);
  }
  lhs = cast(lhs, element);
  rhs = cast(rhs, element);
  if (isFloat8Type(element))
    return cast(contractFloat8(spec, lhs, rhs, /*fast=*/false), element);
  return contractAs(element, spec, lhs, rhs, /*fast=*/false);
}

Value AtenCall::contractFloat8(StringRef spec, Value lhs, Value rhs,
                               bool fast) {
  return contractAs(builder.getF32Type(), spec, lhs, rhs, fast);
}

Value AtenCall::contractAs(Type element, StringRef spec, Value lhs, Value rhs,
                           bool fast) {
  auto [operands, result] = spec.split("->");
  auto [left, right] = operands.split(',');
  Sizes leftSizes = sizesOf(lhs), rightSizes = sizesOf(rhs), sizes;
  // A label has one size; a guard may be what makes two of them equal.
  for (auto [index, label] : llvm::enumerate(right))
    if (size_t found = left.find(label); found != StringRef::npos)
      rightSizes[index] = leftSizes[found];
  rhs = withSizes(rhs, rightSizes);
  for (char label : result) {
    size_t found = left.find(label);
    sizes.push_back(found != StringRef::npos ? leftSizes[found]
                                             : rightSizes[right.find(label)]);
  }
  return ContractOp::create(builder, location, getTensorType(sizes, element),
                            spec, lhs, rhs, fast);
}

Value AtenCall::select(Value condition, Value x, Value y) {
  return SelectOp::create(builder, location, x.getType(), condition, x, y);
}

Value AtenCall::iota(ArrayRef<SizeExpr> sizes, int64_t dim) {
  return IotaOp::create(builder, location,
                        getTensorType(sizes, builder.getI64Type()), dim,
                        /*start=*/0, /*step=*/1);
}

Sizes broadcastSizes(ArrayRef<SizeExpr> a, ArrayRef<SizeExpr> b) {
  Sizes sizes(std::max(a.size(), b.size()));
  for (size_t back = 1; back <= sizes.size(); ++back) {
    SizeExpr left = back <= a.size() ? a[a.size() - back] : SizeExpr();
    SizeExpr right = back <= b.size() ? b[b.size() - back] : SizeExpr();
    bool takeRight = !left || (right && left.isConstant(1));
    sizes[sizes.size() - back] = takeRight ? right : left;
  }
  return sizes;
}

} // namespace tc::aten
