//===- ImportMutations.cpp - in-place calls as values ---------------------===//
//
// x.add_(y) gives the name x the value of add(x, y). A write through a view
// (x[1:3].add_(y)) is put back into what it is a view of (slice_scatter), up to
// the tensor that owns the memory. Other views of the memory are taken again
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

Value GraphImporter::createPlainCall(
    StringRef overload, ValueRange inputs,
    ArrayRef<std::pair<StringRef, Attribute>> arguments, Type resultType,
    Location location) {
  Call call{overload.str(), location, llvm::to_vector(inputs), {}};
  for (auto [name, attribute] : arguments)
    call.arguments.set(name, attribute);
  return createCall(call, resultType).front();
}

/// The sizes of a tensor as the argument of a view.
static ArrayAttr getSizesArgument(Type type, Builder &builder) {
  SmallVector<Attribute> sizes;
  for (SizeExpr size : getSizes(cast<RankedTensorType>(type))) {
    if (size.isConstant())
      sizes.push_back(builder.getI64IntegerAttr(size.getValue()));
    else
      sizes.push_back(size);
  }
  return builder.getArrayAttr(sizes);
}

/// The overload that made a view: "slice.Tensor".
static StringRef getViewOverload(const TensorEntry &entry) {
  StringRef target = entry.view->target;
  target.consume_front("torch.ops.aten.");
  return target;
}

Attribute GraphImporter::getViewArgument(const TensorEntry &entry,
                                         StringRef name, Location location) {
  const OperatorSchema *schema = findOperatorSchema(getViewOverload(entry));
  for (const SchemaValue &declared : schema->arguments) {
    if (declared.name != name)
      continue;
    const Argument *given = findArgument(*entry.view, name);
    if (!given && declared.defaultValue)
      given = &*declared.defaultValue;
    Call call{schema->name, location, {}, {}};
    FailureOr<Attribute> attribute = convertArgument(
        *scopeOfNode[entry.view], call, given ? *given : Argument(), &declared);
    return failed(attribute) ? Attribute() : *attribute;
  }
  return Attribute();
}

Value GraphImporter::scatterSlice(const TensorEntry &entry, Value base,
                                  Value value, Location location) {
  auto get = [&](StringRef name) {
    return getViewArgument(entry, name, location);
  };
  return createPlainCall("slice_scatter.default", {base, value},
                         {{"self", OperandAttr::get(getContext(), 0)},
                          {"src", OperandAttr::get(getContext(), 1)},
                          {"dim", get("dim")},
                          {"start", get("start")},
                          {"end", get("end")},
                          {"step", get("step")}},
                         base.getType(), location);
}

/// The permutation that undoes `dims`.
static ArrayAttr invertPermutation(ArrayAttr dims, Builder &builder) {
  int64_t rank = dims.size();
  SmallVector<Attribute> inverse(rank, builder.getI64IntegerAttr(0));
  for (auto [index, dim] : llvm::enumerate(dims))
    inverse[(cast<IntegerAttr>(dim).getInt() + rank) % rank] =
        builder.getI64IntegerAttr(index);
  return builder.getArrayAttr(inverse);
}

FailureOr<Value> GraphImporter::writeThroughView(TensorEntry *entry,
                                                 Value value,
                                                 Location location) {
  Value base = read(entry->base);
  Type type = base.getType();
  StringRef overload = getViewOverload(*entry);
  StringRef name = overload.split('.').first;
  Attribute self = OperandAttr::get(getContext(), 0);
  Attribute source = OperandAttr::get(getContext(), 1);
  auto get = [&](StringRef argument) {
    return getViewArgument(*entry, argument, location);
  };
  auto select = [&](Attribute index) {
    return createPlainCall("select_scatter.default", {base, value},
                           {{"self", self},
                            {"src", source},
                            {"dim", get("dim")},
                            {"index", index}},
                           type, location);
  };
  if (name == "alias" || name == "detach" || name == "lift_fresh" ||
      name == "contiguous" || name == "to")
    return value;
  if (name == "slice")
    return scatterSlice(*entry, base, value, location);
  if (name == "select")
    return select(get("index"));
  if (name == "unbind")
    return select(builder.getI64IntegerAttr(entry->resultIndex));
  if (name == "view" || name == "reshape" || name == "squeeze" ||
      name == "unsqueeze" || name == "flatten" || name == "unflatten" ||
      name == "_unsafe_view")
    return createPlainCall(
        "view.default", value,
        {{"self", self}, {"size", getSizesArgument(type, builder)}}, type,
        location);
  if (name == "t")
    return createPlainCall("t.default", value, {{"self", self}}, type,
                           location);
  if (name == "transpose")
    return createPlainCall(
        "transpose.int", value,
        {{"self", self}, {"dim0", get("dim0")}, {"dim1", get("dim1")}}, type,
        location);
  if (name == "permute")
    return createPlainCall(
        "permute.default", value,
        {{"self", self},
         {"dims", invertPermutation(cast<ArrayAttr>(get("dims")), builder)}},
        type, location);
  return emitError(location)
         << "writing through a view made by 'aten." << overload
         << "' is not supported; write to the whole tensor, or use "
            "run_decompositions() before the export";
}

/// Whether the elements lie in row-major order without gaps.
static bool isContiguous(const TensorMeta &meta, MLIRContext *context) {
  SizeExpr expected = SizeExpr::constant(context, 1);
  for (size_t i = meta.sizes.size(); i-- > 0;) {
    SizeExpr size = convertSize(meta.sizes[i], context);
    SizeExpr stride = convertSize(meta.strides[i], context);
    if (!size || !stride || (!size.isConstant(1) && stride != expected))
      return false;
    expected = expected.mul(size);
  }
  return true;
}

TensorEntry *GraphImporter::findBase(Scope &scope, const Node &node,
                                     const OperatorSchema &schema,
                                     Type resultType) {
  if (!schema.returnsView())
    return nullptr;
  for (const SchemaValue &declared : schema.arguments) {
    if (declared.aliasSet.empty() || declared.isList)
      continue;
    const Argument *argument = findArgument(node, declared.name);
    if (!argument || argument->kind != ArgumentKind::Tensor)
      return nullptr;
    TensorEntry *base = scope.tensors.lookup(argument->text);
    StringRef name = StringRef(schema.name).split('.').first;
    // What is laid out otherwise, or of another type, was copied.
    bool mayCopy =
        name == "contiguous" || name == "reshape" || name == "flatten";
    if (mayCopy && !isContiguous(scope.graph->tensorValues.at(argument->text),
                                 getContext()))
      return nullptr;
    if (base && name == "to" &&
        cast<RankedTensorType>(base->value.getType()).getElementType() !=
            cast<RankedTensorType>(resultType).getElementType())
      return nullptr;
    return base;
  }
  return nullptr;
}

} // namespace tc::pt2
