//===- AtenArguments.cpp - arguments of a captured call -------------------===//

#include "AtenCall.h"
#include "Promotion.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::aten {

using pt2::Argument;
using pt2::ArgumentKind;
using pt2::SchemaValue;

/// A default of the schema as the attribute that a captured call would have.
static Attribute convertDefault(const Argument &value, Builder &builder) {
  switch (value.kind) {
  case ArgumentKind::Int:
    return builder.getI64IntegerAttr(value.integer);
  case ArgumentKind::Float:
    return builder.getF64FloatAttr(value.real);
  case ArgumentKind::Bool:
    return builder.getBoolAttr(value.integer);
  case ArgumentKind::String:
    return builder.getStringAttr(value.text);
  case ArgumentKind::List: {
    SmallVector<Attribute> elements;
    for (const Argument &element : value.elements)
      elements.push_back(convertDefault(element, builder));
    return builder.getArrayAttr(elements);
  }
  default:
    return builder.getUnitAttr();
  }
}

/// Whether `value` is one element of the declared type.
static bool isElement(const SchemaValue &declared, Attribute value,
                      int64_t operandCount) {
  StringRef type = declared.type;
  if (type == "Tensor") {
    auto operand = dyn_cast<OperandAttr>(value);
    return operand && operand.getIndex() >= 0 &&
           operand.getIndex() < operandCount;
  }
  bool isInteger = isa<IntegerAttr, SizeExprAttr>(value);
  if (type == "int" || type == "SymInt")
    return isInteger;
  if (type == "float")
    return isa<FloatAttr, IntegerAttr>(value);
  if (type == "Scalar")
    return isInteger || isa<FloatAttr, OperandAttr>(value);
  if (type == "bool")
    return isa<IntegerAttr>(value);
  if (type == "str")
    return isa<StringAttr>(value);
  if (type == "ScalarType")
    return isa<TypeAttr>(value);
  return true; // devices, layouts, memory formats, generators
}

LogicalResult AtenCall::checkArgument(const SchemaValue &declared,
                                      Attribute &value) {
  int64_t operandCount = op.getInputs().size();
  if (!value && declared.defaultValue)
    value = convertDefault(*declared.defaultValue, builder);
  if (!value && declared.isOptional)
    value = builder.getUnitAttr();
  bool valid = false;
  if (value && isa<UnitAttr>(value)) {
    valid = declared.isOptional || declared.defaultValue ||
            declared.type == "Generator";
  } else if (auto list = dyn_cast_or_null<ArrayAttr>(value);
             list && declared.isList) {
    valid = llvm::all_of(list, [&](Attribute element) {
      return isElement(declared, element, operandCount) ||
             (declared.isElementOptional && isa<UnitAttr>(element));
    });
  } else if (value) {
    // int[2] accepts one number for both.
    bool single = !declared.isList || declared.type != "Tensor";
    valid = single && isElement(declared, value, operandCount);
    // Python's numbers stand for tensors.
    valid |= declared.type == "Tensor" && !declared.isList &&
             isa<IntegerAttr, FloatAttr, SizeExprAttr>(value);
  }
  if (valid)
    return success();
  InFlightDiagnostic error = emitError(location)
                             << "'" << getTarget() << "' expects argument '"
                             << declared.name << "' of type " << declared.type
                             << (declared.isList ? "[]" : "") << ", but it ";
  if (value)
    error << "is " << value;
  else
    error << "is missing";
  return error;
}

LogicalResult AtenCall::prepare() {
  for (NamedAttribute given : op.getArguments()) {
    bool known = llvm::any_of(schema.arguments, [&](const SchemaValue &value) {
      return value.name == given.getName();
    });
    if (!known)
      return emitError(location) << "'" << getTarget() << "' has no argument '"
                                 << given.getName().getValue() << "'";
  }
  for (const SchemaValue &declared : schema.arguments) {
    Attribute value = op.getArguments().get(declared.name);
    if (mlir::failed(checkArgument(declared, value)))
      return failure();
    arguments.set(declared.name, value);
  }
  return success();
}

LogicalResult AtenCall::refuse(const Twine &reason) {
  failed = true;
  return emitError(location)
         << "'" << getTarget() << "' is not supported with " << reason;
}

Attribute AtenCall::getArgument(StringRef name) const {
  return arguments.get(name);
}

bool AtenCall::isNone(StringRef name) const {
  return isa<UnitAttr>(arguments.get(name));
}

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
  Type element = promote(Operand{Value(), argument});
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

