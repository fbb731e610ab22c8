//===- Grids.cpp - sampling at positions that a tensor holds --------------===//
//
// PyTorch's ATen/native/GridSampler.h says what the modes mean.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"
#include "Resampling.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
enum class Interpolation { Linear, Nearest, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// The input and the mode of a sampling: x is [batch, channels, spatial...].
struct Sampler {
  AtenCall &call;
  Value x;
  Padding padding;
  bool alignCorners;

  int64_t spatialRank() const { return rankOf(x) - 2; }
  /// The size of a spatial dimension as a number of the type of `like`.
  Value size(int64_t axis, Value like, int64_t more = 0) const {
    return call.fillSize(sizesOf(x)[axis + 2].add(more), like);
  }
  Value unnormalize(Value position, int64_t axis) const;
  Value reflect(Value position, int64_t axis) const;
  Value clip(Value position, int64_t axis) const;
  Value pad(Value position, int64_t axis) const;
  Value take(ArrayRef<Value> corner) const;
};
} // namespace

/// From [-1, 1] to elements.
Value Sampler::unnormalize(Value position, int64_t axis) const {
  if (alignCorners)
    return call.binary<MulOp>(
        call.binary<MulOp>(call.binary<AddOp>(position, 1.0), 0.5),
        size(axis, position, -1));
  Value scaled = call.binary<MulOp>(call.binary<AddOp>(position, 1.0),
                                    size(axis, position));
  return call.binary<MulOp>(call.binary<SubOp>(scaled, 1.0), 0.5);
}

Value Sampler::clip(Value position, int64_t axis) const {
  return call.binary<MinimumOp>(call.binary<MaximumOp>(position, 0.0),
                                size(axis, position, -1));
}

/// Folded back at the first and the last element, or half an element outside.
Value Sampler::reflect(Value position, int64_t axis) const {
  double low = alignCorners ? 0.0 : -0.5;
  Value span = size(axis, position, alignCorners ? -1 : 0);
  Value isPoint = call.binary<LeOp>(span, 0.0);
  span = call.select(isPoint, call.fill(1.0, span), span);
  Value distance = call.unary<AbsOp>(call.binary<SubOp>(position, low));
  Value flips = call.unary<FloorOp>(call.binary<DivOp>(distance, span));
  Value extra = call.binary<FmodOp>(distance, span);
  Value isEven =
      call.binary<EqOp>(call.binary<FmodOp>(flips, call.fill(2.0, flips)), 0.0);
  Value folded = call.select(isEven, extra, call.binary<SubOp>(span, extra));
  folded = call.binary<AddOp>(folded, low);
  return call.select(isPoint, call.fill(0.0, folded), folded);
}

Value Sampler::pad(Value position, int64_t axis) const {
  if (padding == Padding::Zeros)
    return position;
  if (padding == Padding::Reflection)
    position = reflect(position, axis);
  return clip(position, axis);
}

/// The elements at whole positions, one a spatial dimension, [batch,
/// positions...] each: [batch, channels, positions...], 0 outside.
Value Sampler::take(ArrayRef<Value> corner) const {
  Sizes positions = sizesOf(corner.front());
  SmallVector<Value> indices{call.iota(positions, 0)};
  SmallVector<int64_t> dims{0};
  Value isInside;
  for (auto [axis, position] : llvm::enumerate(corner)) {
    Value isHere = call.binary<BitwiseAndOp>(
        call.binary<GeOp>(position, 0.0),
        call.binary<LeOp>(position, size(axis, position, -1)));
    isInside = isInside ? call.binary<BitwiseAndOp>(isInside, isHere) : isHere;
    // NaN and positions far outside read an element that is not used.
    Value safe = call.select(isHere, position, call.fill(0.0, position));
    indices.push_back(call.cast(safe, call.builder.getI64Type()));
    dims.push_back(axis + 2);
  }
  Sizes sizes = positions;
  sizes.push_back(sizesOf(x)[1]);
  Value taken =
      IndexOp::create(call.builder, call.location,
                      getTensorType(sizes, elementOf(x)), x, indices, dims,
                      /*non_negative=*/true);
  taken = call.select(call.spreadBack(isInside, rankOf(taken) - 1, sizes),
                      taken, call.fill(0.0, taken));
  SmallVector<int64_t> permutation{0, rankOf(taken) - 1};
  for (int64_t dim = 1; dim < rankOf(taken) - 1; ++dim)
    permutation.push_back(dim);
  return call.transpose(taken, permutation);
}

/// `weight` [batch, positions...] times `values` [batch, channels,
/// positions...].
static Value scale(AtenCall &call, Value values, Value weight) {
  return call.binary<MulOp>(values,
                            call.spreadBack(weight, 1, sizesOf(values)));
}

static Value sampleLinear(const Sampler &sampler, ArrayRef<Value> positions) {
  AtenCall &call = sampler.call;
  SmallVector<Value> first, fraction;
  for (Value position : positions) {
    first.push_back(call.unary<FloorOp>(position));
    fraction.push_back(call.binary<SubOp>(position, first.back()));
  }
  Value sum;
  for (unsigned corner = 0; corner < 1u << positions.size(); ++corner) {
    SmallVector<Value> at;
    Value weight;
    for (size_t axis = 0; axis < positions.size(); ++axis) {
      bool isNext = corner >> axis & 1;
      at.push_back(isNext ? call.binary<AddOp>(first[axis], 1.0) : first[axis]);
      Value part = isNext ? fraction[axis]
                          : call.binary<SubOp>(call.fill(1.0, fraction[axis]),
                                               fraction[axis]);
      weight = weight ? call.binary<MulOp>(weight, part) : part;
    }
    Value part = scale(call, sampler.take(at), weight);
    sum = sum ? call.binary<AddOp>(sum, part) : part;
  }
  return sum;
}

