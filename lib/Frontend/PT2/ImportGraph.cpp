//===- ImportGraph.cpp - captured graphs as tc.aten calls -----------------===//

#include "ImportGraph.h"

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

llvm::SmallVector<StringRef> getResultNames(ArrayRef<Argument> outputs) {
  SmallVector<StringRef> names;
  for (const Argument &output : outputs) {
    if (output.kind == ArgumentKind::Tensor)
      names.push_back(output.text);
    else if (output.kind == ArgumentKind::List)
      names.append(getResultNames(output.elements));
  }
  return names;
}

const Argument *findArgument(const Node &node, StringRef name) {
  for (const NamedArgument &input : node.inputs)
    if (input.name == name)
      return &input.value;
  return nullptr;
}

const Expression *findExpression(const Scope &scope, const Argument &argument) {
  auto found = scope.graph->symbolicValues.find(argument.text);
  return found == scope.graph->symbolicValues.end() ? nullptr : &found->second;
}

TensorEntry *GraphImporter::addTensor(Value value) {
  storages.emplace_back();
  entries.emplace_back();
  entries.back().storage = &storages.back();
  entries.back().value = value;
  return &entries.back();
}

SizeExpr GraphImporter::getSize(Scope &scope, const Argument &argument) {
  if (argument.kind == ArgumentKind::Int)
    return SizeExpr::constant(getContext(), argument.integer);
  if (argument.kind != ArgumentKind::SymInt)
    return SizeExpr();
  const Expression *expression = findExpression(scope, argument);
  return expression ? convertSize(*expression, getContext()) : SizeExpr();
}