std::optional<int64_t> AtenCall::readInteger(StringRef name, Attribute value) {
  if (isa<IntegerAttr>(value))
    return cast<IntegerAttr>(convertNumber(value, builder.getI64Type()))
        .getInt();
  if (auto size = dyn_cast<SizeExprAttr>(value); size && size.isConstant())
    return size.getValue();
  (void)refuse("a symbolic '" + name + "'; expected a constant");
  return std::nullopt;
}

int64_t AtenCall::getInteger(StringRef name) {
  return readInteger(name, arguments.get(name)).value_or(0);
}

std::optional<int64_t> AtenCall::getOptionalInteger(StringRef name) {
  if (isNone(name))
    return std::nullopt;
  return getInteger(name);
}

SmallVector<int64_t> AtenCall::getIntegers(StringRef name) {
  SmallVector<int64_t> values;
  Attribute argument = arguments.get(name);
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      values.push_back(readInteger(name, element).value_or(0));
  } else if (!isa<UnitAttr>(argument)) {
    values.push_back(readInteger(name, argument).value_or(0));
  }
  return values;
}

SmallVector<int64_t> AtenCall::getIntegers(StringRef name, size_t count) {
  SmallVector<int64_t> values = getIntegers(name);
  if (values.size() == 1)
    values.resize(count, values.front());
  if (values.size() != count && !values.empty())
    (void)refuse("'" + name + "' of " + Twine(values.size()) +
                 " entries; expected " + Twine(count));
  values.resize(count, 0);
  return values;
}

/// An integer argument as an expression.
static SizeExpr toSize(Attribute value, Builder &builder) {
  if (auto size = dyn_cast<SizeExprAttr>(value))
    return size;
  auto integer = cast<IntegerAttr>(convertNumber(value, builder.getI64Type()));
  return SizeExpr::constant(builder.getContext(), integer.getInt());
}

SizeExpr AtenCall::getSize(StringRef name) {
  return toSize(arguments.get(name), builder);
}

Sizes AtenCall::getSizeList(StringRef name) {
  Sizes sizes;
  Attribute argument = arguments.get(name);
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      sizes.push_back(toSize(element, builder));
  } else if (!isa<UnitAttr>(argument)) {
    sizes.push_back(toSize(argument, builder));
  }
  return sizes;
}

double AtenCall::getReal(StringRef name) {
  Attribute value = arguments.get(name);
  if (isa<FloatAttr, IntegerAttr>(value))
    return cast<FloatAttr>(convertNumber(value, builder.getF64Type()))
        .getValueAsDouble();
  (void)refuse("a symbolic '" + name + "'; expected a constant");
  return 0.0;
}

bool AtenCall::getBool(StringRef name) {
  auto value = dyn_cast<IntegerAttr>(arguments.get(name));
  return value && !value.getValue().isZero();
}

StringRef AtenCall::getString(StringRef name) {
  auto value = dyn_cast<StringAttr>(arguments.get(name));
  return value ? value.getValue() : StringRef();
}

Type AtenCall::getDType(StringRef name) {
  auto value = dyn_cast<TypeAttr>(arguments.get(name));
  return value ? value.getValue() : Type();
}

int64_t AtenCall::getDim(StringRef name, int64_t rank) {
  int64_t dim = getInteger(name), range = std::max<int64_t>(rank, 1);
  if (dim >= -range && dim < range)
    return dim < 0 ? dim + range : dim;
  (void)refuse("'" + name + "' " + Twine(dim) + " of a tensor of rank " +
               Twine(rank));
  return 0;
}

SmallVector<int64_t> AtenCall::getDims(StringRef name, int64_t rank,
                                       bool emptyIsAll) {
  SmallVector<int64_t> dims = getIntegers(name);
  if (isNone(name) || (dims.empty() && emptyIsAll))
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  int64_t range = std::max<int64_t>(rank, 1);
  for (int64_t &dim : dims) {
    if (dim < -range || dim >= range) {
      (void)refuse("'" + name + "' " + Twine(dim) + " of a tensor of rank " +
                   Twine(rank));
      dim = 0;
    }
    dim = dim < 0 ? dim + range : dim;
  }
  llvm::sort(dims);
  dims.erase(llvm::unique(dims), dims.end());
  if (rank == 0)
    dims.clear(); // PyTorch takes dimension 0 of a 0-d tensor
  return dims;
}

} // namespace tc::aten
