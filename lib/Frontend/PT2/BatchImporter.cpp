//===- BatchImporter.cpp - Calls under torch.vmap -------------------------===//

#include "BatchImporter.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

static Sizes sizesOf(Value value) {
  return getSizes(cast<RankedTensorType>(value.getType()));
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// Integers or sizes as the argument of a call.
static ArrayAttr getListArgument(ArrayRef<SizeExpr> sizes, Builder &builder) {
  SmallVector<Attribute> list;
  for (SizeExpr size : sizes)
    list.push_back(size.isConstant()
                       ? Attribute(builder.getI64IntegerAttr(size.getValue()))
                       : Attribute(size));
  return builder.getArrayAttr(list);
}

Value BatchImporter::viewAs(Value value, ArrayRef<SizeExpr> sizes,
                            Location location) {
  if (ArrayRef<SizeExpr>(sizesOf(value)) == sizes)
    return value;
  return calls.createPlainCall(
      "view.default", value,
      {{"self", OperandAttr::get(calls.getContext(), 0)},
       {"size", getListArgument(sizes, builder)}},
      getTensorType(sizes, elementOf(value)), location);
}

Value BatchImporter::permute(Value value, ArrayRef<int64_t> order,
                             Location location) {
  Sizes from = sizesOf(value), to;
  for (int64_t dim : order)
    to.push_back(from[dim]);
  return calls.createPlainCall(
      "permute.default", value,
      {{"self", OperandAttr::get(calls.getContext(), 0)},
       {"dims", builder.getI64ArrayAttr(order)}},
      getTensorType(to, elementOf(value)), location);
}

Value BatchImporter::expandTo(Value value, ArrayRef<SizeExpr> sizes,
                              Location location) {
  return calls.createPlainCall(
      "expand.default", value,
      {{"self", OperandAttr::get(calls.getContext(), 0)},
       {"size", getListArgument(sizes, builder)},
       {"implicit", builder.getBoolAttr(false)}},
      getTensorType(sizes, elementOf(value)), location);
}

/// The tensors among arguments, elements of lists too.
static void getTensorNames(const Argument &argument,
                           SmallVectorImpl<StringRef> &names) {
  if (argument.kind == ArgumentKind::Tensor)
    names.push_back(argument.text);
  for (const Argument &element : argument.elements)
    getTensorNames(element, names);
}

static SmallVector<TensorEntry *> getOperands(Scope &scope, const Node &node) {
  SmallVector<StringRef> names;
  for (const NamedArgument &input : node.inputs)
    getTensorNames(input.value, names);
  SmallVector<TensorEntry *> entries;
  for (StringRef name : names)
    if (TensorEntry *entry = scope.tensors.lookup(name))
      entries.push_back(entry);
  return entries;
}

bool BatchImporter::hasLevels(Scope &scope, const Node &node) {
  return llvm::any_of(getOperands(scope, node), [](TensorEntry *entry) {
    return !entry->levels.empty();
  });
}

void BatchImporter::addBatched(Scope &scope, StringRef name, Value value,
                               ArrayRef<int64_t> levels) {
  TensorEntry *entry = tensors.add(value);
  entry->levels.assign(levels.begin(), levels.end());
  scope.tensors[name] = entry;
}

/// The order of dimensions with the one at `from` moved to `to`.
static SmallVector<int64_t> moveDim(int64_t rank, int64_t from, int64_t to) {
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != from)
      order.push_back(dim);
  order.insert(order.begin() + to, from);
  return order;
}

LogicalResult BatchImporter::importLevel(Scope &scope, const Node &node,
                                         Location location) {
  StringRef name = node.target;
  name.consume_front("torch._functorch.predispatch.");
  if (name == "lazy_load_decompositions" || name.ends_with("crement_nesting"))
    return success(); // each tensor with the level says its size
  bool adds = name == "_add_batch_dim", removes = name == "_remove_batch_dim";
  SmallVector<TensorEntry *> operands = getOperands(scope, node);
  SmallVector<StringRef> results = getResultNames(node.outputs);
  if ((!adds && !removes) || operands.size() != 1 || results.size() != 1 ||
      node.inputs.size() < 3)
    return emitError(location) << "'" << name
                               << "' of torch.vmap is not supported; write the "
                                  "batch as a dimension";
  TensorEntry *entry = operands.front();
  Value value = calls.read(entry);
  SmallVector<int64_t> levels = entry->levels;
  int64_t rank = sizesOf(value).size(), count = levels.size();
  if (adds) {
    int64_t dim = node.inputs[1].value.integer;
    dim += dim < 0 ? rank : count;
    value = permute(value, moveDim(rank, dim, count), location);
    levels.push_back(node.inputs[2].value.integer);
    addBatched(scope, results.front(), value, levels);
    return success();
  }
  int64_t level = node.inputs[1].value.integer,
          dim = node.inputs.size() > 3 ? node.inputs[3].value.integer : 0;
  auto found = llvm::find(levels, level);
  if (found == levels.end()) { // the same for the whole batch
    SizeExpr size = calls.getSize(scope, node.inputs[2].value);
    Sizes single = sizesOf(value);
    dim += dim < 0 ? rank + 1 : count;
    single.insert(single.begin() + dim,
                  SizeExpr::constant(calls.getContext(), 1));
    Sizes sizes = single;
    sizes[dim] = size;
    value = expandTo(viewAs(value, single, location), sizes, location);
  } else {
    int64_t from = found - levels.begin();
    levels.erase(found);
    dim += dim < 0 ? rank : count - 1;
    value = permute(value, moveDim(rank, from, dim), location);
  }
  addBatched(scope, results.front(), value, levels);
  return success();
}

