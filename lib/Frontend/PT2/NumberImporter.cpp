//===- NumberImporter.cpp - Numbers that only the call knows --------------===//

#include "NumberImporter.h"

#include "ImportTypes.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

/// x to the power of y, where that is exact or one operation.
static Value makePower(TensorBuilder &b, Value base,
                       const Expression &exponent) {
  if (exponent.kind == ExpressionKind::Float && exponent.real == 0.5)
    return b.create<SqrtOp>(base);
  if (exponent.kind == ExpressionKind::Float && exponent.real == -0.5)
    return b.div(b.fullLike(1, base), b.create<SqrtOp>(base));
  if (exponent.kind != ExpressionKind::Integer || exponent.integer < -4 ||
      exponent.integer > 4 || exponent.integer == 0)
    return Value();
  Value product = base;
  for (int64_t i = 1; i < std::abs(exponent.integer); ++i)
    product = b.mul(product, base);
  return exponent.integer > 0 ? product
                              : b.div(b.fullLike(1, product), product);
}

/// The operation of two numbers; null for others.
static Value combineNumbers(TensorBuilder &b, const Expression &expression,
                            Value x, Value y) {
  switch (expression.kind) {
  case ExpressionKind::Add:
    return b.add(x, y);
  case ExpressionKind::Mul:
    return b.mul(x, y);
  case ExpressionKind::TrueDiv:
    return b.div(x, y);
  case ExpressionKind::Max:
    return b.create<MaximumOp>(x, y);
  case ExpressionKind::Min:
    return b.create<MinimumOp>(x, y);
  default:
    return Value();
  }
}

Value NumberImporter::makeNumber(const Expression &expression,
                                 Location location) {
  TensorBuilder b(builder, location);
  auto scalar = RankedTensorType::get({}, builder.getF64Type());
  if (Value known = values.numbers.lookup(expression.str()))
    return known;
  if (expression.isCondition())
    return makeCondition(expression, location);
  if (expression.kind == ExpressionKind::Float)
    return b.full(expression.real, scalar);
  if (readsIntegers(expression)) {
    if (Value integer = makeInteger(expression, location))
      return b.cast(integer, builder.getF64Type());
  } else if (SizeExpr size = convertSize(expression, builder.getContext())) {
    return b.fullOfSize(size, scalar);
  }
  StringRef name = expression.name;
  ArrayRef<Expression> operands = expression.operands;
  bool keepsValue =
      name == "ToFloat" || name == "torch.sym_float" || name == "Identity";
  if (operands.size() == 1 && keepsValue)
    return makeNumber(operands[0], location);
  if (operands.size() == 1 && name == "OpaqueUnaryFn_sqrt") {
    Value x = makeNumber(operands[0], location);
    return x ? b.create<SqrtOp>(x) : x;
  }
  if (expression.kind == ExpressionKind::Pow) {
    Value base = makeNumber(operands[0], location);
    return base ? makePower(b, base, operands[1]) : base;
  }
  Value result;
  for (const Expression &operand : operands) {
    Value next = makeNumber(operand, location);
    if (!next || !cast<ShapedType>(next.getType()).getElementType().isF64())
      return Value();
    result = result ? combineNumbers(b, expression, result, next) : next;
    if (!result)
      return Value();
  }
  return operands.size() > 1 ? result : Value();
}

Value NumberImporter::makeCondition(const Expression &expression,
                                    Location location) {
  if (expression.operands.size() != 2)
    return Value();
  Value x, y;
  if (readsIntegers(expression)) {
    x = makeInteger(expression.operands[0], location);
    y = makeInteger(expression.operands[1], location);
  }
  if (!x || !y) {
    x = makeNumber(expression.operands[0], location);
    y = makeNumber(expression.operands[1], location);
  }
  if (!x || !y || x.getType() != y.getType())
    return Value();
  TensorBuilder b(builder, location);
  switch (expression.kind) {
  case ExpressionKind::Equal:
    return b.create<EqOp>(x, y);
  case ExpressionKind::NotEqual:
    return b.create<NeOp>(x, y);
  case ExpressionKind::Less:
    return b.create<LtOp>(x, y);
  case ExpressionKind::LessEqual:
    return b.create<LeOp>(x, y);
  case ExpressionKind::Greater:
    return b.create<GtOp>(x, y);
  case ExpressionKind::GreaterEqual:
    return b.create<GeOp>(x, y);
  default:
    return Value();
  }
}

bool NumberImporter::readsIntegers(const Expression &expression) const {
  if (expression.kind == ExpressionKind::Symbol)
    return values.integers.contains(expression.name);
  return llvm::any_of(expression.operands, [&](const Expression &operand) {
    return readsIntegers(operand);
  });
}

