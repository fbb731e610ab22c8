//===- MutationImporter.cpp - In-place calls as values --------------------===//

#include "MutationImporter.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tc::pt2 {

/// In-place calls that change the size of a tensor or its memory, not its
/// elements, and have a functional form all the same.
static bool changesMetadata(StringRef overload) {
  return llvm::StringSwitch<bool>(overload.split('.').first)
      .Cases({"resize_", "resize_as_", "resize", "set_", "set", "rename_"},
             true)
      .Default(false);
}

/// The call with the argument names of the functional form, where the two
/// differ (dropout_ calls its input self), and without what is only written.
static Node makeFunctional(const Node &node, const OperatorSchema &mutating,
                           const OperatorSchema &functional) {
  Node result = node;
  result.inputs.clear();
  const SchemaValue *to = functional.arguments.data();
  for (const SchemaValue &from : mutating.arguments) {
    if (isOutArgument(from))
      continue;
    for (const NamedArgument &input : node.inputs)
      if (input.name == from.name)
        result.inputs.emplace_back(input).name = to->name;
    ++to;
  }
  return result;
}

/// The tensors that a call writes to, in the order of its arguments; empty
/// where one is not known.
static SmallVector<TensorEntry *> getMutated(Scope &scope, const Node &node,
                                             const OperatorSchema &schema) {
  SmallVector<TensorEntry *> entries;
  for (const SchemaValue &declared : schema.arguments) {
    if (!declared.isMutated)
      continue;
    const Argument *argument = findArgument(node, declared.name);
    TensorEntry *entry = argument && argument->kind == ArgumentKind::Tensor
                             ? scope.tensors.lookup(argument->text)
                             : nullptr;
    if (!entry)
      return {};
    entries.push_back(entry);
  }
  return entries;
}

LogicalResult MutationImporter::callFunctional(Scope &scope, const Node &node,
                                               const OperatorSchema &schema,
                                               const OperatorSchema &functional,
                                               ArrayRef<TensorEntry *> mutated,
                                               SmallVectorImpl<Value> &fresh,
                                               Location location) {
  SmallVector<Type> captured, types;
  if (failed(getResultTypes(scope, node, location, captured)))
    return failure();
  for (auto [type, declared] : llvm::zip(captured, schema.results))
    if (!declared.isMutated)
      types.push_back(type);
  for (TensorEntry *entry : mutated)
    types.push_back(calls.read(entry).getType());
  bool hasOut = llvm::any_of(schema.arguments, isOutArgument);
  for (auto [type, entry] : llvm::zip(captured, mutated))
    if (hasOut && type != entry->value.getType())
      return emitError(location)
             << "'aten." << schema.name << "' writes " << type
             << " to an 'out' of " << entry->value.getType()
             << "; give it one of the result's sizes";
  Call call{functional.name, location, {}, {}};
  if (failed(calls.addArguments(
          scope, call, makeFunctional(node, schema, functional), &functional)))
    return failure();
  ValueRange values = calls.createCall(call, types);
  llvm::append_range(fresh, values.drop_back(mutated.size()));
  for (auto [entry, value] :
       llvm::zip(mutated, values.take_back(mutated.size())))
    if (failed(views.write(entry, value, location)))
      return failure();
  return success();
}

LogicalResult MutationImporter::fillDiagonal(Scope &scope, const Node &node,
                                             TensorEntry *entry,
                                             Location location) {
  Value x = calls.read(entry);
  auto type = cast<RankedTensorType>(x.getType());
  const Argument *wrap = findArgument(node, "wrap");
  if (type.getRank() != 2 || (wrap && wrap->integer))
    return emitError(location)
           << "'aten.fill_diagonal_' of a tensor of rank " << type.getRank()
           << (wrap && wrap->integer ? " with wrap=True" : "")
           << " is not supported; expected a matrix";
  auto size = [&](unsigned dim) -> Attribute {
    SizeExpr expr = getSizes(type)[dim];
    return expr.isConstant()
               ? Attribute(builder.getI64IntegerAttr(expr.getValue()))
               : Attribute(expr);
  };
  Value mask =
      calls.createPlainCall("eye.m", {}, {{"n", size(0)}, {"m", size(1)}},
                            type.clone(builder.getI1Type()), location);
  Call fill{"masked_fill.Scalar", location, {x, mask}, {}};
  FailureOr<Attribute> value = calls.convertArgument(
      scope, fill, *findArgument(node, "fill_value"),
      &findOperatorSchema("fill_diagonal_.default")->arguments[1]);
  if (failed(value))
    return failure();
  fill.arguments.set("self", OperandAttr::get(calls.getContext(), 0));
  fill.arguments.set("mask", OperandAttr::get(calls.getContext(), 1));
  fill.arguments.set("value", *value);
  return views.write(entry, calls.createCall(fill, type).front(), location);
}

LogicalResult MutationImporter::import(Scope &scope, const Node &node,
                                       const OperatorSchema &schema,
                                       Location location) {
  StringRef overload = schema.name;
  StringRef name = overload.split('.').first;
  SmallVector<TensorEntry *> mutated = getMutated(scope, node, schema);
  bool isIdentity = name == "detach_" || name == "requires_grad_";
  bool isDiagonal = name == "fill_diagonal_";
  const OperatorSchema *functional = findFunctionalTwin(schema);
  if (mutated.empty() || changesMetadata(overload) ||
      (!isIdentity && !isDiagonal && !functional))
    return emitError(location)
           << "in-place call 'aten." << overload
           << "' is not supported; write it out of place, or use "
              "run_decompositions() before the export";
  SmallVector<StringRef> names = getResultNames(node.outputs);
  SmallVector<Value> fresh;
  if (isDiagonal &&
      failed(fillDiagonal(scope, node, mutated.front(), location)))
    return failure();
  if (!isIdentity && !isDiagonal &&
      failed(callFunctional(scope, node, schema, *functional, mutated, fresh,
                            location)))
    return failure();
  auto value = fresh.begin();
  for (auto [result, declared] : llvm::zip(names, schema.results)) {
    if (!declared.isMutated) {
      scope.tensors[result] = tensors.add(*value++);
      continue;
    }
    auto argument = llvm::find_if(schema.arguments, [&](const SchemaValue &a) {
      return a.isMutated && a.aliasSet == declared.aliasSet;
    });
    size_t index = std::count_if(
        schema.arguments.begin(), argument,
        [](const SchemaValue &earlier) { return earlier.isMutated; });
    scope.tensors[result] = mutated[std::min(index, mutated.size() - 1)];
  }
  return success();
}

} // namespace tc::pt2