namespace {
/// All levels of the operands of a call, and their sizes.
struct Levels {
  SmallVector<int64_t> numbers;
  Sizes sizes;

  void add(TensorEntry *entry, Value value) {
    for (auto [dim, level] : llvm::enumerate(entry->levels)) {
      auto place = llvm::lower_bound(numbers, level);
      if (place != numbers.end() && *place == level)
        continue;
      sizes.insert(sizes.begin() + (place - numbers.begin()),
                   tc::pt2::sizesOf(value)[dim]);
      numbers.insert(place, level);
    }
  }

  /// The sizes of a value with one dimension for each level, and `rank` others.
  Sizes align(TensorEntry *entry, Value value, int64_t rank) const {
    SizeExpr one = SizeExpr::constant(value.getContext(), 1);
    Sizes own = tc::pt2::sizesOf(value), aligned;
    for (int64_t level : numbers) {
      auto found = llvm::find(entry->levels, level);
      aligned.push_back(found == entry->levels.end()
                            ? one
                            : own[found - entry->levels.begin()]);
    }
    int64_t logical = own.size() - entry->levels.size();
    aligned.append(std::max<int64_t>(rank - logical, 0), one);
    aligned.append(own.begin() + entry->levels.size(), own.end());
    return aligned;
  }
};
} // namespace

LogicalResult BatchImporter::importCall(Scope &scope, const Node &node,
                                        const OperatorSchema *schema,
                                        StringRef overload, Location location) {
  SmallVector<Type> types;
  if (failed(getResultTypes(scope, node, location, types)))
    return failure();
  bool makesNew = overload.starts_with("new_");
  bool isIndex = overload == "index.Tensor",
       isExpand = overload == "expand.default";
  SmallVector<TensorEntry *> operands = getOperands(scope, node);
  bool readsPlain = isIndex && operands.front()->levels.empty() &&
                    llvm::none_of(findArgument(node, "indices")->elements,
                                  [](const Argument &index) {
                                    return index.kind != ArgumentKind::Tensor;
                                  });
  if (!schema || schema->mutates() || types.size() != 1 ||
      !(schema->isElementwise || makesNew || readsPlain || isExpand))
    return emitError(location)
           << "'aten." << overload
           << "' inside of torch.vmap is not supported; write the batch as a "
              "dimension";
  auto type = cast<RankedTensorType>(types.front());
  Levels levels;
  for (TensorEntry *entry : operands)
    levels.add(entry, calls.read(entry));
  // Operands with aligned dimensions replace those of the call meanwhile.
  int64_t rank = type.getRank();
  if (isIndex) {
    rank = 0;
    for (TensorEntry *entry : ArrayRef<TensorEntry *>(operands).drop_front())
      rank = std::max<int64_t>(rank, sizesOf(entry->value).size() -
                                         entry->levels.size());
  }
  Scope aligned{scope.graph, {}};
  SmallVector<StringRef> names;
  for (const NamedArgument &input : node.inputs)
    getTensorNames(input.value, names);
  for (auto [index, name] : llvm::enumerate(names)) {
    TensorEntry *entry = operands[index];
    bool isKept = makesNew || (isIndex && index == 0);
    Value value = calls.read(entry);
    aligned.tensors[name] = tensors.add(
        isKept ? value
               : viewAs(value, levels.align(entry, value, rank), location));
  }
  Call call{overload.str(), location, {}, {}};
  if (failed(calls.addArguments(aligned, call, node, schema)))
    return failure();
  Sizes sizes = makesNew ? Sizes() : levels.sizes;
  sizes.append(getSizes(type));
  if (isExpand)
    call.arguments.set("size", getListArgument(sizes, builder));
  Value result =
      calls.createCall(call, getTensorType(sizes, type.getElementType()))
          .front();
  addBatched(scope, getResultNames(node.outputs).front(), result,
             makesNew ? ArrayRef<int64_t>()
                      : ArrayRef<int64_t>(levels.numbers));
  return success();
}

} // namespace tc::pt2
