//===- Scatters.cpp - writing by index, slice and mask --------------------===//

#include "AtenTable.h"
#include "IndexLists.h"
#include "Promotion.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

static Value toIndex(AtenCall &call, Value index) {
  Type element = elementOf(index);
  bool taken = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  return taken ? index : call.cast(index, call.builder.getI64Type());
}

namespace {
/// The operands of a scatter, one index an element.
struct Scattered {
  Value x, index, updates;
  int64_t dim;
};
} // namespace

/// A number as a tensor of one element, which PyTorch takes it for.
static Value asRow(AtenCall &call, Value x) {
  return rankOf(x) == 0 ? call.reshape(x, call.constant(1)) : x;
}

static LogicalResult readScattered(AtenCall &call, Scattered &scattered) {
  Value x = asRow(call, call.getTensor("self")),
        index = asRow(call, call.getTensor("index"));
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (rankOf(index) != rankOf(x))
    return call.refuse("an index of rank " + Twine(rankOf(index)) +
                       " into rank " + Twine(rankOf(x)));
  index = toIndex(call, index);
  StringRef name = call.getArgument("src") ? "src" : "value";
  Operand source = call.getOperand(name);
  if (source.tensor && call.getArgument("src"))
    source.tensor = asRow(call, source.tensor);
  if (source.tensor && rankOf(source.tensor) == rankOf(x)) {
    // The source may be larger than the index.
    for (int64_t axis = 0; axis < rankOf(x); ++axis)
      source.tensor = call.slice(source.tensor, axis, call.constant(0),
                                 sizesOf(index)[axis]);
  }
  Value updates = call.materialize(source, elementOf(x), sizesOf(index));
  scattered = {x, index, updates, dim};
  return failure(call.hasFailed());
}

/// Bools are summed by or, which is their maximum, and multiplied by and.
static CombineKind getCombine(CombineKind combine, Type element) {
  if (!element.isInteger(1))
    return combine;
  return combine == CombineKind::Sum    ? CombineKind::Max
         : combine == CombineKind::Prod ? CombineKind::Min
                                        : combine;
}

static Value scatter(AtenCall &call, CombineKind combine, Value x, Value index,
                     Value updates, int64_t dim) {
  combine = getCombine(combine, elementOf(x));
  return ScatterOp::create(call.builder, call.location, x.getType(), combine, x,
                           index, updates, dim);
}

/// Updates combined into x along a dimension.
static LogicalResult scatter(AtenCall &call, CombineKind combine) {
  Scattered s;
  if (failed(readScattered(call, s)))
    return failure();
  Value result = scatter(call, combine, s.x, s.index, s.updates, s.dim);
  return call.replace(call.reshape(result, getSizes(call.getResultType())));
}

// Pattern: aten.scatter(x, dim, index, src) -> tc.scatter replace x[index] =
// src
template <CombineKind combine>
static LogicalResult convertScatter(AtenCall &call) {
  return scatter(call, combine);
}

/// The value that a combination starts from, of the type of x.
static TypedAttr getIdentity(CombineKind combine, Type element) {
  if (combine == CombineKind::Sum || combine == CombineKind::Prod)
    return convertNumber(
        IntegerAttr::get(IntegerType::get(element.getContext(), 64),
                         combine == CombineKind::Prod),
        element);
  bool isMax = combine == CombineKind::Max;
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  auto type = cast<IntegerType>(element);
  unsigned width = type.getWidth();
  if (width == 1 || type.isUnsigned())
    return IntegerAttr::get(type, isMax ? APInt::getMinValue(width)
                                        : APInt::getMaxValue(width));
  return IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width)
                                      : APInt::getSignedMaxValue(width));
}

/// The sum divided by the count of its terms; integers round down.
static LogicalResult scatterMean(AtenCall &call, Scattered s,
                                 bool includesSelf) {
  s.x = call.widen(s.x);
  s.updates = call.cast(s.updates, elementOf(s.x));
  Value ones = call.fill(1.0, s.updates), zeros = call.fill(0.0, s.updates);
  Value counts = call.fill(1.0, s.x);
  auto put = [&](Value into, CombineKind combine, Value updates) {
    return scatter(call, combine, into, s.index, updates, s.dim);
  };
  if (!includesSelf) {
    s.x = put(s.x, CombineKind::Replace, zeros);
    counts = put(counts, CombineKind::Replace, zeros);
  }
  Value sum = put(s.x, CombineKind::Sum, s.updates);
  counts = put(counts, CombineKind::Sum, ones);
  bool isFloat = isa<FloatType>(elementOf(sum));
  Value mean = isFloat ? call.binary<DivOp>(sum, counts)
                       : call.binary<FloorDivOp>(sum, counts);
  return call.replace(call.reshape(mean, getSizes(call.getResultType())));
}

