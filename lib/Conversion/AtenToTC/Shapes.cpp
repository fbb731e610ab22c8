//===- Shapes.cpp - padding, repeating, rotating --------------------------===//

#include "AtenTable.h"
#include "Promotion.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// The number as a tensor of these sizes and the type of x; null for one that
/// cannot be.
static Value fillLike(AtenCall &call, Attribute number, Value x,
                      ArrayRef<SizeExpr> sizes) {
  if (isa<SizeExprAttr>(number))
    return Value();
  return call.fill(number, getTensorType(sizes, elementOf(x)));
}

/// Padding of symbolic sizes with a number: padding is joined to x, and
/// negative counts cut off.
static LogicalResult padBySizes(AtenCall &call, Value x,
                                ArrayRef<SizeExpr> list, Attribute number) {
  for (size_t i = 0; i < list.size(); ++i) {
    int64_t dim = rankOf(x) - 1 - static_cast<int64_t>(i / 2);
    bool isLow = i % 2 == 0;
    SizeExpr zero = call.constant(0), added = list[i];
    if (!call.isAtLeast(added, 0)) {
      SizeExpr cut = call.evaluate(zero.sub(added).max(zero));
      x = call.slice(x, dim, isLow ? cut : zero, sizesOf(x)[dim].sub(cut));
      added = added.add(cut);
    }
    if (added.isConstant(0))
      continue;
    Sizes sizes = sizesOf(x);
    sizes[dim] = added;
    Value part = fillLike(call, number, x, sizes);
    if (!part)
      return call.refuse("this value");
    x = isLow ? call.concat({part, x}, dim) : call.concat({x, part}, dim);
  }
  return call.replace(x);
}

/// Leaves out what negative counts say, so that the rest is what goes round.
static LogicalResult cropBeforeWrapping(AtenCall &call, Value &x,
                                        MutableArrayRef<int64_t> low,
                                        MutableArrayRef<int64_t> high) {
  for (auto [dim, size] : llvm::enumerate(sizesOf(x))) {
    SizeExpr start = call.constant(std::max<int64_t>(0, -low[dim]));
    SizeExpr rest = size.sub(start).add(std::min<int64_t>(0, high[dim]));
    low[dim] = std::max<int64_t>(0, low[dim]);
    high[dim] = std::max<int64_t>(0, high[dim]);
    int64_t most = std::max(low[dim], high[dim]);
    if (rest.isConstant() && rest.getValue() < most)
      return call.refuse("a circular padding of dimension " + Twine(dim) +
                         " by " + Twine(most) + ", where " +
                         Twine(rest.getValue()) + " elements are left");
    x = call.slice(x, dim, start, rest);
  }
  return success();
}

/// Pads by PyTorch's list: (low, high) of the last dimension, then of the one
/// before.
static LogicalResult pad(AtenCall &call, StringRef listName, PadMode mode,
                         Attribute number) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  Sizes symbolic = call.getSizeList(listName);
  bool isConstant =
      llvm::all_of(symbolic, [](SizeExpr size) { return size.isConstant(); });
  if (!isConstant && mode == PadMode::Constant && symbolic.size() % 2 == 0 &&
      static_cast<int64_t>(symbolic.size()) <= 2 * rank)
    return padBySizes(call, x, symbolic, number);
  SmallVector<int64_t> list = call.getIntegers(listName);
  if (list.size() % 2 != 0 || static_cast<int64_t>(list.size()) > 2 * rank)
    return call.refuse("'" + listName + "' of " + Twine(list.size()) +
                       " entries for rank " + Twine(rank));
  if (call.hasFailed())
    return failure();
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  Sizes sizes = sizesOf(x);
  for (size_t i = 0; i < list.size() / 2; ++i) {
    size_t dim = rank - 1 - i;
    low[dim] = list[2 * i];
    high[dim] = list[2 * i + 1];
    sizes[dim] = sizes[dim].add(low[dim] + high[dim]);
    if (sizes[dim].isConstant() && sizes[dim].getValue() < 0)
      return call.refuse("a padding that leaves nothing of dimension " +
                         Twine(dim));
  }
  if (mode == PadMode::Circular &&
      failed(cropBeforeWrapping(call, x, low, high)))
    return failure();
  TypedAttr value;
  if (mode == PadMode::Constant) {
    if (isa<SizeExprAttr, OperandAttr>(number))
      return call.refuse("this value");
    value = convertNumber(number, elementOf(x));
  }
  return call.replace(PadOp::create(call.builder, call.location,
                                    getTensorType(sizes, elementOf(x)), mode, x,
                                    low, high, value));
}

