//===- CompareTest.cpp - Tests of comparing tensors -----------------------===//

#include "TC/Runtime/Compare.h"
#include "TC/Runtime/TensorSpec.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tc::runtime;

namespace {

Tensor tensor(std::string_view spec) { return (*parseInputSpec(spec))[0]; }

Comparison compare(std::string_view actual, std::string_view expected,
                   std::optional<Tolerance> tolerance = std::nullopt) {
  return compareTensors(tensor(actual), tensor(expected), tolerance);
}

TEST(Compare, DefaultsAreThoseOfTorch) {
  EXPECT_EQ(defaultTolerance(DType::F16).relative, 1e-3);
  EXPECT_EQ(defaultTolerance(DType::BF16).relative, 1.6e-2);
  EXPECT_EQ(defaultTolerance(DType::F32).relative, 1.3e-6);
  EXPECT_EQ(defaultTolerance(DType::F32).absolute, 1e-5);
  EXPECT_EQ(defaultTolerance(DType::F64).absolute, 1e-7);
  EXPECT_EQ(defaultTolerance(DType::I32).relative, 0);
  EXPECT_TRUE(compare("f32=1.00001", "f32=1").close);
  EXPECT_FALSE(compare("f32=1.00002", "f32=1").close);
  EXPECT_TRUE(compare("bf16=100", "bf16=101").close);
  EXPECT_FALSE(compare("bf16=100", "bf16=102").close);
  EXPECT_FALSE(compare("f64=1", "f64=1.000001").close);
  EXPECT_FALSE(compare("i32=5", "i32=6").close);
  EXPECT_FALSE(compare("i1=0", "i1=1").close);
}

TEST(Compare, NamesTheMismatches) {
  Comparison result =
      compare("2x3xf32=[1 2.5 3][4 5 1e-3]", "2x3xf32=[1 2 3][4 6 2e-3]");
  EXPECT_FALSE(result.close);
  EXPECT_EQ(result.elementCount, 6);
  EXPECT_EQ(result.mismatchCount, 3);
  EXPECT_EQ(result.first->index, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(result.worstAbsolute->index, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(result.worstRelative->index, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(
      result.message,
      "3 of 6 elements (50%) are not within 1e-05 + 1.3e-06 * |expected|\n"
      "  first at [0, 1]: actual 2.5, expected 2, absolute error 0.5, relative "
      "error 0.25\n"
      "  largest absolute error at [1, 1]: actual 5, expected 6, absolute "
      "error 1, relative error 0.166667\n"
      "  largest relative error at [1, 2]: actual 0.001, expected 0.002, "
      "absolute error 0.001, relative error 0.5");
  EXPECT_EQ(compare("f32=1", "f32=1").message, "");
}

TEST(Compare, SpecialValues) {
  EXPECT_TRUE(compare("2xf32=inf -inf", "2xf32=inf -inf").close);
  EXPECT_FALSE(compare("f32=inf", "f32=-inf").close);
  EXPECT_FALSE(compare("f32=1", "f32=inf").close);
  EXPECT_FALSE(compare("f32=inf", "f32=1").close);
  EXPECT_TRUE(compare("f32=nan", "f32=nan").close);
  EXPECT_FALSE(compare("f32=nan", "f32=nan", Tolerance{1, 1, false}).close);
  EXPECT_FALSE(compare("f32=nan", "f32=1", Tolerance{1, 1e9}).close);
  EXPECT_TRUE(compare("f32=0", "f32=-0.0").close);
  Comparison result = compare("3xf32=5 nan 9", "3xf32=1 1 1");
  EXPECT_EQ(result.worstAbsolute->index, (std::vector<int64_t>{1}));
  EXPECT_EQ(result.worstAbsolute->actual, "nan");
  EXPECT_TRUE(std::isnan(result.worstAbsolute->absoluteError));
}

TEST(Compare, IntegersAreExactBeyondDoublePrecision) {
  EXPECT_FALSE(compare("i64=9007199254740993", "i64=9007199254740992").close);
  Comparison result = compare("ui64=18446744073709551615", "ui64=0");
  EXPECT_FALSE(result.close);
  EXPECT_DOUBLE_EQ(result.first->absoluteError, 18446744073709551615.0);
  EXPECT_TRUE(compare("i64=9223372036854775807", "i64=-9223372036854775808",
                      Tolerance{0, 2e19})
                  .close);
  EXPECT_TRUE(compare("i8=5", "i8=6", Tolerance{0, 1}).close);
}

TEST(Compare, ComplexNumbers) {
  EXPECT_TRUE(compare("complex<f32>=1+1j", "complex<f32>=1+1.000001j").close);
  EXPECT_FALSE(compare("complex<f64>=1+1j", "complex<f64>=1+2j").close);
}

TEST(Compare, TypesMustAgree) {
  EXPECT_EQ(compare("f32=1", "f64=1").message,
            "the dtypes differ: actual f32, expected f64");
  EXPECT_EQ(compare("2x3xf32", "3x2xf32").message,
            "the sizes differ: actual 2x3xf32, expected 3x2xf32");
  EXPECT_FALSE(compare("2xf32", "2x1xf32").close);
  EXPECT_TRUE(compare("0xf32", "0xf32").close);
}

TEST(Compare, StridedTensors) {
  Tensor base = tensor("2x3xi32=1 2 3 4 5 6");
  const std::vector<int64_t> sizes = {3, 2}, strides = {1, 3};
  Tensor transposed = *Tensor::view(base.storage(), DType::I32, sizes, strides);
  EXPECT_TRUE(compareTensors(transposed, tensor("3x2xi32=1 4 2 5 3 6")).close);
}

} // namespace
