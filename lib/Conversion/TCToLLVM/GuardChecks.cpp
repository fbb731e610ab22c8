//===- GuardChecks.cpp - Guards as conditions -----------------------------===//

#include "GuardChecks.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

const CheckedInput *GuardChecks::inputOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &function.getFunctionBody().front()
             ? &inputs[argument.getArgNumber()]
             : nullptr;
}

Value GuardChecks::byteCount(const CheckedInput &input) {
  OpBuilder &builder = host.get();
  Location loc = host.getLoc();
  Value bytes = host.i64(getElementBytes(input.type.getElementType()));
  if (!input.expectedStrides) {
    for (Value size : input.actual)
      bytes = LLVM::MulOp::create(builder, loc, bytes, size);
    return bytes;
  }
  // Up to the end of the last element; of a tensor without elements less.
  Value count = host.i64(1);
  for (auto [size, stride] : llvm::zip_equal(input.actual, input.strides)) {
    Value last = LLVM::SubOp::create(builder, loc, size, host.i64(1));
    count = LLVM::AddOp::create(
        builder, loc, count, LLVM::MulOp::create(builder, loc, last, stride));
  }
  return LLVM::MulOp::create(builder, loc, bytes, count);
}

/// " (from the export)", or nothing.
static std::string describeOrigin(GuardOp guard) {
  return guard.getOrigin() ? (" (from " + *guard.getOrigin() + ")").str() : "";
}

GuardChecks::Condition GuardChecks::noOverlap(GuardOp guard,
                                              const CheckedInput &lhs,
                                              const CheckedInput &rhs) {
  OpBuilder &builder = host.get();
  auto address = [&](const CheckedInput &input) -> Value {
    return LLVM::PtrToIntOp::create(
        builder, host.getLoc(), builder.getI64Type(),
        host.loadTensor(input.tensor, TensorField::Data));
  };
  Value lhsBegin = address(lhs), rhsBegin = address(rhs);
  Value lhsEnd =
      LLVM::AddOp::create(builder, host.getLoc(), lhsBegin, byteCount(lhs));
  Value rhsEnd =
      LLVM::AddOp::create(builder, host.getLoc(), rhsBegin, byteCount(rhs));
  return {host.disjunction(
              host.compare(LLVM::ICmpPredicate::ule, lhsEnd, rhsBegin),
              host.compare(LLVM::ICmpPredicate::ule, rhsEnd, lhsBegin)),
          {TC_STATUS_GUARD_FAILED,
           lhs.label + " overlaps " + rhs.label + ", expected separate memory" +
               describeOrigin(guard),
           Value(), Value(), guard.getLoc()}};
}

/// A guard on sizes alone: the value of `expr` is in [`min`, `max`].
GuardChecks::Conditions GuardChecks::conditionsOfExpression(GuardOp guard) {
  Conditions conditions;
  std::optional<SizeExpr> expr = guard.getExpr();
  if (!expr || !sizes.canEvaluate(*expr))
    return conditions; // about a scalar of the caller's, who checks it
  Value value = sizes.of(*expr);
  auto require = [&](LLVM::ICmpPredicate predicate, int64_t bound,
                     const std::string &expected) {
    conditions.push_back({host.compare(predicate, value, host.i64(bound)),
                          {TC_STATUS_GUARD_FAILED,
                           expr->str() + " is {0}, expected " + expected +
                               std::to_string(bound) + describeOrigin(guard),
                           value, Value(), guard.getLoc()}});
  };
  if (guard.getMin() && static_cast<int64_t>(*guard.getMin()) != INT64_MIN)
    require(LLVM::ICmpPredicate::sge, *guard.getMin(), "at least ");
  if (guard.getMax() && static_cast<int64_t>(*guard.getMax()) != INT64_MAX)
    require(LLVM::ICmpPredicate::sle, *guard.getMax(), "at most ");
  return conditions;
}

