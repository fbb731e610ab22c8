//===- ViewWriter.cpp - Writes to tensors and through views ---------------===//

#include "ViewWriter.h"

#include "ImportTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tc::pt2 {

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

Attribute ViewWriter::getViewArgument(const TensorEntry &entry, StringRef name,
                                      Location location) {
  const OperatorSchema *schema = findOperatorSchema(getViewOverload(entry));
  for (const SchemaValue &declared : schema->arguments) {
    if (declared.name != name)
      continue;
    const Argument *given = findArgument(*entry.view, name);
    if (!given && declared.defaultValue)
      given = &*declared.defaultValue;
    Call call{schema->name, location, {}, {}};
    FailureOr<Attribute> attribute =
        calls.convertArgument(tensors.getScope(*entry.view), call,
                              given ? *given : Argument(), &declared);
    return failed(attribute) ? Attribute() : *attribute;
  }
  return Attribute();
}

Value ViewWriter::scatterSlice(Value base, Value value, Attribute dim,
                               Attribute start, Attribute end, Attribute step,
                               Location location) {
  return calls.createPlainCall(
      "slice_scatter.default", {base, value},
      {{"self", OperandAttr::get(calls.getContext(), 0)},
       {"src", OperandAttr::get(calls.getContext(), 1)},
       {"dim", dim},
       {"start", start},
       {"end", end},
       {"step", step}},
      base.getType(), location);
}

Value ViewWriter::scatterPart(const TensorEntry &entry, Value base, Value value,
                              Location location) {
  auto dim = cast<IntegerAttr>(getViewArgument(entry, "dim", location));
  int64_t rank = cast<RankedTensorType>(base.getType()).getRank();
  int64_t axis = (dim.getInt() + rank) % rank;
  SizeExpr start = SizeExpr::constant(calls.getContext(), 0);
  if (Attribute given = getViewArgument(entry, "start", location)) {
    auto number = dyn_cast<IntegerAttr>(given);
    start = number ? SizeExpr::constant(calls.getContext(), number.getInt())
                   : cast<SizeExpr>(given);
    if (number && number.getInt() < 0)
      start = start.add(getSizes(cast<RankedTensorType>(base.getType()))[axis]);
  }
  const Graph &graph = *tensors.getScope(*entry.view).graph;
  SmallVector<StringRef> parts = getResultNames(entry.view->outputs);
  for (StringRef before : ArrayRef(parts).take_front(entry.resultIndex))
    start = start.add(convertSize(graph.tensorValues.at(before).sizes[axis],
                                  calls.getContext()));
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

Value ViewWriter::transposeBack(const TensorEntry &entry, Value value,
                                Type type, Location location) {
  Attribute self = OperandAttr::get(calls.getContext(), 0);
  StringRef overload = getViewOverload(entry);
  StringRef name = overload.split('.').first;
  auto get = [&](StringRef argument) {
    return getViewArgument(entry, argument, location);
  };
  switch (getViewKind(name)) {
  case ViewKind::Transpose:
    return calls.createPlainCall(
        "transpose.int", value,
        {{"self", self}, {"dim0", get("dim0")}, {"dim1", get("dim1")}}, type,
        location);
  case ViewKind::Swap: {
    StringRef axis = name == "swapaxes" ? "axis" : "dim";
    return calls.createPlainCall("transpose.int", value,
                                 {{"self", self},
                                  {"dim0", get((axis + "0").str())},
                                  {"dim1", get((axis + "1").str())}},
                                 type, location);
  }
  case ViewKind::Move:
    return calls.createPlainCall(overload, value,
                                 {{"self", self},
                                  {"source", get("destination")},
                                  {"destination", get("source")}},
                                 type, location);
  case ViewKind::Permute:
    return calls.createPlainCall(
        "permute.default", value,
        {{"self", self},
         {"dims", invertPermutation(cast<ArrayAttr>(get("dims")), builder)}},
        type, location);
  default:
    return calls.createPlainCall(overload, value, {{"self", self}}, type,
                                 location);
  }
}

FailureOr<Value> ViewWriter::writeThroughView(TensorEntry *entry, Value value,
                                              Location location) {
  Value base = calls.read(entry->base);
  Type type = base.getType();
  StringRef overload = getViewOverload(*entry);
  Attribute self = OperandAttr::get(calls.getContext(), 0);
  auto get = [&](StringRef argument) {
    return getViewArgument(*entry, argument, location);
  };
  auto select = [&](Attribute dim, Attribute index) {
    return calls.createPlainCall(
        "select_scatter.default", {base, value},
        {{"self", self},
         {"src", Attribute(OperandAttr::get(calls.getContext(), 1))},
         {"dim", dim},
         {"index", index}},
        type, location);
  };
  switch (getViewKind(overload.split('.').first)) {
  case ViewKind::Same:
    return value;
  case ViewKind::Reshape:
    return calls.createPlainCall(
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
    return transposeBack(*entry, value, type, location);
  case ViewKind::Diagonal:
    return calls.createPlainCall(
        "diagonal_scatter.default", {base, value},
        {{"self", self},
         {"src", Attribute(OperandAttr::get(calls.getContext(), 1))},
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

LogicalResult ViewWriter::write(TensorEntry *entry, Value value,
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