Value NumberImporter::makeInteger(const Expression &expression,
                                  Location location) {
  TensorBuilder b(builder, location);
  if (!readsIntegers(expression)) {
    SizeExpr size = convertSize(expression, builder.getContext());
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    return size ? b.fullOfSize(size, scalar) : Value();
  }
  if (expression.kind == ExpressionKind::Symbol)
    return values.integers.lookup(expression.name);
  SmallVector<Value> operands;
  for (const Expression &operand : expression.operands) {
    operands.push_back(makeInteger(operand, location));
    if (!operands.back())
      return Value();
  }
  switch (expression.kind) {
  case ExpressionKind::FloorDiv:
    return b.create<FloorDivOp>(operands[0], operands[1]);
  case ExpressionKind::Mod:
    return b.create<RemainderOp>(operands[0], operands[1]);
  case ExpressionKind::Add:
  case ExpressionKind::Mul:
  case ExpressionKind::Max:
  case ExpressionKind::Min: {
    Value result = operands[0];
    for (Value operand : ArrayRef(operands).drop_front())
      result = combineNumbers(b, expression, result, operand);
    return result;
  }
  default:
    return Value();
  }
}

void NumberImporter::bindInteger(StringRef symbol, Value value) {
  if (isDataDependent(symbol) && !hasSymbol(symbol))
    values.integers[symbol] = value;
}

LogicalResult NumberImporter::defineInteger(Scope &scope,
                                            const Argument &output, Value value,
                                            Location location) {
  const Expression *expression = findExpression(scope, output);
  bool isInRegion = !isa<func::FuncOp>(builder.getBlock()->getParentOp());
  if (expression && expression->kind == ExpressionKind::Integer &&
      !isInRegion) {
    defineKnownNumber(expression->integer, value, location);
    return success();
  }
  if (!expression || expression->kind != ExpressionKind::Symbol ||
      !isDataDependent(expression->name))
    return emitError(location)
           << "'" << output.text << "' is "
           << (expression ? expression->str() : std::string("missing"))
           << ", a number from the elements of a tensor, which is not "
              "supported where it is no symbol of its own; keep the value in a "
              "tensor";
  StringRef symbol = expression->name;
  if (isInRegion)
    values.integers[symbol] = value;
  else if (knownSymbols.insert(symbol).second)
    SizeFromOp::create(builder, location, symbol, value);
  return success();
}

void NumberImporter::addSymbols(Type type) {
  for (StringAttr symbol : getDataDependentSymbols(type))
    knownSymbols.insert(symbol.getValue());
}

void NumberImporter::setRanges(std::map<std::string, RangeConstraint> known) {
  ranges = std::move(known);
  for (const auto &[name, range] : ranges) {
    uint64_t number = 0;
    if (isDataDependent(name) &&
        !StringRef(name).drop_front().getAsInteger(10, number))
      nextSymbol = std::max(nextSymbol, number + 1);
  }
}

RangeConstraint NumberImporter::getRange(StringRef symbol) const {
  auto found = ranges.find(symbol.str());
  return found == ranges.end() ? RangeConstraint() : found->second;
}

LogicalResult NumberImporter::defineTruth(const Expression &truth, Value value,
                                          Location location) {
  TensorBuilder b(builder, location);
  values.numbers[truth.str()] = value;
  if (!isa<func::FuncOp>(builder.getBlock()->getParentOp())) {
    if (truth.kind != ExpressionKind::Boolean)
      return success(); // an operand, no size
    return emitError(location)
           << "a truth value from the elements of a tensor decides what a "
              "branch or a loop does, which is not supported; keep the value "
              "in a tensor";
  }
  value = b.cast(value, builder.getI64Type());
  if (truth.kind == ExpressionKind::Boolean) { // the export has a check of it
    values.numbers.erase(truth.str());
    defineKnownNumber(truth.integer, value, location);
    return success();
  }
  bool isSymbol = truth.kind == ExpressionKind::Equal &&
                  truth.operands[0].kind == ExpressionKind::Symbol &&
                  truth.operands[1] == Expression::makeInteger(1);
  StringRef symbol = isSymbol ? StringRef(truth.operands[0].name) : StringRef();
  if (!isDataDependent(symbol) || !knownSymbols.insert(symbol).second)
    return success();
  SizeFromOp::create(builder, location, symbol, value);
  return success();
}

void NumberImporter::defineKnownNumber(int64_t number, Value value,
                                       Location location) {
  std::string symbol = "u" + std::to_string(nextSymbol++);
  ranges[symbol] = {number, number};
  SizeFromOp::create(builder, location, symbol, value);
}

} // namespace tc::pt2
