//===- Compare.h - Comparing tensors ----------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_COMPARE_H
#define TC_RUNTIME_COMPARE_H

#include "TC/Runtime/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tc::runtime {

/// An element is close if |actual - expected| <= absolute + relative *
/// |expected|. Infinities must be equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  bool equalNaN = true; ///< a NaN is close to a NaN
};

/// The tolerance of torch.testing.assert_close for a dtype: f16 1e-3, bf16
/// 1.6e-2 and f32 1.3e-6 relative with 1e-5 absolute, f64 1e-7 for both,
/// complex numbers as their parts, all else exact. Unlike there, NaNs are
/// equal.
Tolerance defaultTolerance(DType dtype);

/// One element that is not close.
struct Mismatch {
  std::vector<int64_t> index;
  std::string actual;
  std::string expected;
  double absoluteError = 0; ///< NaN when one of the two is
  double relativeError = 0;
};

struct Comparison {
  bool close = true;
  int64_t elementCount = 0;
  int64_t mismatchCount = 0;
  std::optional<Mismatch> first;
  /// The mismatch with the largest absolute error, and the one with the largest
  /// relative error; a NaN counts as the largest.
  std::optional<Mismatch> worstAbsolute;
  std::optional<Mismatch> worstRelative;
  /// The differences as text of several lines; empty when close.
  std::string message;
};

/// Compares host tensors. Different dtypes or sizes are not close. Without a
/// tolerance the default of the dtype is used.
Comparison compareTensors(const Tensor &actual, const Tensor &expected,
                          std::optional<Tolerance> tolerance = std::nullopt);

} // namespace tc::runtime

#endif // TC_RUNTIME_COMPARE_H