GuardChecks::Conditions
GuardChecks::conditionsOfInput(GuardOp guard, const CheckedInput &input) {
  Conditions conditions;
  // {1} in `expected` is `second`.
  auto require = [&](Value holds, Value actual, const std::string &what,
                     const std::string &expected, Value second = Value()) {
    conditions.push_back({holds,
                          {TC_STATUS_GUARD_FAILED,
                           what + " of " + input.label + " is {0}, expected " +
                               expected + describeOrigin(guard),
                           actual, second, guard.getLoc()}});
  };
  int64_t dim = guard.getDim().value_or(0);
  bool hasDim = dim >= 0 && dim < input.type.getRank();
  std::string size = "size " + std::to_string(dim);
  switch (guard.getKind()) {
  case GuardKind::SizeEqual:
  case GuardKind::Stride: {
    if (!hasDim || !guard.getExpr() || !sizes.canEvaluate(*guard.getExpr()))
      break;
    bool isSize = guard.getKind() == GuardKind::SizeEqual;
    Value actual = isSize ? input.actual[dim] : input.strides[dim];
    Value expected = sizes.of(*guard.getExpr());
    require(host.equal(actual, expected), actual,
            isSize ? size : "stride " + std::to_string(dim), "{1}", expected);
    break;
  }
  case GuardKind::SizeRange: {
    if (!hasDim)
      break;
    Value actual = input.actual[dim];
    if (std::optional<int64_t> min = guard.getMin())
      require(host.compare(LLVM::ICmpPredicate::sge, actual, host.i64(*min)),
              actual, size, "at least " + std::to_string(*min));
    if (std::optional<int64_t> max = guard.getMax())
      require(host.compare(LLVM::ICmpPredicate::sle, actual, host.i64(*max)),
              actual, size, "at most " + std::to_string(*max));
    break;
  }
  case GuardKind::SizeMultiple:
  case GuardKind::Alignment: {
    int64_t divisor = guard.getDivisor().value_or(1);
    bool isSize = guard.getKind() == GuardKind::SizeMultiple;
    if (isSize && !hasDim)
      break;
    Value actual = isSize
                       ? input.actual[dim]
                       : Value(LLVM::PtrToIntOp::create(
                             host.get(), host.getLoc(), host.get().getI64Type(),
                             host.loadTensor(input.tensor, TensorField::Data)));
    require(host.equal(LLVM::URemOp::create(host.get(), host.getLoc(), actual,
                                            host.i64(divisor)),
                       host.i64(0)),
            actual, isSize ? size : "the address",
            "a multiple of " + std::to_string(divisor));
    break;
  }
  case GuardKind::NoAlias:
    if (const CheckedInput *other = guard.getInputs().size() > 1
                                        ? inputOf(guard.getInputs()[1])
                                        : nullptr)
      conditions.push_back(noOverlap(guard, input, *other));
    break;
  case GuardKind::Rank:
  case GuardKind::DType:
  case GuardKind::Device:
  case GuardKind::Contiguous:
    break; // part of every input's checks
  case GuardKind::Scalar:
    break; // has conditions of its own
  case GuardKind::Identity:
    break; // the caller's to check
  }
  return conditions;
}

/// The only element of an input equals `value`.
GuardChecks::Conditions
GuardChecks::conditionsOfScalar(GuardOp guard, const CheckedInput &input) {
  Type type = input.type.getElementType();
  auto integer = dyn_cast_or_null<IntegerAttr>(guard.getValueAttr());
  auto number = dyn_cast_or_null<FloatAttr>(guard.getValueAttr());
  bool isOne = input.type.hasStaticShape() && input.type.getNumElements() == 1;
  bool canLoad = type.isSignlessInteger()
                     ? bool(integer)
                     : number && (type.isF32() || type.isF64());
  if (!isOne || !canLoad)
    return {};
  OpBuilder &builder = host.get();
  Location loc = host.getLoc();
  Type stored = type.isInteger(1) ? Type(builder.getI8Type()) : type;
  Value element =
      host.load(stored, host.loadTensor(input.tensor, TensorField::Data));
  Value expected, holds, actual;
  if (integer) {
    expected = LLVM::ConstantOp::create(
        builder, loc, stored,
        builder.getIntegerAttr(stored, integer.getValue().getSExtValue()));
    holds = host.equal(element, expected);
    actual = stored.isInteger(64)
                 ? element
                 : Value(LLVM::SExtOp::create(builder, loc,
                                              builder.getI64Type(), element));
  } else {
    expected = LLVM::ConstantOp::create(
        builder, loc, type,
        builder.getFloatAttr(type, number.getValueAsDouble()));
    holds = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::oeq,
                                 element, expected);
    actual =
        LLVM::FPToSIOp::create(builder, loc, builder.getI64Type(), element);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (integer)
    os << "the value of " << input.label << " is {0}, expected "
       << integer.getValue().getSExtValue();
  else
    os << "the value of " << input.label << " is about {0}, expected "
       << number.getValueAsDouble();
  return {{holds,
           {TC_STATUS_GUARD_FAILED, text + describeOrigin(guard), actual,
            Value(), guard.getLoc()}}};
}

GuardChecks::Conditions GuardChecks::conditionsOf(GuardOp guard) {
  host.setLoc(guard.getLoc());
  const CheckedInput *input =
      guard.getInputs().empty() ? nullptr : inputOf(guard.getInputs().front());
  if (guard.getKind() == GuardKind::Scalar)
    return input ? conditionsOfScalar(guard, *input)
                 : conditionsOfExpression(guard);
  return input ? conditionsOfInput(guard, *input) : Conditions();
}

/// Whether every call that passed the checks of inputs meets the guard.
static bool isPartOfInputChecks(GuardKind kind) {
  return kind == GuardKind::Rank || kind == GuardKind::DType ||
         kind == GuardKind::Device || kind == GuardKind::Contiguous;
}

FailureOr<Value> GuardChecks::predicate(Block &block) {
  SmallVector<Value> all;
  for (auto guard : block.getOps<GuardOp>()) {
    Conditions conditions = conditionsOf(guard);
    if (conditions.empty() && !isPartOfInputChecks(guard.getKind()))
      return guard.emitOpError()
             << "of kind " << stringifyGuardKind(guard.getKind())
             << " cannot be checked in compiled code, so no tc.case can need "
                "it";
    for (const Condition &condition : conditions)
      all.push_back(condition.holds);
  }
  host.setLoc(function.getLoc());
  return host.conjunction(all);
}
