//===- Antialiasing.cpp - resampling with a filter as wide as the step ----===//
//
// Along each spatial dimension an element of the result is a weighted mean of
// the elements of the input around its centre: a product with a matrix of
// [out, in] weights. Weights outside of the filter are zero.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"
#include "Resampling.h"

using namespace mlir;

namespace tc::aten {

/// 1 - |t|, and 0 from 1 on.
static Value linearFilter(AtenCall &call, Value distance) {
  Value one = call.fill(1.0, distance);
  return call.binary<MaximumOp>(call.binary<SubOp>(one, distance), 0.0);
}

/// The cubic convolution with a = -0.5, and 0 from 2 on.
static Value cubicFilter(AtenCall &call, Value distance) {
  constexpr double a = -0.5;
  Value near = cubic(call, distance, a + 2, -(a + 3), 0, 1);
  Value far = cubic(call, distance, a, -5 * a, 8 * a, -4 * a);
  auto isBelow = [&](double bound) {
    return call.binary<LtOp>(distance, call.fill(bound, distance));
  };
  Value zero = call.fill(0.0, distance);
  return call.select(isBelow(1), near, call.select(isBelow(2), far, zero));
}

using Filter = Value (*)(AtenCall &, Value);

/// The weights [out, in] of the elements of a dimension, from PyTorch's
/// HelperInterpBase; `scale` is in / out where the call gives it.
static Value getWeights(AtenCall &call, SizeExpr out, SizeExpr in, Type element,
                        std::optional<double> scale, bool alignCorners,
                        Filter filter) {
  Sizes sizes = {out, in};
  auto positions = [&](int64_t dim) {
    Value at = call.cast(call.iota(sizes, dim), element);
    return call.binary<AddOp>(at, 0.5);
  };
  Value target = positions(0), source = positions(1), step;
  if (scale && !alignCorners) {
    step = call.fill(*scale, target);
  } else {
    auto extent = [&](SizeExpr size) {
      return call.fillSize(alignCorners ? size.add(-1) : size, target);
    };
    // Corners that coincide are one element, which is what is asked for.
    Value steps = call.binary<MaximumOp>(extent(out), 1.0);
    step = call.binary<DivOp>(extent(in), steps);
    if (alignCorners) {
      Value isOne =
          call.binary<EqOp>(call.fillSize(out, target), call.fill(1.0, target));
      step = call.select(isOne, call.fill(0.0, target), step);
    }
  }
  Value centre = call.binary<MulOp>(target, step);
  Value width = call.binary<MaximumOp>(step, 1.0);
  Value distance = call.unary<AbsOp>(
      call.binary<DivOp>(call.binary<SubOp>(source, centre), width));
  Value weights = filter(call, distance);
  Value total = call.reduce(ReductionKind::Sum, weights, {1});
  Value totals =
      call.broadcast(call.reshape(total, {out, call.constant(1)}), sizes);
  return call.binary<DivOp>(weights, totals);
}

// Pattern: aten._upsample_bilinear2d_aa(x, sizes) -> tc.contract of x and the
// weights of its columns, then of its rows
template <Filter filter>
static LogicalResult convertAntialiased(AtenCall &call) {
  return resampleColumnsAndRows(call, [&](Value x, int64_t dim, SizeExpr size,
                                          std::optional<double> scale,
                                          bool alignCorners) {
    Value weights = getWeights(call, size, sizesOf(x)[dim], elementOf(x), scale,
                               alignCorners, filter);
    return call.contract(dim == 3 ? "nchi,oi->ncho" : "nciw,oi->ncow", x,
                         weights);
  });
}

void addAntialiasing(AtenTable &table) {
  table.add({"_upsample_bilinear2d_aa.default", "_upsample_bilinear2d_aa.vec"},
            convertAntialiased<linearFilter>);
  table.add({"_upsample_bicubic2d_aa.default", "_upsample_bicubic2d_aa.vec"},
            convertAntialiased<cubicFilter>);
}

} // namespace tc::aten
