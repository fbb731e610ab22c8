//===- Resampling.h - weights of elements around a position -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H
#define TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H

#include "AtenCall.h"

namespace tc::aten {

/// The scale, in / out, of each spatial dimension where the call gives factors.
mlir::DenseF64ArrayAttr getScales(AtenCall &call, int64_t spatialRank);

/// Resamples the last two dimensions of an input [N, C, H, W], columns before
/// rows, and replaces the call; `resample` makes dimension `dim` of x, which
/// has at least f32, have `size` elements. `scale` is in / out where it is
/// given.
using ResampleDim = llvm::function_ref<mlir::Value(
    mlir::Value x, int64_t dim, SizeExpr size, std::optional<double> scale,
    bool alignCorners)>;
mlir::LogicalResult resampleColumnsAndRows(AtenCall &call,
                                           ResampleDim resample);

/// a * t^3 + b * t^2 + c * t + d
mlir::Value cubic(AtenCall &call, mlir::Value t, double a, double b, double c,
                  double d);

/// The weights of the four elements around a position, which is `t` after the
/// second; the constant is that of PyTorch.
llvm::SmallVector<mlir::Value> getCubicWeights(AtenCall &call, mlir::Value t);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H
