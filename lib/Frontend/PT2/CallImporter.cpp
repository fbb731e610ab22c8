//===- CallImporter.cpp - Captured calls as tc.aten -----------------------===//

#include "CallImporter.h"

#include "ImportTypes.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Frontend/PT2/ConstantArguments.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

Value CallImporter::read(TensorEntry *entry) {
  if (!entry->base || entry->version == entry->storage->version)
    return entry->value;
  // Take the view again from the new value of its base.
  const Node &node = *entry->view;
  Scope &scope = tensors.getScope(node);
  Location location = entry->value.getLoc();
  StringRef overload =
      StringRef(node.target).substr(StringRef("torch.ops.aten.").size());
  Call call{overload.str(), location, {}, {}};
  SmallVector<Type> types;
  // Both succeeded when the view was first taken.
  if (failed(getResultTypes(scope, node, location, types)) ||
      failed(addArguments(scope, call, node, findOperatorSchema(overload))))
    return entry->value;
  entry->value = createCall(call, types)[entry->resultIndex];
  entry->version = entry->storage->version;
  return entry->value;
}

SizeExpr CallImporter::getSize(Scope &scope, const Argument &argument) {
  if (argument.kind == ArgumentKind::Int)
    return SizeExpr::constant(getContext(), argument.integer);
  if (argument.kind != ArgumentKind::SymInt)
    return SizeExpr();
  const Expression *expression = findExpression(scope, argument);
  return expression ? convertSize(*expression, getContext()) : SizeExpr();
}

FailureOr<Value> CallImporter::getValue(Scope &scope, const Argument &argument,
                                        Location location) {
  if (argument.kind == ArgumentKind::Tensor) {
    TensorEntry *entry = scope.tensors.lookup(argument.text);
    if (entry)
      return read(entry);
    return emitError(location)
           << "value '" << argument.text
           << "' is used before it is defined; the archive is damaged, "
              "export it again";
  }
  if (argument.kind != ArgumentKind::SymInt)
    return Value();
  const Expression *expression = findExpression(scope, argument);
  if (expression && numbers.readsIntegers(*expression))
    if (Value integer = numbers.makeInteger(*expression, location))
      return integer;
  SizeExpr size = getSize(scope, argument);
  if (!size)
    return emitError(location) << "size '" << argument.text
                               << "' is no integer expression of +, *, //, %, "
                                  "max, min and fractions such as 0.5";
  return SizeValueOp::create(builder, location,
                             RankedTensorType::get({}, builder.getI64Type()),
                             size)
      .getResult();
}

FailureOr<Value> CallImporter::getNumberOrTensor(Scope &scope,
                                                 const Argument &argument,
                                                 Location location) {
  TensorBuilder b(builder, location);
  if (argument.kind == ArgumentKind::Int)
    return b.fullOfSize(SizeExpr::constant(getContext(), argument.integer),
                        RankedTensorType::get({}, builder.getI64Type()));
  if (argument.kind != ArgumentKind::SymBool)
    return getValue(scope, argument, location);
  const Expression *expression = findExpression(scope, argument);
  Value truth =
      expression ? numbers.makeNumber(*expression, location) : Value();
  if (truth)
    return truth;
  return emitError(location)
         << "the truth value '" << argument.text
         << "' is no comparison of numbers, which is not supported; compute it "
            "with tensors";
}

/// PyTorch's name of a memory format, or "".
static StringRef getMemoryFormatName(int64_t format) {
  static constexpr StringLiteral names[] = {"contiguous_format",
                                            "channels_last", "channels_last_3d",
                                            "preserve_format"};
  return format >= 1 && format <= 4 ? StringRef(names[format - 1])
                                    : StringRef();
}

FailureOr<Attribute> CallImporter::convertList(Scope &scope, Call &call,
                                               ArrayRef<Argument> list,
                                               const SchemaValue *schema) {
  SmallVector<Attribute> elements;
  for (const Argument &element : list) {
    FailureOr<Attribute> converted =
        convertArgument(scope, call, element, schema);
    if (failed(converted))
      return failure();
    elements.push_back(*converted);
  }
  return Attribute(builder.getArrayAttr(elements));
}

/// Whether an argument may be a number that is computed.
static bool takesNumber(const SchemaValue *schema) {
  return schema && (schema->type == "Scalar" || schema->type == "Tensor");
}