/// The elements that `read` finds, reduced by the call's `reduce`.
static LogicalResult
scatterReduced(AtenCall &call,
               function_ref<LogicalResult(AtenCall &, Scattered &)> read) {
  StringRef name = call.getString("reduce");
  auto combine = llvm::StringSwitch<std::optional<CombineKind>>(name)
                     .Cases({"sum", "add"}, CombineKind::Sum)
                     .Cases({"prod", "multiply"}, CombineKind::Prod)
                     .Case("amax", CombineKind::Max)
                     .Case("amin", CombineKind::Min)
                     .Default(std::nullopt);
  bool includesSelf =
      !call.getArgument("include_self") || call.getBool("include_self");
  if (!combine && name != "mean")
    return call.refuse("reduce '" + name +
                       "'; expected sum, prod, mean, amax or amin");
  Scattered s;
  if (failed(read(call, s)))
    return failure();
  if (!combine && elementOf(s.x).isInteger(1))
    return call.refuse("a mean of bools");
  if (!combine)
    return scatterMean(call, s, includesSelf);
  if (!includesSelf) {
    Value start =
        FullOp::create(call.builder, call.location, s.updates.getType(),
                       getIdentity(*combine, elementOf(s.x)));
    s.x = scatter(call, CombineKind::Replace, s.x, s.index, start, s.dim);
  }
  Value result = scatter(call, *combine, s.x, s.index, s.updates, s.dim);
  return call.replace(call.reshape(result, getSizes(call.getResultType())));
}

// Pattern: aten.scatter_reduce(x, dim, index, src, reduce) -> tc.scatter;
// without x itself, into what the reduction starts from
static LogicalResult convertScatterReduce(AtenCall &call) {
  return scatterReduced(call, readScattered);
}

/// Whole slices, with their index spread over the elements.
static LogicalResult readSlices(AtenCall &call, Scattered &scattered) {
  Value x = asRow(call, call.getTensor("self")),
        index = asRow(call, call.getTensor("index"));
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(index) != 1)
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Sizes sizes = sizesOf(x), column(sizes.size(), call.constant(1));
  sizes[dim] = column[dim] = sizesOf(index)[0];
  index = call.broadcast(call.reshape(toIndex(call, index), column), sizes);
  Value source = call.withSizes(
      call.cast(asRow(call, call.getTensor("source")), elementOf(x)), sizes);
  scattered = {x, index, source, dim};
  return failure(call.hasFailed());
}

// Pattern: aten.index_reduce(x, dim, index, source, reduce) -> tc.scatter, the
// index spread over each slice
static LogicalResult convertIndexReduce(AtenCall &call) {
  return scatterReduced(call, readSlices);
}

/// Whether x[mask] = values is a selection: the mask is over the first
/// dimensions of x, the values are one number.
static bool isSelection(AtenCall &call, Value x, ArrayRef<Value> list,
                        Value values) {
  return list.size() == 1 && isMask(list[0]) && !call.getBool("accumulate") &&
         rankOf(list[0]) <= rankOf(x) &&
         getElementCount(sizesOf(values), call.getContext()).isConstant(1);
}

static LogicalResult putByMask(AtenCall &call, Value x, Value mask,
                               Value values) {
  mask = call.cast(mask, call.builder.getI1Type());
  Sizes column = sizesOf(mask);
  column.resize(rankOf(x), call.constant(1));
  mask = call.broadcast(call.reshape(mask, column), sizesOf(x));
  values = call.broadcast(call.reshape(call.cast(values, elementOf(x)), {}),
                          sizesOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.select(mask, values, x));
}

// Pattern: aten.index_put(x, [i], values) -> tc.index_put replace x[i] = values
static LogicalResult convertIndexPut(AtenCall &call) {
  Value x = call.getTensor("self"), values = call.getTensor("values");
  SmallVector<Value> list = call.getTensors("indices");
  if (isSelection(call, x, list, values))
    return putByMask(call, x, list[0], values);
  IndexList indices;
  // Values that are not repeated say how many elements a mask has true.
  Sizes captured = sizesOf(values);
  captured.insert(
      captured.begin(),
      std::max<int64_t>(0, getIndexedRank(x, list) - int64_t(captured.size())),
      call.constant(1));
  SizeExpr count = getCapturedCount(x, list, captured);
  if (count && count.isConstant(1))
    count = SizeExpr();
  if (!readIndexList(call, x, list, indices, count))
    return failure();
  if (indices.dims.empty())
    return call.refuse("no index");
  Sizes sizes = getIndexedSizes(x, indices);
  values = call.cast(values, elementOf(x));
  if (indices.adjacent) {
    values = call.broadcast(values, sizes);
  } else {
    // The values have the index dimensions in front.
    auto front = getFrontPermutation(indices, sizes.size());
    Sizes frontSizes;
    SmallVector<int64_t> back(front.size());
    for (auto [position, dim] : llvm::enumerate(front)) {
      frontSizes.push_back(sizes[dim]);
      back[dim] = position;
    }
    values = call.transpose(call.broadcast(values, frontSizes), back);
  }
  if (call.hasFailed())
    return failure();
  CombineKind combine = CombineKind::Replace;
  Type element = elementOf(x);
  if (call.getBool("accumulate")) {
    combine = getCombine(CombineKind::Sum, element);
    // Sums of narrow floats are rounded once, as PyTorch does on a GPU.
    x = call.widen(x);
    values = call.widen(values);
  }
  Value result =
      IndexPutOp::create(call.builder, call.location, x.getType(), combine, x,
                         indices.values, values, indices.dims);
  return call.replace(call.cast(result, element));
}

