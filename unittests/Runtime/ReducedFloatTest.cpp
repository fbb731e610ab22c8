//===- ReducedFloatTest.cpp - Tests of 16- and 8-bit conversions ----------===//

#include "TC/Runtime/ReducedFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace tc::runtime;

namespace {

struct Format {
  const char *name;
  uint32_t signBit;
  uint32_t lastFinite;
  std::function<uint32_t(double)> encode;
  std::function<double(uint32_t)> decode;
  double largest;
  double smallest;
  bool hasInfinity;
};

class ReducedFloat : public testing::TestWithParam<Format> {};

TEST_P(ReducedFloat, DecodedValuesEncodeToThemselves) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 2 * format.signBit; ++bits) {
    const double value = format.decode(bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(format.decode(format.encode(value))));
    else
      EXPECT_EQ(format.encode(value), bits);
  }
}

// Between neighbours a and b, the midpoint rounds to the even one, and numbers
// next to it to the nearer one. This covers every rounding decision.
TEST_P(ReducedFloat, RoundsToNearestEven) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < format.lastFinite; ++bits) {
    const double low = format.decode(bits), high = format.decode(bits + 1);
    ASSERT_LT(low, high);
    const double middle = (low + high) / 2;
    const double infinity = std::numeric_limits<double>::infinity();
    for (double sign : {1.0, -1.0}) {
      const uint32_t signBits = sign < 0 ? format.signBit : 0;
      EXPECT_EQ(format.encode(sign * middle), signBits | (bits + (bits & 1)));
      EXPECT_EQ(format.encode(sign * std::nextafter(middle, 0)),
                signBits | bits);
      EXPECT_EQ(format.encode(sign * std::nextafter(middle, infinity)),
                signBits | (bits + 1));
    }
  }
}

TEST_P(ReducedFloat, KnowsItsLimits) {
  const Format &format = GetParam();
  EXPECT_EQ(format.decode(format.lastFinite), format.largest);
  EXPECT_EQ(format.decode(1), format.smallest);
  EXPECT_EQ(format.encode(0.0), 0u);
  EXPECT_EQ(format.encode(-0.0), format.signBit);
  EXPECT_EQ(format.encode(format.smallest / 2), 0u);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::denorm_min()), 0u);
  const double infinity = std::numeric_limits<double>::infinity();
  for (double value : {format.largest * 2, 1e300, infinity}) {
    const double result = format.decode(format.encode(value));
    EXPECT_EQ(result, format.hasInfinity ? infinity : format.largest);
  }
  EXPECT_TRUE(std::isnan(
      format.decode(format.encode(std::numeric_limits<double>::quiet_NaN()))));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, ReducedFloat,
    testing::Values(
        Format{
            "bf16", 0x8000, 0x7f7f,
            [](double value) -> uint32_t { return encodeBF16(value); },
            [](uint32_t bits) -> double { return decodeBF16(uint16_t(bits)); },
            0x1.fep127, 0x1p-133, true},
        Format{
            "f16", 0x8000, 0x7bff,
            [](double value) -> uint32_t { return encodeF16(value); },
            [](uint32_t bits) -> double { return decodeF16(uint16_t(bits)); },
            65504, 0x1p-24, true},
        Format{"f8E4M3FN", 0x80, 0x7e,
               [](double value) -> uint32_t { return encodeF8E4M3FN(value); },
               [](uint32_t bits) -> double {
                 return decodeF8E4M3FN(uint8_t(bits));
               },
               448, 0x1p-9, false},
        Format{
            "f8E5M2", 0x80, 0x7b,
            [](double value) -> uint32_t { return encodeF8E5M2(value); },
            [](uint32_t bits) -> double { return decodeF8E5M2(uint8_t(bits)); },
            57344, 0x1p-16, true}),
    [](const auto &parameters) { return parameters.param.name; });

TEST(ReducedFloat, TheFloatFormOfBF16AgreesWithTheDoubleForm) {
  std::mt19937 random(0);
  for (int i = 0; i < 1000000; ++i) {
    const float value = std::bit_cast<float>(uint32_t(random()));
    const uint16_t bits = encodeBF16(value);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decodeBF16(bits)));
    else
      EXPECT_EQ(bits, encodeBF16(double(value)));
  }
}

} // namespace