FailureOr<Attribute> CallImporter::convertArgument(Scope &scope, Call &call,
                                                   const Argument &argument,
                                                   const SchemaValue *schema) {
  bool wantsReal = schema && schema->type == "float";
  auto addOperand = [&](Value value) -> Attribute {
    call.inputs.push_back(value);
    return OperandAttr::get(getContext(), call.inputs.size() - 1);
  };
  auto addNumber = [&](Value value) {
    call.numbers.push_back(call.inputs.size());
    return addOperand(value);
  };
  auto refuse = [&](const Twine &what) -> InFlightDiagnostic {
    return emitError(call.location)
           << "argument '" << (schema ? schema->name : std::string("?"))
           << "' of 'aten." << call.overload << "' is " << what;
  };
  if (Attribute constant = convertConstant(argument, wantsReal, builder))
    return constant;
  switch (argument.kind) {
  case ArgumentKind::Tensor: {
    FailureOr<Value> value = getValue(scope, argument, call.location);
    if (failed(value))
      return failure();
    return addOperand(*value);
  }
  case ArgumentKind::SymInt: {
    const Expression *expression = findExpression(scope, argument);
    if (expression && numbers.readsIntegers(*expression)) {
      Value number = numbers.makeInteger(*expression, call.location);
      if (number && takesNumber(schema))
        return addNumber(number);
      return refuse("the number '" + expression->str() +
                    "', which a loop carries or a region reads from a tensor; "
                    "it may be an operand, but no size, index or dimension");
    }
    SizeExpr size = getSize(scope, argument);
    if (!size)
      return refuse("the size '" + argument.text +
                    "', which is no integer expression of +, *, //, %, max, "
                    "min and fractions such as 0.5");
    if (size.isConstant())
      return Attribute(builder.getI64IntegerAttr(size.getValue()));
    return Attribute(size);
  }
  case ArgumentKind::ScalarType:
    if (Type type = getElementType(static_cast<ScalarType>(argument.integer),
                                   getContext()))
      return Attribute(TypeAttr::get(type));
    return refuse(getScalarTypeName(static_cast<ScalarType>(argument.integer)) +
                  ", an element type that is not supported");
  case ArgumentKind::MemoryFormat:
    if (StringRef format = getMemoryFormatName(argument.integer);
        !format.empty())
      return Attribute(builder.getStringAttr(format));
    return refuse("memory format " + Twine(argument.integer) +
                  ", expected 1 to 4");
  case ArgumentKind::List: // with elements that are no constants
    return convertList(scope, call, argument.elements, schema);
  case ArgumentKind::SymFloat:
  case ArgumentKind::SymBool: {
    const Expression *expression = findExpression(scope, argument);
    Value number =
        expression ? numbers.makeNumber(*expression, call.location) : Value();
    if (number && takesNumber(schema))
      return addNumber(number);
    return refuse("the symbolic number '" + argument.text +
                  "', which is not supported; only integer sizes may be "
                  "symbolic");
  }
  case ArgumentKind::Complex:
    return refuse("a complex number, which is not supported");
  case ArgumentKind::Graph:
  case ArgumentKind::CustomObject:
  case ArgumentKind::Operator:
  case ArgumentKind::Dictionary:
  default: // constants are above
    return refuse("of a kind that is not supported");
  }
}

LogicalResult CallImporter::addArguments(Scope &scope, Call &call,
                                         const Node &node,
                                         const OperatorSchema *schema) {
  auto add = [&](StringRef name, const Argument &value,
                 const SchemaValue *declared) {
    FailureOr<Attribute> converted =
        convertArgument(scope, call, value, declared);
    if (failed(converted))
      return failure();
    call.arguments.set(name, *converted);
    return success();
  };
  if (!schema) { // a call that no table knows is kept as it is
    for (auto [index, input] : llvm::enumerate(node.inputs))
      if (failed(add(input.name.empty() ? ("arg" + Twine(index)).str()
                                        : input.name,
                     input.value, nullptr)))
        return failure();
    return success();
  }
  for (const SchemaValue &declared : schema->arguments) {
    const Argument *given = findArgument(node, declared.name);
    if (!given && declared.defaultValue)
      given = &*declared.defaultValue;
    static const Argument none;
    if (!given && declared.isOptional)
      given = &none;
    if (!given)
      return emitError(call.location)
             << "argument '" << declared.name << "' of 'aten." << call.overload
             << "' is missing; the archive is damaged, export it again";
    if (failed(add(declared.name, *given, &declared)))
      return failure();
  }
  for (const NamedArgument &input : node.inputs)
    if (!call.arguments.get(input.name))
      return emitError(call.location)
             << "'aten." << call.overload << "' has no argument '" << input.name
             << "' in the version of PyTorch that TC knows";
  return success();
}

ValueRange CallImporter::createCall(Call &call, TypeRange resultTypes) {
  DenseI64ArrayAttr numberInputs;
  if (!call.numbers.empty())
    numberInputs = builder.getDenseI64ArrayAttr(call.numbers);
  auto op = AtenOp::create(
      builder, call.location, resultTypes,
      builder.getStringAttr(getCallTarget(call.overload)), call.inputs,
      call.arguments.getDictionary(getContext()), numberInputs);
  for (Type type : resultTypes)
    numbers.addSymbols(type);
  return op.getResults();
}

Value CallImporter::createPlainCall(
    StringRef overload, ValueRange inputs,
    ArrayRef<std::pair<StringRef, Attribute>> arguments, Type resultType,
    Location location) {
  Call call{overload.str(), location, llvm::to_vector(inputs), {}};
  for (auto [name, attribute] : arguments)
    call.arguments.set(name, attribute);
  return createCall(call, resultType).front();
}

} // namespace tc::pt2
