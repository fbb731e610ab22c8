//===- ImportViews.cpp - views and writes through them --------------------===//
//
// Which results of a call are views of its inputs, by the schema and by the
// strides that the export recorded, and how a write through a view is put back
// into what it is a view of: x[1:3].add_(y) is a slice_scatter into x.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tc::pt2 {

Value GraphImporter::createPlainCall(
    StringRef overload, ValueRange inputs,
    ArrayRef<std::pair<StringRef, Attribute>> arguments, Type resultType,
    Location location) {
  Call call{overload.str(), location, llvm::to_vector(inputs), {}};
  for (auto [name, attribute] : arguments)
    call.arguments.set(name, attribute);
  return createCall(call, resultType).front();
}

/// A size as the argument of a call.
static Attribute getSizeArgument(SizeExpr size, Builder &builder) {
  if (size.isConstant())
    return builder.getI64IntegerAttr(size.getValue());
  return size;
}

/// The sizes of a tensor as the argument of a view.
static ArrayAttr getSizesArgument(Type type, Builder &builder) {
  SmallVector<Attribute> sizes;
  for (SizeExpr size : getSizes(cast<RankedTensorType>(type)))
    sizes.push_back(getSizeArgument(size, builder));
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

Value GraphImporter::scatterSlice(Value base, Value value, Attribute dim,
                                  Attribute start, Attribute end,
                                  Attribute step, Location location) {
  return createPlainCall("slice_scatter.default", {base, value},
                         {{"self", OperandAttr::get(getContext(), 0)},
                          {"src", OperandAttr::get(getContext(), 1)},
                          {"dim", dim},
                          {"start", start},
                          {"end", end},
                          {"step", step}},
                         base.getType(), location);
}

Value GraphImporter::scatterPart(const TensorEntry &entry, Value base,
                                 Value value, Location location) {
  auto dim = cast<IntegerAttr>(getViewArgument(entry, "dim", location));
  int64_t rank = cast<RankedTensorType>(base.getType()).getRank();
  int64_t axis = (dim.getInt() + rank) % rank;
  SizeExpr start = SizeExpr::constant(getContext(), 0);
  if (Attribute given = getViewArgument(entry, "start", location)) {
    auto number = dyn_cast<IntegerAttr>(given);
    start = number ? SizeExpr::constant(getContext(), number.getInt())
                   : cast<SizeExpr>(given);
    if (number && number.getInt() < 0)
      start = start.add(getSizes(cast<RankedTensorType>(base.getType()))[axis]);
  }
  const Graph &graph = *scopeOfNode[entry.view]->graph;
  SmallVector<StringRef> parts = getResultNames(entry.view->outputs);
  for (StringRef before : ArrayRef(parts).take_front(entry.resultIndex))
    start = start.add(
        convertSize(graph.tensorValues.at(before).sizes[axis], getContext()));
  SizeExpr end =
      start.add(getSizes(cast<RankedTensorType>(value.getType()))[axis]);
  return scatterSlice(base, value, dim, getSizeArgument(start, builder),
                      getSizeArgument(end, builder),
                      builder.getI64IntegerAttr(1), location);
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

namespace {
/// How a write to a view is put back into its base.
enum class ViewKind {
  Same,    ///< the same elements in the same places
  Reshape, ///< the same elements in row-major order
  Slice,
  Narrow,
  Part, ///< one of several parts along a dimension
  Select,
  Unbind,
  TransposeLastTwo, ///< the two last dimensions exchanged
  Transpose,
  Swap,
  Move,
  Permute,
  Diagonal,
  Other ///< not supported
};
} // namespace

static ViewKind getViewKind(StringRef name) {
  return llvm::StringSwitch<ViewKind>(name)
      .Cases({"alias", "detach", "lift_fresh", "contiguous", "to"},
             ViewKind::Same)
      .Cases({"dropout", "feature_dropout", "alpha_dropout",
              "feature_alpha_dropout", "positive", "resolve_conj",
              "resolve_neg"},
             ViewKind::Same)
      .Cases({"view", "reshape", "squeeze", "unsqueeze", "flatten", "unflatten",
              "_unsafe_view", "view_as", "reshape_as", "ravel"},
             ViewKind::Reshape)
      .Case("slice", ViewKind::Slice)
      .Case("narrow", ViewKind::Narrow)
      .Cases({"chunk", "split", "split_with_sizes", "tensor_split"},
             ViewKind::Part)
      .Case("select", ViewKind::Select)
      .Case("unbind", ViewKind::Unbind)
      .Cases({"t", "mT", "numpy_T", "adjoint"}, ViewKind::TransposeLastTwo)
      .Case("transpose", ViewKind::Transpose)
      .Cases({"swapaxes", "swapdims"}, ViewKind::Swap)
      .Case("movedim", ViewKind::Move)
      .Case("permute", ViewKind::Permute)
      .Case("diagonal", ViewKind::Diagonal)
      .Default(ViewKind::Other);
}

Value GraphImporter::turnBack(const TensorEntry &entry, Value value, Type type,
                              Location location) {
  Attribute self = OperandAttr::get(getContext(), 0);
  StringRef overload = getViewOverload(entry);
  StringRef name = overload.split('.').first;
  auto get = [&](StringRef argument) {
    return getViewArgument(entry, argument, location);
  };
  switch (getViewKind(name)) {
  case ViewKind::Transpose:
    return createPlainCall(
        "transpose.int", value,
        {{"self", self}, {"dim0", get("dim0")}, {"dim1", get("dim1")}}, type,
        location);
  case ViewKind::Swap: {
    StringRef axis = name == "swapaxes" ? "axis" : "dim";
    return createPlainCall("transpose.int", value,
                           {{"self", self},
                            {"dim0", get((axis + "0").str())},
                            {"dim1", get((axis + "1").str())}},
                           type, location);
  }
  case ViewKind::Move:
    return createPlainCall(overload, value,
                           {{"self", self},
                            {"source", get("destination")},
                            {"destination", get("source")}},
                           type, location);
  case ViewKind::Permute:
    return createPlainCall(
        "permute.default", value,
        {{"self", self},
         {"dims", invertPermutation(cast<ArrayAttr>(get("dims")), builder)}},
        type, location);
  default:
    return createPlainCall(overload, value, {{"self", self}}, type, location);
  }
}

FailureOr<Value> GraphImporter::writeThroughView(TensorEntry *entry,
                                                 Value value,
                                                 Location location) {
  Value base = read(entry->base);
  Type type = base.getType();
  StringRef overload = getViewOverload(*entry);
  Attribute self = OperandAttr::get(getContext(), 0);
  auto get = [&](StringRef argument) {
    return getViewArgument(*entry, argument, location);
  };
  auto select = [&](Attribute dim, Attribute index) {
    return createPlainCall(
        "select_scatter.default", {base, value},
        {{"self", self},
         {"src", Attribute(OperandAttr::get(getContext(), 1))},
         {"dim", dim},
         {"index", index}},
        type, location);
  };
  switch (getViewKind(overload.split('.').first)) {
  case ViewKind::Same:
    return value;
  case ViewKind::Reshape:
    return createPlainCall(
        "view.default", value,
        {{"self", self}, {"size", getSizesArgument(type, builder)}}, type,
        location);
  case ViewKind::Slice:
    return scatterSlice(base, value, get("dim"), get("start"), get("end"),
                        get("step"), location);
  case ViewKind::Narrow:
  case ViewKind::Part:
    return scatterPart(*entry, base, value, location);
  case ViewKind::Select:
    return select(get("dim"), get("index"));
  case ViewKind::Unbind:
    return select(get("dim"), builder.getI64IntegerAttr(entry->resultIndex));
  case ViewKind::TransposeLastTwo:
  case ViewKind::Transpose:
  case ViewKind::Swap:
  case ViewKind::Move:
  case ViewKind::Permute:
    return turnBack(*entry, value, type, location);
  case ViewKind::Diagonal:
    return createPlainCall(
        "diagonal_scatter.default", {base, value},
        {{"self", self},
         {"src", Attribute(OperandAttr::get(getContext(), 1))},
         {"offset", get("offset")},
         {"dim1", get("dim1")},
         {"dim2", get("dim2")}},
        type, location);
  case ViewKind::Other:
    break;
  }
  return emitError(location)
         << "writing through a view made by 'aten." << overload
         << "' is not supported; write to the whole tensor, or use "
            "run_decompositions() before the export";
}

/// Sizes or strides as expressions; null for those that are no integers.
static SmallVector<SizeExpr> convertSizes(ArrayRef<Expression> sizes,
                                          MLIRContext *context) {
  return llvm::map_to_vector(sizes, [&](const Expression &size) {
    return convertSize(size, context);
  });
}

/// Whether the elements are in row-major order without gaps.
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

LogicalResult GraphImporter::checkStrided(Scope &scope, const Node &node,
                                          StringRef overload,
                                          Location location) {
  if (!overload.starts_with("as_strided"))
    return success();
  const Argument *self = findArgument(node, "self"),
                 *offset = findArgument(node, "storage_offset");
  auto meta = scope.graph->tensorValues.find(self ? self->text : "");
  if (meta != scope.graph->tensorValues.end() &&
      isContiguous(meta->second, getContext())) {
    SizeExpr start = convertSize(meta->second.storageOffset, getContext());
    bool isRelative = !offset || offset->kind == ArgumentKind::None;
    if (isRelative || (start && start.isConstant(0)))
      return success();
  }
  return emitError(location)
         << "'aten." << overload
         << "' of a tensor that is not laid out in row-major order from the "
            "start of its memory is not supported; make it contiguous()";
}

/// Whether two tensors of the same sizes have their elements in the same
/// places of their memory.
static bool haveSameStrides(const TensorMeta &one, const TensorMeta &other,
                            MLIRContext *context) {
  return llvm::all_of_zip(
      one.sizes, convertSizes(one.strides, context),
      convertSizes(other.strides, context),
      [&](const Expression &size, SizeExpr first, SizeExpr second) {
        SizeExpr count = convertSize(size, context);
        return (count && count.isConstant(1)) || (first && first == second);
      });
}

/// Whether a tensor takes other sizes without a copy. The rule is
/// computeStride in ATen/TensorUtils.cpp: dimensions whose strides nest are
/// taken together, and each such group must be one of the result's.
static bool canReshapeInPlace(const TensorMeta &from, const TensorMeta &to,
                              MLIRContext *context) {
  SmallVector<SizeExpr> sizes = convertSizes(from.sizes, context);
  SmallVector<SizeExpr> strides = convertSizes(from.strides, context);
  SmallVector<SizeExpr> results = convertSizes(to.sizes, context);
  if (!llvm::all_of(sizes, [](SizeExpr size) { return bool(size); }) ||
      !llvm::all_of(strides, [](SizeExpr size) { return bool(size); }) ||
      !llvm::all_of(results, [](SizeExpr size) { return bool(size); }))
    return false;
  size_t left = results.size();
  SizeExpr one = SizeExpr::constant(context, 1);
  SizeExpr elements = one, innerStride = one;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (elements == one)
      innerStride = strides[dim];
    elements = elements.mul(sizes[dim]);
    bool isGroupEnd =
        dim == 0 || (!sizes[dim - 1].isConstant(1) &&
                     strides[dim - 1] != elements.mul(innerStride));
    if (!isGroupEnd)
      continue;
    SizeExpr found = one;
    while (left > 0 && (found != elements || results[left - 1].isConstant(1)))
      found = found.mul(results[--left]);
    if (found != elements)
      return false;
    elements = one;
  }
  return llvm::all_of(ArrayRef(results).take_front(left),
                      [](SizeExpr size) { return size.isConstant(1); });
}

/// Dropout that drops nothing returns its input, which its schema does not say.
static bool isIdleDropout(const Node &node, StringRef name) {
  if (!name.ends_with("dropout") || name.starts_with("native"))
    return false;
  const Argument *train = findArgument(node, "train");
  const Argument *probability = findArgument(node, "p");
  return (train && train->kind == ArgumentKind::Bool && !train->integer) ||
         (probability && probability->kind == ArgumentKind::Float &&
          probability->real == 0.0);
}

/// Whether a call that may copy its input does, `from` the input and `to` the
/// result.
static bool copies(const Node &node, StringRef name, const TensorMeta &from,
                   const TensorMeta &to, MLIRContext *context) {
  if (name == "reshape" || name == "reshape_as" || name == "flatten")
    return !canReshapeInPlace(from, to, context);
  if (name == "ravel")
    return !isContiguous(from, context);
  if (name == "contiguous")
    return !haveSameStrides(from, to, context);
  if (name != "to")
    return false;
  const Argument *copy = findArgument(node, "copy");
  return (copy && copy->integer) || from.dtype != to.dtype ||
         !haveSameStrides(from, to, context);
}

TensorEntry *GraphImporter::findBase(Scope &scope, const Node &node,
                                     const OperatorSchema &schema,
                                     unsigned resultIndex) {
  StringRef name = StringRef(schema.name).split('.').first;
  const llvm::StringMap<TensorMeta> &metas = scope.graph->tensorValues;
  if (name == "meshgrid") { // each result is an expanded input
    const Argument *list = findArgument(node, "tensors");
    return list ? scope.tensors.lookup(list->elements[resultIndex].text)
                : nullptr;
  }
  bool isIdentity = isIdleDropout(node, name);
  if (!isIdentity && !schema.returnsView())
    return nullptr;
  for (const SchemaValue &declared : schema.arguments) {
    if ((declared.aliasSet.empty() && !isIdentity) || declared.isList)
      continue;
    const Argument *argument = findArgument(node, declared.name);
    if (!argument || argument->kind != ArgumentKind::Tensor)
      return nullptr;
    StringRef result = getResultNames(node.outputs)[resultIndex];
    auto from = metas.find(argument->text), to = metas.find(result);
    if (from == metas.end() || to == metas.end() ||
        copies(node, name, from->second, to->second, getContext()))
      return nullptr;
    return scope.tensors.lookup(argument->text);
  }
  return nullptr;
}

} // namespace tc::pt2