// Pattern: aten.constant_pad_nd(x, pad, value) -> tc.pad constant x
static LogicalResult convertConstantPad(AtenCall &call) {
  return pad(call, "pad", PadMode::Constant, call.getArgument("value"));
}

// Pattern: aten.reflection_pad2d(x, padding) -> tc.pad reflect x
template <PadMode mode> static LogicalResult convertPadding(AtenCall &call) {
  return pad(call, "padding", mode, Attribute());
}

// Pattern: aten.pad(x, pad, mode, value) -> tc.pad
static LogicalResult convertPad(AtenCall &call) {
  StringRef name = call.getString("mode");
  auto mode = llvm::StringSwitch<std::optional<PadMode>>(name)
                  .Case("constant", PadMode::Constant)
                  .Case("reflect", PadMode::Reflect)
                  .Case("replicate", PadMode::Replicate)
                  .Case("circular", PadMode::Circular)
                  .Default(std::nullopt);
  if (!mode)
    return call.refuse("mode '" + name +
                       "'; expected constant, reflect, replicate or circular");
  Attribute value = call.getArgument("value");
  if (call.isNone("value"))
    value = call.builder.getF64FloatAttr(0.0);
  return pad(call, "pad", *mode, value);
}

static Value reverse(AtenCall &call, Value x, int64_t dim) {
  SizeExpr size = sizesOf(x)[dim];
  return call.slice(x, dim, size.add(-1), size, /*step=*/-1);
}

// Pattern: aten.flip(x, dims) -> tc.slice x with strides of -1
static LogicalResult convertFlip(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> dims =
      call.getDims("dims", rankOf(x), /*emptyIsAll=*/false);
  if (call.hasFailed())
    return failure();
  for (int64_t dim : dims)
    x = reverse(call, x, dim);
  return call.replace(x);
}

// Pattern: aten.fliplr(x) -> tc.slice x with a stride of -1
template <int64_t dim> static LogicalResult convertFlipDim(AtenCall &call) {
  Value x = call.getTensor("self");
  if (rankOf(x) <= dim)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  return call.replace(reverse(call, x, dim));
}

// Pattern: aten.rot90(x, k, dims) -> tc.transpose and tc.slice with strides of
// -1
static LogicalResult convertRot90(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> dims = call.getIntegers("dims");
  int64_t turns = ((call.getInteger("k") % 4) + 4) % 4;
  for (int64_t &dim : dims)
    dim = dim < 0 ? dim + rankOf(x) : dim;
  if (call.hasFailed() || dims.size() != 2 || dims[0] == dims[1] ||
      std::max(dims[0], dims[1]) >= rankOf(x) || std::min(dims[0], dims[1]) < 0)
    return call.refuse("these dims; expected two different ones");
  if (turns == 2)
    x = reverse(call, reverse(call, x, dims[0]), dims[1]);
  if (turns % 2 == 1) {
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
    std::swap(permutation[dims[0]], permutation[dims[1]]);
    x = call.transpose(x, permutation);
    x = reverse(call, x, turns == 1 ? dims[0] : dims[1]);
  }
  return call.replace(x);
}

/// The elements of `dim` moved up by `shift`, the last ones to the front.
static Value rollDim(AtenCall &call, Value x, int64_t dim, int64_t shift) {
  SizeExpr size = sizesOf(x)[dim];
  if (std::optional<int64_t> constant = size.getConstant()) {
    if (*constant == 0)
      return x;
    shift = ((shift % *constant) + *constant) % *constant;
  }
  if (shift == 0)
    return x;
  SizeExpr count = shift > 0 ? call.constant(shift) : size.add(shift);
  SizeExpr rest = size.sub(count);
  Value back = call.slice(x, dim, rest, count);
  Value front = call.slice(x, dim, call.constant(0), rest);
  return call.concat({back, front}, dim);
}