static Value sampleCubic(const Sampler &sampler, ArrayRef<Value> positions) {
  AtenCall &call = sampler.call;
  SmallVector<Value> first;
  SmallVector<SmallVector<Value>> weights;
  for (Value position : positions) {
    first.push_back(call.unary<FloorOp>(position));
    weights.push_back(
        getCubicWeights(call, call.binary<SubOp>(position, first.back())));
  }
  Value sum;
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 4; ++column) {
      unsigned taps[] = {row, column};
      SmallVector<Value> at;
      for (size_t axis = 0; axis < 2; ++axis)
        at.push_back(
            sampler.pad(call.binary<AddOp>(
                            first[axis], static_cast<double>(taps[axis]) - 1.0),
                        axis));
      Value weight = call.binary<MulOp>(weights[0][row], weights[1][column]);
      Value part = scale(call, sampler.take(at), weight);
      sum = sum ? call.binary<AddOp>(sum, part) : part;
    }
  return sum;
}

// Pattern: aten.grid_sampler_2d(x, grid) -> sum of tc.index_tensors x[corner],
// weighted
static LogicalResult convertGridSampler(AtenCall &call) {
  Value x = call.widen(call.getTensor("input"));
  Value grid = call.cast(call.getTensor("grid"), elementOf(x));
  int64_t mode = call.getInteger("interpolation_mode"),
          padding = call.getInteger("padding_mode"), rank = rankOf(x);
  if (call.hasFailed() || !isa<FloatType>(elementOf(x)) || rank < 4 ||
      rank > 5 || rankOf(grid) != rank || mode < 0 || mode > 2 || padding < 0 ||
      padding > 2 || (mode == 2 && rank == 5))
    return call.hasFailed() ? failure() : call.refuse("these arguments");
  Sampler sampler{call, x, static_cast<Padding>(padding),
                  call.getBool("align_corners")};
  auto interpolation = static_cast<Interpolation>(mode);
  Sizes sizes = sizesOf(grid);
  sizes[0] = sizesOf(x)[0];
  sizes.pop_back();
  SmallVector<Value> positions;
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    // The last dimension comes first in the grid.
    Value part = call.slice(grid, rank - 1, call.constant(rank - 3 - axis),
                            call.constant(1));
    part = sampler.unnormalize(call.reshape(part, sizes), axis);
    positions.push_back(
        interpolation == Interpolation::Cubic ? part : sampler.pad(part, axis));
  }
  Value result;
  if (interpolation == Interpolation::Linear) {
    result = sampleLinear(sampler, positions);
  } else if (interpolation == Interpolation::Cubic) {
    result = sampleCubic(sampler, positions);
  } else {
    for (Value &position : positions)
      position = call.unary<RoundOp>(position);
    result = sampler.take(positions);
  }
  return call.hasFailed() ? failure() : call.replace(result);
}

/// The positions of `size` elements between -1 and 1, in f64.
static Value getBase(AtenCall &call, SizeExpr size, bool alignCorners) {
  Value at = call.cast(call.iota(size, 0), call.builder.getF64Type());
  Value count = call.fillSize(size, at);
  Value steps = call.binary<MaximumOp>(call.binary<SubOp>(count, 1.0), 1.0);
  // 2 i / (n - 1) - 1, or (2 i + 1) / n - 1; 0 of a single element
  Value twice = call.binary<MulOp>(at, 2.0);
  Value position =
      alignCorners
          ? call.binary<SubOp>(call.binary<DivOp>(twice, steps), 1.0)
          : call.binary<SubOp>(
                call.binary<DivOp>(call.binary<AddOp>(twice, 1.0), count), 1.0);
  return call.select(call.binary<LeOp>(count, 1.0), call.fill(0.0, position),
                     position);
}

// Pattern: aten.affine_grid_generator(theta, size) -> sum of theta times
// tc.iota along each dimension
static LogicalResult convertAffineGrid(AtenCall &call) {
  Value theta = call.widen(call.getTensor("theta"));
  Sizes size = call.getSizeList("size");
  bool alignCorners = call.getBool("align_corners");
  int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  if (call.hasFailed() || spatial < 2 || spatial > 3 || rankOf(theta) != 3)
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Sizes sizes{sizesOf(theta)[0]};
  sizes.append(size.begin() + 2, size.end());
  sizes.push_back(call.constant(spatial));
  auto column = [&](int64_t at) { // [batch, spatial] spread over all
    Value part = call.slice(theta, 2, call.constant(at), call.constant(1));
    Sizes shape(sizes.size(), call.constant(1));
    shape.front() = sizes.front();
    shape.back() = sizes.back();
    return call.broadcast(call.reshape(part, shape), sizes);
  };
  Value sum = column(spatial);
  for (int64_t at = 0; at < spatial; ++at) {
    int64_t dim = spatial - at; // x is the last dimension
    Value base =
        call.cast(getBase(call, sizes[dim], alignCorners), elementOf(theta));
    Sizes shape(sizes.size(), call.constant(1));
    shape[dim] = sizes[dim];
    base = call.broadcast(call.reshape(base, shape), sizes);
    sum = call.binary<AddOp>(sum, call.binary<MulOp>(column(at), base));
  }
  return call.hasFailed() ? failure() : call.replace(sum);
}

void addGrids(AtenTable &table) {
  table.add({"grid_sampler.default", "grid_sampler_2d.default",
             "grid_sampler_3d.default",
             "_grid_sampler_2d_cpu_fallback.default"},
            convertGridSampler);
  table.add({"affine_grid_generator.default"}, convertAffineGrid);
}

} // namespace tc::aten
