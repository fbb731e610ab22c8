//===- Views.cpp - views, reshapes, permutations, parts -------------------===//
//
// The captured type has the sizes of a view, so a call that only reshapes is
// its operand: AtenCall::replace makes the tc.reshape or the tc.cast.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.view(x, sizes) -> tc.reshape x
static LogicalResult convertToResultType(AtenCall &call) {
  return call.replace(call.getTensor("self"));
}

// Pattern: aten.to(x, dtype) -> tc.cast x, rounds to floats narrower than f32
static LogicalResult convertToElementType(AtenCall &call) {
  Value x = call.getTensor("self");
  auto element = dyn_cast<FloatType>(call.getResultType().getElementType());
  if (call.hasFailed() || !element || element.getWidth() >= 32 ||
      element == elementOf(x))
    return convertToResultType(call);
  RankedTensorType type = getTensorType(sizesOf(x), element);
  return call.replace(CastOp::create(call.builder, call.location, type, x,
                                     /*rounds=*/true));
}

// Pattern: aten.expand(x, sizes) -> tc.broadcast x
static LogicalResult convertExpand(AtenCall &call) {
  return call.replace(
      call.broadcast(call.getTensor("self"), getSizes(call.getResultType())));
}

// Pattern: aten.permute(x, dims) -> tc.transpose x
static LogicalResult convertPermute(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> dims = call.getIntegers("dims");
  int64_t rank = rankOf(x);
  SmallVector<bool> seen(rank, false);
  bool valid = static_cast<int64_t>(dims.size()) == rank;
  for (int64_t &dim : dims) {
    dim = dim < 0 ? dim + rank : dim;
    valid = valid && dim >= 0 && dim < rank && !seen[dim];
    if (valid)
      seen[dim] = true;
  }
  if (!valid || call.hasFailed())
    return call.refuse("dims that are no permutation of " + Twine(rank) +
                       " dimensions");
  return call.replace(call.transpose(x, dims));
}

static Value swapDims(AtenCall &call, Value x, int64_t a, int64_t b) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  if (rankOf(x) > 0)
    std::swap(permutation[a], permutation[b]);
  return call.transpose(x, permutation);
}