// Pattern: aten.roll(x, shifts, dims) -> tc.concat of two tc.slice
static LogicalResult convertRoll(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> shifts = call.getIntegers("shifts"),
                       dims = call.getIntegers("dims");
  if (dims.empty() && shifts.size() == 1) {
    x = call.flatten(x);
    return call.replace(rollDim(call, x, 0, shifts[0]));
  }
  if (call.hasFailed() || shifts.size() != dims.size())
    return call.refuse("as many shifts as dims expected");
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    dim = dim < 0 ? dim + rankOf(x) : dim;
    if (dim < 0 || dim >= rankOf(x))
      return call.refuse("a dimension out of range");
    x = rollDim(call, x, dim, shift);
  }
  return call.replace(x);
}

// Pattern: aten.fft_fftshift(x, dims) -> tc.concat of two tc.slice a dimension
template <bool isInverse> static LogicalResult convertHalfRoll(AtenCall &call) {
  Value x = call.getTensor("self");
  for (int64_t dim : call.getDims("dim", rankOf(x))) {
    std::optional<int64_t> size = sizesOf(x)[dim].getConstant();
    if (!size)
      return call.refuse("a symbolic size");
    x = rollDim(call, x, dim, isInverse ? (*size + 1) / 2 : *size / 2);
  }
  return call.replace(x);
}

/// Each dimension followed by copies of itself.
static Value repeat(AtenCall &call, Value x, Sizes repeats) {
  Sizes sizes = sizesOf(x);
  size_t rank = std::max(sizes.size(), repeats.size());
  sizes.insert(sizes.begin(), rank - sizes.size(), call.constant(1));
  repeats.insert(repeats.begin(), rank - repeats.size(), call.constant(1));
  Sizes split, repeated, joined;
  for (auto [size, count] : llvm::zip(sizes, repeats)) {
    if (!count.isConstant(1)) {
      split.push_back(call.constant(1));
      repeated.push_back(count);
    }
    split.push_back(size);
    repeated.push_back(size);
    joined.push_back(size.mul(count));
  }
  return call.reshape(call.broadcast(call.reshape(x, split), repeated), joined);
}

// Pattern: aten.repeat(x, repeats) -> tc.reshape (tc.broadcast (tc.reshape x))
static LogicalResult convertRepeat(AtenCall &call) {
  StringRef name = call.getArgument("repeats") ? "repeats" : "dims";
  return call.replace(
      repeat(call, call.getTensor("self"), call.getSizeList(name)));
}

// Pattern: aten.repeat_interleave(x, n, dim) -> tc.broadcast along a new
// dimension
static LogicalResult convertRepeatInterleave(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = 0;
  if (call.isNone("dim"))
    x = call.flatten(x);
  else
    dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr count = call.getSize("repeats");
  Sizes split = sizesOf(x), repeated = split, joined = split;
  split.insert(split.begin() + dim + 1, call.constant(1));
  repeated.insert(repeated.begin() + dim + 1, count);
  joined[dim] = joined[dim].mul(count);
  return call.replace(
      call.reshape(call.broadcast(call.reshape(x, split), repeated), joined));
}

// Pattern: aten.tril(x, diagonal) -> tc.select of x and 0 by row and column
template <bool isLower> static LogicalResult convertTriangle(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  if (rank < 2)
    return call.refuse("a tensor of rank " + Twine(rank));
  Sizes sizes = sizesOf(x);
  Value row = call.iota(sizes, rank - 2), column = call.iota(sizes, rank - 1);
  Value limit = call.binary<AddOp>(
      row, call.fill(call.getArgument("diagonal"), typeOf(row)));
  Value keep = isLower ? call.binary<LeOp>(column, limit)
                       : call.binary<GeOp>(column, limit);
  return call.replace(call.select(keep, x, call.fill(0.0, x)));
}

