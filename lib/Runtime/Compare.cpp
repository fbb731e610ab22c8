//===- Compare.cpp - Comparing tensors ------------------------------------===//

#include "TC/Runtime/Compare.h"
#include "TC/Runtime/TensorPrint.h"
#include "TC/Runtime/TensorSpec.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace tc::runtime;

Tolerance tc::runtime::defaultTolerance(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return {1e-3, 1e-5};
  case DType::BF16:
    return {1.6e-2, 1e-5};
  case DType::F32:
  case DType::C64:
    return {1.3e-6, 1e-5};
  case DType::F64:
  case DType::C128:
    return {1e-7, 1e-7};
  default:
    return {0, 0};
  }
}

namespace {

/// The difference of two elements.
struct Difference {
  bool close;
  double absolute; ///< NaN when one is a NaN
  double relative;
};

Difference differenceOfNumbers(std::complex<double> actual,
                               std::complex<double> expected,
                               const Tolerance &tolerance) {
  auto isNaN = [](std::complex<double> value) {
    return std::isnan(value.real()) || std::isnan(value.imag());
  };
  if (actual == expected)
    return {true, 0, 0};
  if (isNaN(actual) || isNaN(expected)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {tolerance.equalNaN && isNaN(actual) && isNaN(expected), nan, nan};
  }
  const double absolute = std::abs(actual - expected);
  const double size = std::abs(expected);
  const bool close = std::isfinite(size) && std::isfinite(absolute) &&
                     absolute <= tolerance.absolute + tolerance.relative * size;
  return {close, absolute, absolute / size};
}

Difference differenceOfIntegers(DType dtype, const void *actual,
                                const void *expected,
                                const Tolerance &tolerance) {
  // Exact also beyond 2^53, and for ui64.
  const int64_t a = loadAsInt(dtype, actual), e = loadAsInt(dtype, expected);
  if (a == e)
    return {true, 0, 0};
  const bool isUnsigned = dtype == DType::U64;
  const bool less = isUnsigned ? uint64_t(a) < uint64_t(e) : a < e;
  const auto absolute =
      double(less ? uint64_t(e) - uint64_t(a) : uint64_t(a) - uint64_t(e));
  const double size = isUnsigned ? double(uint64_t(e)) : std::abs(double(e));
  return {absolute <= tolerance.absolute + tolerance.relative * size, absolute,
          absolute / size};
}

std::complex<double> loadComplex(DType dtype, const void *element) {
  if (!isComplex(dtype))
    return loadAsDouble(dtype, element);
  const DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
  const char *bytes = static_cast<const char *>(element);
  return {loadAsDouble(part, bytes),
          loadAsDouble(part, bytes + dtypeSize(part))};
}

Difference difference(DType dtype, const void *actual, const void *expected,
                      const Tolerance &tolerance) {
  if (isFloat(dtype) || isComplex(dtype))
    return differenceOfNumbers(loadComplex(dtype, actual),
                               loadComplex(dtype, expected), tolerance);
  return differenceOfIntegers(dtype, actual, expected, tolerance);
}

/// Whether an error is larger than the largest so far; a NaN is the largest.
bool isWorse(double error, double worst) {
  return std::isnan(error) ? !std::isnan(worst) : error > worst;
}

std::string printNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string printIndex(const std::vector<int64_t> &index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

std::string describe(const char *which, const Mismatch &mismatch) {
  return std::string("\n  ") + which + " at " + printIndex(mismatch.index) +
         ": actual " + mismatch.actual + ", expected " + mismatch.expected +
         ", absolute error " + printNumber(mismatch.absoluteError) +
         ", relative error " + printNumber(mismatch.relativeError);
}

Mismatch makeMismatch(const Tensor &actual, const Tensor &expected,
                      int64_t flat, const Difference &difference) {
  Mismatch mismatch;
  mismatch.actual = printElement(actual.dtype(), actual.elementAddress(flat));
  mismatch.expected =
      printElement(expected.dtype(), expected.elementAddress(flat));
  mismatch.absoluteError = difference.absolute;
  mismatch.relativeError = difference.relative;
  mismatch.index.resize(size_t(actual.rank()));
  for (int32_t i = actual.rank(); i-- > 0;) {
    mismatch.index[size_t(i)] = flat % actual.size(i);
    flat /= actual.size(i);
  }
  return mismatch;
}

std::string describeAll(const Comparison &result, const Tolerance &tolerance) {
  const double percent =
      100.0 * double(result.mismatchCount) / double(result.elementCount);
  char share[32];
  std::snprintf(share, sizeof(share), "%.3g%%", percent);
  return std::to_string(result.mismatchCount) + " of " +
         std::to_string(result.elementCount) + " elements (" + share +
         ") are not within " + printNumber(tolerance.absolute) + " + " +
         printNumber(tolerance.relative) + " * |expected|" +
         describe("first", *result.first) +
         describe("largest absolute error", *result.worstAbsolute) +
         describe("largest relative error", *result.worstRelative);
}

} // namespace

Comparison tc::runtime::compareTensors(const Tensor &actual,
                                       const Tensor &expected,
                                       std::optional<Tolerance> given) {
  Comparison result;
  const std::string types =
      "actual " + actual.typeString() + ", expected " + expected.typeString();
  auto differs = [&](const std::string &message) {
    result.close = false;
    result.message = message;
    return result;
  };
  if (actual.dtype() != expected.dtype())
    return differs("the dtypes differ: " + types);
  if (!std::equal(actual.sizes().begin(), actual.sizes().end(),
                  expected.sizes().begin(), expected.sizes().end()))
    return differs("the sizes differ: " + types);
  if (actual.deviceKind() != TC_DEVICE_CPU ||
      expected.deviceKind() != TC_DEVICE_CPU)
    return differs("only tensors in host memory can be compared");
  Expected<Tensor> left = actual.contiguous(), right = expected.contiguous();
  if (!left.ok() || !right.ok())
    return differs(left.ok() ? right.error().message()
                             : left.error().message());

  const DType dtype = actual.dtype();
  const Tolerance tolerance = given.value_or(defaultTolerance(dtype));
  const size_t bytes = dtypeSize(dtype);
  const char *leftData = left->dataAs<char>(),
             *rightData = right->dataAs<char>();
  result.elementCount = actual.elementCount();
  int64_t first = -1, worstAbsolute = -1, worstRelative = -1;
  Difference worst{false, -1, -1};
  for (int64_t i = 0; i < result.elementCount; ++i) {
    const char *a = leftData + size_t(i) * bytes;
    const char *e = rightData + size_t(i) * bytes;
    // Equal bits are close, but for NaNs that are not.
    if (tolerance.equalNaN && std::memcmp(a, e, bytes) == 0)
      continue;
    const Difference here = difference(dtype, a, e, tolerance);
    if (here.close)
      continue;
    ++result.mismatchCount;
    if (first < 0)
      first = i;
    if (isWorse(here.absolute, worst.absolute)) {
      worst.absolute = here.absolute;
      worstAbsolute = i;
    }
    if (isWorse(here.relative, worst.relative)) {
      worst.relative = here.relative;
      worstRelative = i;
    }
  }
  if (result.mismatchCount == 0)
    return result;
  auto mismatchAt = [&](int64_t flat) {
    const char *a = leftData + size_t(flat) * bytes;
    const char *e = rightData + size_t(flat) * bytes;
    return makeMismatch(*left, *right, flat,
                        difference(dtype, a, e, tolerance));
  };
  result.close = false;
  result.first = mismatchAt(first);
  result.worstAbsolute = mismatchAt(worstAbsolute);
  result.worstRelative = mismatchAt(worstRelative);
  result.message = describeAll(result, tolerance);
  return result;
}