FailureOr<Value> GraphImporter::getValue(Scope &scope, const Argument &argument,
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
  if (expression && readsIntegers(*expression))
    if (Value integer = makeInteger(*expression, location))
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

LogicalResult GraphImporter::importNodes(Scope &scope) {
  for (const Node &node : scope.graph->nodes) {
    scopeOfNode[&node] = &scope;
    if (failed(importNode(scope, node)))
      return failure();
  }
  return success();
}

LogicalResult GraphImporter::importNode(Scope &scope, const Node &node) {
  StringRef name = node.name;
  if (name.empty() && !node.outputs.empty())
    name = node.outputs.front().text;
  Location location = convertLocation(node.stackTrace, name, getContext());
  bool symbolic = !node.outputs.empty() &&
                  llvm::all_of(node.outputs, [](const Argument &output) {
                    return output.kind == ArgumentKind::SymInt ||
                           output.kind == ArgumentKind::SymFloat ||
                           output.kind == ArgumentKind::SymBool;
                  });
  StringRef target = node.target;
  if (symbolic && !target.starts_with("torch.ops.higher_order."))
    return importSizes(scope, node, location);
  if (target.starts_with("torch._functorch.predispatch."))
    return importBatching(scope, node, location);
  if (target.starts_with("torch.ops.higher_order."))
    return importHigherOrder(scope, node, location);
  if (node.outputs.empty())
    return importCheck(scope, node, location);
  return importCall(scope, node, location);
}

/// Arithmetic on sizes: the archive holds each result as an expression, so the
/// calls themselves vanish, unless they read the elements of a tensor.
LogicalResult GraphImporter::importSizes(Scope &scope, const Node &node,
                                         Location location) {
  StringRef target = node.target;
  if (!target.starts_with("torch.ops.aten.") ||
      target.contains("aten.sym_size.") || target.contains("aten.sym_numel.") ||
      target.contains("aten.sym_stride.") ||
      target.contains("aten.sym_storage_offset."))
    return success();
  if (target.contains("aten.item.") ||
      target.contains("aten._local_scalar_dense."))
    return importItem(scope, node, location);
  return emitError(location)
         << "'" << target
         << "' makes a size or a number from the elements of a tensor, which "
            "is not supported; keep the value in a tensor, or leave this part "
            "of the model out of the export";
}

/// The one element of a tensor as a number: an integer has a symbol, which the
/// element defines; the symbol of a float or bool stands for a 0-d tensor.
LogicalResult GraphImporter::importItem(Scope &scope, const Node &node,
                                        Location location) {
  StringRef overload = node.target;
  overload.consume_front("torch.ops.aten.");
  Call call{overload.str(), location, {}, {}};
  if (failed(addArguments(scope, call, node, findOperatorSchema(overload))))
    return failure();
  const Argument &output = node.outputs.front();
  const Expression *expression = findExpression(scope, output);
  if (call.inputs.size() != 1 || !expression)
    return emitError(location) << "the value of '" << output.text
                               << "' is missing; the archive is damaged, "
                                  "export it again";
  Type element =
      cast<RankedTensorType>(call.inputs[0].getType()).getElementType();
  if (isa<FloatType>(element))
    element = builder.getF64Type();
  else if (!element.isInteger(1))
    element = builder.getI64Type();
  Value value = createCall(call, RankedTensorType::get({}, element)).front();
  if (output.kind == ArgumentKind::SymBool)
    return importTruth(*expression, value, location);
  if (output.kind != ArgumentKind::SymInt) {
    numbers[expression->str()] = value;
    return success();
  }
  return defineInteger(scope, output, value, location);
}

/// Calls without a result only check something: what they say of sizes becomes
/// a guard, what the types already say vanishes.
LogicalResult GraphImporter::importCheck(Scope &scope, const Node &node,
                                         Location location) {
  StringRef target = node.target;
  target.consume_front("torch.ops.");
  if (target.starts_with("aten._assert_tensor_metadata") ||
      target.starts_with("aten.sym_constrain_range") ||
      target.starts_with("aten._assert_async"))
    return success();
  if (!target.starts_with("aten._assert_scalar"))
    return emitError(location)
           << "'" << target << "' has no result and is not supported";
  const Argument *condition = findArgument(node, "self");
  if (!condition || condition->kind != ArgumentKind::SymBool)
    return success();
  auto found = scope.graph->symbolicValues.find(condition->text);
  if (found == scope.graph->symbolicValues.end())
    return success();
  SizeExpr expr = convertCondition(found->second, getContext());
  if (!expr || (expr.isConstant() && expr.getValue() >= 0))
    return success();
  // Where a view begins is known when it is made, and checked there.
  bool isKnown = true;
  expr.walkSymbols([&](StringRef name) {
    isKnown &= !isDataDependent(name) || knownSymbols.contains(name);
  });
  if (!isKnown)
    return success();
  int64_t maximum = INT64_MAX;
  if (found->second.kind == ExpressionKind::Equal) {
    // A difference of 0 reads better than a square that is not positive.
    expr = convertSize(found->second.operands[0], getContext())
               .sub(convertSize(found->second.operands[1], getContext()));
    maximum = 0;
  }
  GuardOp::create(builder, location, GuardKind::Scalar, ValueRange(),
                  IntegerAttr(), Attribute(), expr,
                  builder.getI64IntegerAttr(0),
                  builder.getI64IntegerAttr(maximum), IntegerAttr(),
                  builder.getStringAttr(found->second.str()));
  return success();
}

/// PyTorch's name of a memory format, or "".
static StringRef getMemoryFormatName(int64_t format) {
  static constexpr StringLiteral names[] = {"contiguous_format",
                                            "channels_last", "channels_last_3d",
                                            "preserve_format"};
  return format >= 1 && format <= 4 ? StringRef(names[format - 1])
                                    : StringRef();
}

FailureOr<Attribute> GraphImporter::convertList(Scope &scope, Call &call,
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

/// An argument that is a constant of Python's; null for another.
static Attribute convertConstant(Builder &builder, const Argument &argument,
                                 bool wantsReal) {
  switch (argument.kind) {
  case ArgumentKind::None:
    return builder.getUnitAttr();
  case ArgumentKind::Int:
    if (wantsReal)
      return builder.getF64FloatAttr(static_cast<double>(argument.integer));
    return builder.getI64IntegerAttr(argument.integer);
  case ArgumentKind::Float:
    return builder.getF64FloatAttr(argument.real);
  case ArgumentKind::Bool:
    return builder.getBoolAttr(argument.integer);
  case ArgumentKind::String:
    return builder.getStringAttr(argument.text);
  case ArgumentKind::Layout:
    return builder.getI64IntegerAttr(argument.integer);
  case ArgumentKind::Device:
    return builder.getStringAttr(
        argument.device.index ? argument.device.type + ":" +
                                    std::to_string(*argument.device.index)
                              : argument.device.type);
  default:
    return {};
  }
}

/// Whether an argument may be a number that is computed.
static bool takesNumber(const SchemaValue *schema) {
  return schema && (schema->type == "Scalar" || schema->type == "Tensor");
}

FailureOr<Attribute> GraphImporter::convertArgument(Scope &scope, Call &call,
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
  if (Attribute constant = convertConstant(builder, argument, wantsReal))
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
    if (expression && readsIntegers(*expression)) {
      Value number = makeInteger(*expression, call.location);
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
  case ArgumentKind::List:
    return convertList(scope, call, argument.elements, schema);
  case ArgumentKind::SymFloat:
  case ArgumentKind::SymBool: {
    const Expression *expression = findExpression(scope, argument);
    Value number =
        expression ? makeNumber(*expression, call.location) : Value();
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

/// Adds every argument of the overload: those the call gives, then defaults.
LogicalResult GraphImporter::addArguments(Scope &scope, Call &call,
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

ValueRange GraphImporter::createCall(Call &call, TypeRange resultTypes) {
  DenseI64ArrayAttr numbers;
  if (!call.numbers.empty())
    numbers = builder.getDenseI64ArrayAttr(call.numbers);
  auto op = AtenOp::create(builder, call.location, resultTypes,
                           builder.getStringAttr(getCallTarget(call.overload)),
                           call.inputs,
                           call.arguments.getDictionary(getContext()), numbers);
  for (Type type : resultTypes)
    for (StringAttr symbol : getDataDependentSymbols(type))
      knownSymbols.insert(symbol.getValue());
  return op.getResults();
}

LogicalResult GraphImporter::getResultTypes(Scope &scope, const Node &node,
                                            Location location,
                                            SmallVectorImpl<Type> &types) {
  for (StringRef name : getResultNames(node.outputs)) {
    auto meta = scope.graph->tensorValues.find(name);
    if (meta == scope.graph->tensorValues.end())
      return emitError(location)
             << "the type of value '" << name
             << "' is missing; the archive is damaged, export it again";
    RankedTensorType type = convertTensorType(meta->second, name, location);
    if (!type)
      return failure();
    types.push_back(type);
  }
  return success();
}

LogicalResult GraphImporter::importCall(Scope &scope, const Node &node,
                                        Location location) {
  StringRef overload = node.target;
  overload.consume_front("torch.ops.");
  bool isAten = overload.consume_front("aten.");
  const OperatorSchema *schema = findOperatorSchema(overload);
  if (!isAten && !schema) {
    return emitError(location)
           << "'" << overload
           << "' is no operator of ATen and is not supported; replace it, or "
              "decompose it with run_decompositions() before the export";
  }
  if (hasLevels(scope, node))
    return importBatched(scope, node, schema, overload, location);
  if (schema && schema->mutates())
    return importInPlace(scope, node, *schema, location);
  SmallVector<Type> types;
  Call call{overload.str(), location, {}, {}};
  if (failed(checkStrided(scope, node, overload, location)) ||
      failed(getResultTypes(scope, node, location, types)) ||
      failed(addArguments(scope, call, node, schema)))
    return failure();
  ValueRange results = createCall(call, types);
  for (auto [index, name] : llvm::enumerate(getResultNames(node.outputs))) {
    TensorEntry *entry = addTensor(results[index]);
    scope.tensors[name] = entry;
    TensorEntry *base =
        schema ? findBase(scope, node, *schema, index) : nullptr;
    if (!base)
      continue;
    entry->base = base;
    entry->storage = base->storage;
    entry->version = base->storage->version;
    entry->view = &node;
    entry->resultIndex = index;
  }
  return success();
}

} // namespace tc::pt2