// Pattern: aten.transpose(x, a, b) -> tc.transpose x
static LogicalResult convertTranspose(AtenCall &call) {
  Value x = call.getTensor("self");
  bool isAxes = static_cast<bool>(call.getArgument("axis0"));
  int64_t a = call.getDim(isAxes ? "axis0" : "dim0", rankOf(x));
  int64_t b = call.getDim(isAxes ? "axis1" : "dim1", rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(swapDims(call, x, a, b));
}

// Pattern: aten.t(x), aten.mT(x) -> tc.transpose of the last two dimensions
static LogicalResult convertMatrixTranspose(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  if (rank < 2)
    return call.replace(x);
  return call.replace(swapDims(call, x, rank - 2, rank - 1));
}

// Pattern: aten.numpy_T(x) -> tc.transpose with the dimensions reversed
static LogicalResult convertReverseDims(AtenCall &call) {
  Value x = call.getTensor("self");
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  std::reverse(permutation.begin(), permutation.end());
  return call.replace(call.transpose(x, permutation));
}

// Pattern: aten.movedim(x, source, destination) -> tc.transpose x
static LogicalResult convertMovedim(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  auto sources = call.getIntegers("source");
  auto destinations = call.getIntegers("destination");
  SmallVector<int64_t> permutation(rank, -1);
  SmallVector<bool> moved(rank, false);
  bool valid = sources.size() == destinations.size();
  for (auto [source, destination] : llvm::zip(sources, destinations)) {
    source += source < 0 ? rank : 0;
    destination += destination < 0 ? rank : 0;
    valid = valid && source >= 0 && source < rank && destination >= 0 &&
            destination < rank && !moved[source] &&
            permutation[destination] < 0;
    if (!valid)
      break;
    permutation[destination] = source;
    moved[source] = true;
  }
  if (!valid || call.hasFailed())
    return call.refuse("a source and a destination that do not pair up");
  int64_t next = 0;
  for (int64_t &dim : permutation) {
    if (dim >= 0)
      continue;
    while (moved[next])
      ++next;
    dim = next++;
  }
  return call.replace(call.transpose(x, permutation));
}

/// A size or index counted from the front: negative constants count from the
/// end.
static SizeExpr fromFront(SizeExpr index, SizeExpr size) {
  if (index.isConstant() && index.getValue() < 0)
    return size.add(index);
  return index;
}

/// -1 where a number is negative, else 0.
static SizeExpr getSign(AtenCall &call, SizeExpr number) {
  SizeRange range = call.rangeOf(number);
  if (range.min >= 0 || range.max < 0)
    return call.constant(range.min >= 0 ? 0 : -1);
  return number.floorDiv(int64_t(1) << 62);
}

/// An index that only the call knows, from the front; the call checks it.
static SizeExpr checkIndex(AtenCall &call, SizeExpr index, SizeExpr size) {
  SizeExpr start = call.evaluate(index.sub(getSign(call, index).mul(size)));
  std::string origin = "the index " + index.str();
  call.check(start, origin);
  call.check(size.sub(start).add(-1), origin);
  return start;
}

// Pattern: aten.select(x, dim, index) -> tc.reshape (tc.slice x)
static LogicalResult convertSelect(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr start = fromFront(call.getSize("index"), sizesOf(x)[dim]);
  if (isDataDependent(start))
    start = checkIndex(call, start, sizesOf(x)[dim]);
  return call.replace(call.slice(x, dim, start, call.constant(1)));
}

/// A bound of a slice as Python takes it: from the end where it is negative,
/// and within [0, `whole`].
static SizeExpr clampBound(AtenCall &call, SizeExpr bound, SizeExpr whole) {
  return bound.sub(getSign(call, bound).mul(whole))
      .max(call.constant(0))
      .min(whole);
}

/// The slice of bounds that only the call knows; its size is a symbol that is
/// computed from them.
static LogicalResult sliceByData(AtenCall &call, Value x, int64_t dim,
                                 int64_t step) {
  SizeExpr whole = sizesOf(x)[dim], start = call.constant(0), end = whole;
  if (!call.isNone("start"))
    start = clampBound(call, call.getSize("start"), whole);
  if (!call.isNone("end"))
    end = clampBound(call, call.getSize("end"), whole);
  SizeExpr size = getSizes(call.getResultType())[dim], zero = call.constant(0);
  SizeExpr count = end.sub(start).add(step - 1).floorDiv(step).max(zero);
  start = call.evaluate(start);
  call.defineSize(
      size, SizeValueOp::create(
                call.builder, call.location,
                RankedTensorType::get({}, call.builder.getI64Type()), count));
  // So it is, which is not seen from the symbols alone.
  call.check(whole.sub(start).sub(size.add(-1).mul(step)).add(-1),
             "a slice of " + whole.str());
  return call.replace(call.slice(x, dim, start, size, step));
}

// Pattern: aten.slice(x, dim, start, end, step) -> tc.slice x
static LogicalResult convertSlice(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x)), step = call.getInteger("step");
  if (call.hasFailed() || rankOf(x) == 0 ||
      call.getResultType().getRank() != rankOf(x))
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr whole = sizesOf(x)[dim], start = call.constant(0);
  if (call.isUndefined(getSizes(call.getResultType())[dim]))
    return sliceByData(call, x, dim, step);
  if (!call.isNone("start"))
    start = fromFront(call.getSize("start"), whole);
  // Python clamps the bounds; the captured size is what remains.
  if (start.isConstant() && start.getValue() < 0)
    start = call.constant(0);
  if (start.isConstant() && whole.isConstant() &&
      start.getValue() > whole.getValue())
    start = whole;
  SizeExpr size = getSizes(call.getResultType())[dim];
  if (size.isConstant(0))
    start = call.constant(0);
  return call.replace(call.slice(x, dim, start, size, step));
}

// Pattern: aten.narrow(x, dim, start, length) -> tc.slice x
static LogicalResult convertNarrow(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr start = fromFront(call.getSize("start"), sizesOf(x)[dim]);
  return call.replace(call.slice(x, dim, start, call.getSize("length")));
}

/// The parts along `dim`, of the captured sizes.
static LogicalResult splitAlong(AtenCall &call, Value x, int64_t dim) {
  SmallVector<Value> parts;
  SizeExpr start = call.constant(0);
  for (unsigned i = 0; i < call.getResultCount(); ++i) {
    if (call.getResultType(i).getRank() != rankOf(x))
      return call.refuse("a part of another rank");
    SizeExpr size = getSizes(call.getResultType(i))[dim];
    parts.push_back(call.isResultUsed(i) ? call.slice(x, dim, start, size)
                                         : Value());
    start = start.add(size);
  }
  return call.replace(parts);
}

// Pattern: aten.split(x, sizes, dim) -> a tc.slice each
static LogicalResult convertSplit(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  return splitAlong(call, x, dim);
}

// Pattern: aten.unbind(x, dim) -> a tc.slice each
static LogicalResult convertUnbind(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SmallVector<Value> parts;
  for (unsigned i = 0; i < call.getResultCount(); ++i)
    parts.push_back(call.isResultUsed(i)
                        ? call.slice(x, dim, call.constant(i), call.constant(1))
                        : Value());
  return call.replace(parts);
}

// Pattern: aten.hsplit(x, n) -> a tc.slice each
template <int64_t dim> static LogicalResult convertSplitOf(AtenCall &call) {
  Value x = call.getTensor("self");
  if (rankOf(x) == 0 || (rankOf(x) <= dim && dim != 1))
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  return splitAlong(call, x, std::min<int64_t>(dim, rankOf(x) - 1));
}