/// Slices of one dimension, each at an index, combined with `source`.
static LogicalResult putAlong(AtenCall &call, CombineKind combine, Value x,
                              Value index, Value source, int64_t dim,
                              bool nonNegative) {
  combine = getCombine(combine, elementOf(x));
  Sizes sizes = sizesOf(x);
  sizes[dim] = sizesOf(index)[0];
  source = call.broadcast(call.cast(source, elementOf(x)), sizes);
  if (call.hasFailed())
    return failure();
  Value result =
      IndexPutOp::create(call.builder, call.location, x.getType(), combine, x,
                         index, source, dim, nonNegative);
  return call.replace(call.reshape(result, getSizes(call.getResultType())));
}

// Pattern: aten.index_add(x, dim, index, source) -> tc.index_put sum
template <CombineKind combine>
static LogicalResult convertIndexAlong(AtenCall &call) {
  Value x = asRow(call, call.getTensor("self"));
  Value index = asRow(call, toIndex(call, call.getTensor("index")));
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(index) != 1)
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Value source;
  if (call.getArgument("source")) {
    source = asRow(call, call.cast(call.getTensor("source"), elementOf(x)));
    if (rankOf(source) != rankOf(x))
      return call.refuse("these ranks");
    Sizes sizes = sizesOf(x);
    sizes[dim] = sizesOf(index)[0];
    source = call.withSizes(source, sizes);
    if (call.getArgument("alpha") && call.getReal("alpha") != 1.0)
      source = call.binary<MulOp>(
          source, call.fill(call.getArgument("alpha"), typeOf(source)));
  } else {
    source = call.materialize(call.getOperand("value"), elementOf(x), {});
  }
  // Of these, index_fill alone counts negative indices from the end.
  return putAlong(call, combine, x, index, source, dim,
                  /*nonNegative=*/call.getArgument("source") != nullptr);
}

/// x with the elements start, start + step, ... of a dimension replaced.
static LogicalResult putSlice(AtenCall &call, Value x, Value source,
                              int64_t dim, SizeExpr start, int64_t step) {
  Sizes sizes = sizesOf(x);
  SizeExpr count = sizesOf(source)[dim], whole = sizes[dim];
  sizes[dim] = count;
  source = call.withSizes(call.cast(source, elementOf(x)), sizes);
  if (step == 1) {
    SizeExpr end = start.add(count), rest = whole.sub(end);
    SmallVector<Value> parts;
    if (!start.isConstant(0))
      parts.push_back(call.slice(x, dim, call.constant(0), start));
    parts.push_back(source);
    if (!rest.isConstant(0))
      parts.push_back(call.slice(x, dim, end, rest));
    if (parts.size() == 1)
      return call.replace(source);
    return call.replace(call.withSizes(call.concat(parts, dim), sizesOf(x)));
  }
  Value index = call.iota(count, 0);
  index = call.binary<MulOp>(index, static_cast<double>(step));
  index = call.binary<AddOp>(
      index,
      call.materialize({Value(), start.isConstant()
                                     ? Attribute(call.builder.getI64IntegerAttr(
                                           start.getValue()))
                                     : Attribute(start)},
                       call.builder.getI64Type(), count));
  return putAlong(call, CombineKind::Replace, x, index, source, dim,
                  /*nonNegative=*/true);
}

/// An end of a slice of a dimension of `whole` elements, `otherwise` where the
/// call has none. One that is known counts from the end where it is negative,
/// and is none beyond the dimension.
static SizeExpr getBound(AtenCall &call, StringRef name, SizeExpr whole,
                         SizeExpr otherwise) {
  if (call.isNone(name))
    return otherwise;
  SizeExpr bound = call.getSize(name);
  if (bound.isConstant() && bound.getValue() < 0) {
    bound = whole.add(bound);
    if (bound.isConstant() && bound.getValue() < 0)
      bound = call.constant(0);
  }
  bool isBeyond = bound.isConstant() && whole.isConstant() &&
                  bound.getValue() > whole.getValue();
  return isBeyond ? whole : bound;
}

