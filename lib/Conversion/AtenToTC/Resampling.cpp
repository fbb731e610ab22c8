//===- Resampling.cpp - weights of elements around a position -------------===//

#include "Resampling.h"
#include "Promotion.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

DenseF64ArrayAttr getScales(AtenCall &call, int64_t spatialRank) {
  SmallVector<double> scales;
  if (Attribute factors = call.getArgument("scale_factors")) {
    if (auto list = dyn_cast<ArrayAttr>(factors))
      for (Attribute factor : list)
        scales.push_back(
            1.0 /
            cast<FloatAttr>(convertNumber(factor, call.builder.getF64Type()))
                .getValueAsDouble());
  } else {
    for (StringRef name : {"scales_d", "scales_h", "scales_w", "scales"})
      if (call.getArgument(name) && !call.isNone(name))
        scales.push_back(1.0 / call.getReal(name));
  }
  if (static_cast<int64_t>(scales.size()) != spatialRank) {
    if (!scales.empty())
      (void)call.refuse("scales of some dimensions alone");
    return DenseF64ArrayAttr();
  }
  return call.builder.getDenseF64ArrayAttr(scales);
}

Value cubic(AtenCall &call, Value t, double a, double b, double c, double d) {
  Value sum = call.binary<AddOp>(call.binary<MulOp>(t, a), b);
  sum = call.binary<AddOp>(call.binary<MulOp>(sum, t), c);
  return call.binary<AddOp>(call.binary<MulOp>(sum, t), d);
}

SmallVector<Value> getCubicWeights(AtenCall &call, Value t) {
  constexpr double a = -0.75;
  Value one = call.fill(1.0, t), rest = call.binary<SubOp>(one, t);
  auto near = [&](Value x) { return cubic(call, x, a + 2, -(a + 3), 0, 1); };
  auto far = [&](Value x) {
    return cubic(call, call.binary<AddOp>(x, one), a, -5 * a, 8 * a, -4 * a);
  };
  return {far(t), near(t), near(rest), far(rest)};
}

LogicalResult resampleColumnsAndRows(AtenCall &call, ResampleDim resample) {
  Value x = call.getTensor(call.getArgument("input") ? "input" : "self");
  if (!isa<FloatType>(elementOf(x)) || rankOf(x) != 4)
    return call.refuse("an input of this type or rank");
  bool alignCorners = call.getBool("align_corners");
  DenseF64ArrayAttr scales = getScales(call, 2);
  Sizes sizes = getSizes(call.getResultType());
  if (call.hasFailed())
    return failure();
  x = call.widen(x);
  for (int64_t dim : {3, 2})
    x = resample(x, dim, sizes[dim],
                 scales ? std::optional(scales[dim - 2]) : std::nullopt,
                 alignCorners);
  return call.replace(x);
}

} // namespace tc::aten
