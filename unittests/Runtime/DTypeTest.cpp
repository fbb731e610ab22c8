//===- DTypeTest.cpp - Tests of the table of element types ----------------===//

#include "TC/Runtime/DType.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tc::runtime;

namespace {

TEST(DType, NamesAreUniqueAndReadBack) {
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DType dtype = DType(i);
    EXPECT_EQ(dtypeFromName(dtypeName(dtype)), dtype);
    EXPECT_EQ(dtypeFromABI(i), dtype);
    EXPECT_GE(dtypeSize(dtype), 1u);
  }
  EXPECT_EQ(dtypeFromName("si32"), DType::I32);
  EXPECT_EQ(dtypeFromName("bool"), DType::Bool);
  EXPECT_FALSE(dtypeFromName("f31"));
  EXPECT_FALSE(dtypeFromName(""));
  EXPECT_FALSE(dtypeFromABI(-1));
  EXPECT_FALSE(dtypeFromABI(dtypeCount));
}

TEST(DType, TheTableIsInTheOrderOfTheABI) {
  EXPECT_EQ(dtypeName(DType::F64), "f64");
  EXPECT_EQ(dtypeName(DType::BF16), "bf16");
  EXPECT_EQ(dtypeName(DType::U8), "ui8");
  EXPECT_EQ(dtypeName(DType::Bool), "i1");
  EXPECT_EQ(dtypeName(DType::F8E5M2), "f8E5M2");
  EXPECT_EQ(dtypeName(DType::C128), "complex<f64>");
  EXPECT_EQ(dtypeSize(DType::C128), 16u);
}

TEST(DType, SmallValuesSurviveEveryType) {
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DType dtype = DType(i);
    alignas(16) char element[16];
    for (double value : {0.0, 1.0}) {
      storeFromDouble(dtype, element, value);
      EXPECT_EQ(loadAsDouble(dtype, element), value);
      storeFromInt(dtype, element, int64_t(value));
      EXPECT_EQ(loadAsDouble(dtype, element), value);
      EXPECT_EQ(loadAsInt(dtype, element), int64_t(value));
    }
  }
}

TEST(DType, IntegersSaturateAndTruncate) {
  int8_t small;
  storeFromDouble(DType::I8, &small, 1000);
  EXPECT_EQ(small, 127);
  storeFromDouble(DType::I8, &small, -1000);
  EXPECT_EQ(small, -128);
  storeFromDouble(DType::I8, &small, -1.9);
  EXPECT_EQ(small, -1);
  storeFromDouble(DType::I8, &small, std::nan(""));
  EXPECT_EQ(small, 0);
  uint64_t large;
  storeFromDouble(DType::U64, &large, 1e300);
  EXPECT_EQ(large, UINT64_MAX);
  storeFromDouble(DType::U64, &large, -1);
  EXPECT_EQ(large, 0u);
  int64_t signedLarge;
  storeFromDouble(DType::I64, &signedLarge, 9.3e18);
  EXPECT_EQ(signedLarge, INT64_MAX);
  storeFromInt(DType::I64, &signedLarge, INT64_MIN);
  EXPECT_EQ(loadAsInt(DType::I64, &signedLarge), INT64_MIN);
}

} // namespace