/// Whether dimensions larger than 1 are in row-major order without gaps.
static bool isRowMajor(ArrayRef<SizeExpr> sizes, ArrayRef<SizeExpr> strides,
                       MLIRContext *context) {
  SizeExpr expected = SizeExpr::constant(context, 1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (!sizes[dim].isConstant(1) && strides[dim] != expected)
      return false;
    expected = expected.mul(sizes[dim]);
  }
  return true;
}

// Pattern: aten.as_strided(x, size, stride) -> tc.reshape x, or
// tc.index_tensors of the flat x; x is laid out in row-major order
static LogicalResult convertAsStrided(AtenCall &call) {
  Value x = call.getTensor("self");
  Sizes sizes = call.getSizeList("size"), strides = call.getSizeList("stride");
  SizeExpr offset = call.constant(0);
  if (!call.isNone("storage_offset"))
    offset = call.getSize("storage_offset");
  if (call.hasFailed() || sizes.size() != strides.size())
    return call.refuse("these sizes and strides");
  SizeExpr count = getElementCount(sizesOf(x), call.getContext());
  if (offset.isConstant(0) &&
      count == getElementCount(sizes, call.getContext()) &&
      isRowMajor(sizes, strides, call.getContext()))
    return call.replace(call.reshape(x, sizes));
  RankedTensorType type = getTensorType(sizes, call.builder.getI64Type());
  auto number = [&](SizeExpr size) -> Attribute {
    if (size.isConstant())
      return call.builder.getI64IntegerAttr(size.getValue());
    return size;
  };
  Value index = call.fill(number(offset), type);
  for (auto [dim, stride] : llvm::enumerate(strides))
    index = call.binary<AddOp>(
        index, call.binary<MulOp>(call.iota(sizes, dim),
                                  call.fill(number(stride), type)));
  return call.replace(IndexOp::create(
      call.builder, call.location, getTensorType(sizes, elementOf(x)),
      call.reshape(x, count), index, ArrayRef<int64_t>{0}));
}

void addViews(AtenTable &table) {
  table.add({"view.default",
             "view_copy.default",
             "reshape.default",
             "_unsafe_view.default",
             "_reshape_alias.default",
             "flatten.using_ints",
             "unflatten.int",
             "squeeze.default",
             "squeeze.dim",
             "squeeze.dims",
             "squeeze_copy.default",
             "squeeze_copy.dim",
             "squeeze_copy.dims",
             "unsqueeze.default",
             "unsqueeze_copy.default",
             "view_as.default",
             "reshape_as.default",
             "ravel.default",
             "atleast_1d.default",
             "atleast_2d.default",
             "atleast_3d.default"},
            convertToResultType);
  table.add({"alias.default", "alias_copy.default", "detach.default",
             "detach_copy.default", "lift_fresh.default",
             "lift_fresh_copy.default", "contiguous.default", "clone.default",
             "resolve_conj.default", "resolve_neg.default"},
            convertToResultType);
  table.add({"to.dtype", "to.device", "to.dtype_layout", "to.other",
             "to.prim_dtype", "to.prim_Device", "to.prim_other",
             "_to_copy.default", "type_as.default"},
            convertToElementType);
  table.add({"expand.default", "expand_as.default", "expand_copy.default",
             "broadcast_to.default"},
            convertExpand);
  table.add({"permute.default", "permute_copy.default"}, convertPermute);
  table.add({"transpose.int", "transpose_copy.int", "swapaxes.default",
             "swapdims.default"},
            convertTranspose);
  table.add({"t.default", "t_copy.default", "mT.default", "mT.a",
             "adjoint.default", "mH.default", "mH.a", "matrix_H.default",
             "matrix_H.a"},
            convertMatrixTranspose);
  table.add({"numpy_T.default", "numpy_T.a"}, convertReverseDims);
  table.add({"movedim.int", "movedim.intlist"}, convertMovedim);
  table.add({"select.int", "select_copy.int"}, convertSelect);
  table.add({"slice.Tensor", "slice_copy.Tensor"}, convertSlice);
  table.add({"narrow.default", "narrow_copy.default"}, convertNarrow);
  table.add({"split.Tensor", "split.sizes", "split.default",
             "split_copy.Tensor", "split_with_sizes.default",
             "split_with_sizes_copy.default", "chunk.default",
             "unsafe_chunk.default", "unsafe_split.Tensor",
             "unsafe_split_with_sizes.default", "tensor_split.sections",
             "tensor_split.indices"},
            convertSplit);
  table.add({"hsplit.int", "hsplit.array"}, convertSplitOf<1>);
  table.add({"vsplit.int", "vsplit.array"}, convertSplitOf<0>);
  table.add({"dsplit.int", "dsplit.array"}, convertSplitOf<2>);
  table.add({"as_strided.default", "as_strided_copy.default"},
            convertAsStrided);
  table.add({"unbind.int", "unbind_copy.int"}, convertUnbind);
}

} // namespace tc::aten