// Pattern: aten.diff(x, n, dim) -> tc.sub of two tc.slice, n times
static LogicalResult convertDiff(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x)), order = call.getInteger("n");
  SmallVector<Value> parts;
  Type element = elementOf(x);
  for (Value part : {call.getTensor("prepend"), x, call.getTensor("append")})
    if (part) {
      parts.push_back(part);
      element = promoteTypes(element, elementOf(part));
    }
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  if (order == 0) // then PyTorch joins nothing
    return call.replace(x);
  for (Value &part : parts)
    part = call.cast(part, element);
  x = call.concat(parts, dim);
  for (int64_t i = 0; i < order; ++i) {
    SizeExpr size = sizesOf(x)[dim].add(-1);
    if (size.isConstant() && size.getValue() < 0)
      return call.refuse("fewer elements than differences");
    Value next = call.slice(x, dim, call.constant(1), size);
    Value before = call.slice(x, dim, call.constant(0), size);
    bool isBool = elementOf(x).isInteger(1);
    x = isBool ? call.binary<BitwiseXorOp>(next, before)
               : call.binary<SubOp>(next, before);
  }
  return call.replace(x);
}

// Pattern: aten.pixel_shuffle(x, r) -> tc.reshape (tc.transpose (tc.reshape x))
template <bool isInverse>
static LogicalResult convertPixelShuffle(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t factor =
      call.getInteger(isInverse ? "downscale_factor" : "upscale_factor");
  int64_t rank = rankOf(x);
  if (call.hasFailed() || rank < 3 || factor < 1)
    return call.hasFailed() ? failure() : call.refuse("these sizes");
  Sizes split = sizesOf(x);
  SizeExpr width = split.pop_back_val(), height = split.pop_back_val(),
           channels = split.pop_back_val();
  SizeExpr r = call.constant(factor);
  int64_t batch = split.size();
  SmallVector<int64_t> order;
  if (isInverse) {
    split.append({channels, height.floorDiv(r), r, width.floorDiv(r), r});
    order = {0, 2, 4, 1, 3};
  } else {
    split.append({channels.floorDiv(r.mul(r)), r, r, height, width});
    order = {0, 3, 1, 4, 2};
  }
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  for (int64_t dim : order)
    permutation.push_back(batch + dim);
  return call.replace(call.transpose(call.reshape(x, split), permutation));
}

// Pattern: aten.channel_shuffle(x, groups) -> tc.reshape (tc.transpose
// (tc.reshape x))
static LogicalResult convertChannelShuffle(AtenCall &call) {
  Value x = call.getTensor("self");
  SizeExpr groups = call.getSize("groups");
  if (rankOf(x) < 3)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  Sizes split = sizesOf(x);
  split[1] = split[1].floorDiv(groups);
  split.insert(split.begin() + 1, groups);
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(permutation[1], permutation[2]);
  return call.replace(call.transpose(call.reshape(x, split), permutation));
}

void addShapes(AtenTable &table) {
  table.add({"constant_pad_nd.default"}, convertConstantPad);
  table.add({"reflection_pad1d.default", "reflection_pad2d.default",
             "reflection_pad3d.default"},
            convertPadding<PadMode::Reflect>);
  table.add({"replication_pad1d.default", "replication_pad2d.default",
             "replication_pad3d.default"},
            convertPadding<PadMode::Replicate>);
  table.add({"pad.default"}, convertPad);
  table.add({"flip.default"}, convertFlip);
  table.add({"flipud.default"}, convertFlipDim<0>);
  table.add({"fliplr.default"}, convertFlipDim<1>);
  table.add({"fft_fftshift.default"}, convertHalfRoll<false>);
  table.add({"fft_ifftshift.default"}, convertHalfRoll<true>);
  table.add({"roll.default"}, convertRoll);
  table.add({"repeat.default", "tile.default"}, convertRepeat);
  table.add({"repeat_interleave.self_int"}, convertRepeatInterleave);
  table.add({"tril.default"}, convertTriangle<true>);
  table.add({"triu.default"}, convertTriangle<false>);
  table.add({"diff.default"}, convertDiff);
  table.add({"pixel_shuffle.default"}, convertPixelShuffle<false>);
  table.add({"pixel_unshuffle.default"}, convertPixelShuffle<true>);
  table.add({"channel_shuffle.default", "native_channel_shuffle.default"},
            convertChannelShuffle);
  table.add({"rot90.default"}, convertRot90);
}

} // namespace tc::aten