// Pattern: aten.slice_scatter(x, src, dim, start) -> tc.concat of x, src and x
static LogicalResult convertSliceScatter(AtenCall &call) {
  Value x = call.getTensor("self"), source = call.getTensor("src");
  int64_t dim = call.getDim("dim", rankOf(x)), step = call.getInteger("step");
  if (call.hasFailed() || rankOf(x) == 0 || rankOf(source) != rankOf(x))
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  SizeExpr whole = sizesOf(x)[dim];
  SizeExpr start = getBound(call, "start", whole, call.constant(0));
  SizeExpr end = getBound(call, "end", whole, whole);
  SizeExpr count = sizesOf(source)[dim];
  if (start.isConstant() && end.isConstant() && count.isConstant() &&
      whole.isConstant()) {
    int64_t length = std::max<int64_t>(0, end.getValue() - start.getValue());
    int64_t expected = llvm::divideCeil(length, step);
    if (count.getValue() != expected)
      return call.refuse("a source of " + Twine(count.getValue()) +
                         " elements for a slice of " + Twine(expected));
  }
  return putSlice(call, x, source, dim, start, step);
}

// Pattern: aten.select_scatter(x, src, dim, index) -> tc.concat of x, src and x
static LogicalResult convertSelectScatter(AtenCall &call) {
  Value x = call.getTensor("self"), source = call.getTensor("src");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr start = call.getSize("index");
  if (start.isConstant() && start.getValue() < 0)
    start = sizesOf(x)[dim].add(start);
  // Of equal sizes where PyTorch runs it; the export does not compare them.
  Sizes own = sizesOf(source);
  if (rankOf(source) + 1 != rankOf(x))
    return call.refuse("a source of rank " + Twine(rankOf(source)) +
                       " for a tensor of rank " + Twine(rankOf(x)));
  own.insert(own.begin() + dim, call.constant(1));
  return putSlice(call, x, call.reshape(source, own), dim, start, 1);
}

// Pattern: aten.masked_scatter(x, mask, source) -> tc.select of x and picked
// source
static LogicalResult convertMaskedScatter(AtenCall &call) {
  Value x = call.getTensor("self"), source = call.getTensor("source");
  Value mask = call.cast(call.getTensor("mask"), call.builder.getI1Type());
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(mask));
  x = call.broadcast(x, sizes);
  mask = call.broadcast(mask, sizes);
  SizeExpr count = getElementCount(sizes, call.getContext());
  // Element i of the source goes to the i-th place that the mask has true.
  Value flat = call.reshape(mask, count);
  Value ones = call.cast(flat, call.builder.getI64Type());
  Value position = ScanOp::create(call.builder, call.location, ones.getType(),
                                  ReductionKind::Sum, ones, 0);
  source = call.flatten(call.cast(source, elementOf(x)));
  if (SizeExpr size = sizesOf(source)[0];
      size.isConstant() && !size.isConstant(0)) {
    position = call.binary<MaximumOp>(call.binary<SubOp>(position, 1.0), 0.0);
  } else { // an element in front, for all places without one of the source
    Value zero = call.fill(call.builder.getI64IntegerAttr(0),
                           getTensorType(call.constant(1), elementOf(x)));
    source = call.concat({zero, source}, 0);
    position = call.select(flat, position, call.fill(0.0, position));
  }
  if (call.hasFailed())
    return failure();
  Value picked = IndexOp::create(call.builder, call.location,
                                 getTensorType(count, elementOf(x)), source,
                                 position, ArrayRef<int64_t>{0});
  return call.replace(call.select(mask, call.reshape(picked, sizes), x));
}

void addScatters(AtenTable &table) {
  table.add({"scatter.src", "scatter.value"},
            convertScatter<CombineKind::Replace>);
  table.add({"scatter_add.default"}, convertScatter<CombineKind::Sum>);
  table.add({"scatter_reduce.two", "scatter.reduce", "scatter.value_reduce"},
            convertScatterReduce);
  table.add({"index_reduce.default"}, convertIndexReduce);
  table.add({"index_put.default", "_unsafe_index_put.default"},
            convertIndexPut);
  table.add({"index_add.default"}, convertIndexAlong<CombineKind::Sum>);
  table.add(
      {"index_copy.default", "index_fill.int_Scalar", "index_fill.int_Tensor"},
      convertIndexAlong<CombineKind::Replace>);
  table.add({"masked_scatter.default"}, convertMaskedScatter);
  table.add({"slice_scatter.default"}, convertSliceScatter);
  table.add({"select_scatter.default"}, convertSelectScatter);
}

} // namespace tc::aten
