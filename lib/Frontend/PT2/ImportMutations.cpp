//===- ImportMutations.cpp - in-place calls as values ---------------------===//
//
// x.add_(y) gives the name x the value of add(x, y). A write through a view
// (x[1:3].add_(y)) is put back into what it is a view of (ImportViews.cpp), up
// to the tensor that owns the memory. Other views of the memory are taken again
// when they are next read.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tc::pt2 {

/// "add_.Tensor" -> "add.Tensor"; empty when there is no functional form.
static std::string getFunctionalOverload(StringRef overload) {
  auto [name, variant] = overload.split('.');
  if (name == "normal_")
    return "normal_functional.default";
  if (!name.consume_back("_"))
    return "";
  std::string functional = (name + "." + variant).str();
  return findOperatorSchema(functional) ? functional : "";
}

/// In-place calls that change the shape of a tensor, not its elements.
static bool changesMetadata(StringRef overload) {
  return llvm::StringSwitch<bool>(overload.split('.').first)
      .Cases({"t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_"}, true)
      .Cases({"swapdims_", "as_strided_", "resize_", "resize_as_"}, true)
      .Cases({"set_", "rename_", "resize"}, true)
      .Default(false);
}

/// The call with the argument names of the functional form, where the two
/// differ (dropout_ calls its input self).
static Node renameArguments(const Node &node, const OperatorSchema &inPlace,
                            const OperatorSchema &functional) {
  Node renamed = node;
  for (NamedArgument &input : renamed.inputs)
    for (auto [from, to] : llvm::zip(inPlace.arguments, functional.arguments))
      if (input.name == from.name) {
        input.name = to.name;
        break;
      }
  return renamed;
}

LogicalResult GraphImporter::importInPlace(Scope &scope, const Node &node,
                                           const OperatorSchema &schema,
                                           Location location) {
  StringRef overload = schema.name;
  StringRef name = overload.split('.').first;
  const SchemaValue &self = schema.arguments.front();
  const Argument *argument = findArgument(node, self.name);
  TensorEntry *entry = argument && argument->kind == ArgumentKind::Tensor
                           ? scope.tensors.lookup(argument->text)
                           : nullptr;
  bool mutatesSelfAlone =
      self.isMutated && llvm::count_if(schema.arguments, [](auto &value) {
                          return value.isMutated;
                        }) == 1;
  bool isIdentity = name == "detach_" || name == "requires_grad_";
  std::string functional = getFunctionalOverload(overload);
  if (!entry || !mutatesSelfAlone || changesMetadata(overload) ||
      (!isIdentity && functional.empty()))
    return emitError(location)
           << "in-place call 'aten." << overload
           << "' is not supported; write it out of place, or use "
              "run_decompositions() before the export";
  Value value = read(entry);
  if (!isIdentity) {
    Call call{functional, location, {}, {}};
    const OperatorSchema *target = findOperatorSchema(functional);
    if (failed(addArguments(scope, call, renameArguments(node, schema, *target),
                            target)))
      return failure();
    value = createCall(call, value.getType()).front();
    if (failed(write(entry, value, location)))
      return failure();
  }
  for (StringRef result : getResultNames(node.outputs))
    scope.tensors[result] = entry;
  return success();
}

Value GraphImporter::read(TensorEntry *entry) {
  if (!entry->base || entry->version == entry->storage->version)
    return entry->value;
  // Take the view again from the new value of its base.
  const Node &node = *entry->view;
  Scope &scope = *scopeOfNode[&node];
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

LogicalResult GraphImporter::write(TensorEntry *entry, Value value,
                                   Location location) {
  if (entry->base) {
    FailureOr<Value> base = writeThroughView(entry, value, location);
    if (failed(base) || failed(write(entry->base, *base, location)))
      return failure();
  } else {
    ++entry->storage->version;
  }
  entry->value = value;
  entry->version = entry->storage->version;
  return success();
}

} // namespace tc::pt2
