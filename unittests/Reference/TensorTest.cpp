//===- TensorTest.cpp - Tensor values and their bytes ---------------------===//

#include "ReferenceTest.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace tc::reference {

using TensorTest = ReferenceTest;

// Every 16-bit and 8-bit pattern survives decoding and encoding, and decodes to
// what APFloat says.
TEST_F(TensorTest, NarrowFloatsRoundTrip) {
  for (StringRef name : {"f16", "bf16", "f8E4M3FN", "f8E5M2"}) {
    auto floatType = cast<FloatType>(type(name));
    unsigned width = floatType.getWidth();
    for (uint32_t bits = 0; bits < (1u << width); ++bits) {
      char bytes[2] = {char(bits), char(bits >> 8)};
      Word word;
      decodeElements(bytes, floatType, &word, 1);
      double value = llvm::bit_cast<double>(uint64_t(word));
      APFloat expected(floatType.getFloatSemantics(), APInt(width, bits));
      ASSERT_EQ(std::isnan(value), expected.isNaN())
          << name.str() << " " << bits;
      ASSERT_EQ(std::signbit(value), expected.isNegative());
      if (std::isnan(value))
        continue;
      bool losesInfo;
      expected.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
      ASSERT_EQ(value, expected.convertToDouble()) << name.str() << " " << bits;
      char again[2] = {0, 0};
      encodeElements(&word, floatType, again, 1);
      ASSERT_EQ(uint8_t(bytes[0]), uint8_t(again[0]))
          << name.str() << " " << bits;
      if (width == 16)
        ASSERT_EQ(uint8_t(bytes[1]), uint8_t(again[1]))
            << name.str() << " " << bits;
    }
  }
}

// The bits of complex numbers survive decoding and encoding, and equal numbers
// are equal words.
TEST_F(TensorTest, ComplexNumbersRoundTrip) {
  for (StringRef name : {"complex<f32>", "complex<f64>"}) {
    Type complex = type(name);
    int64_t size = getStoredBytes(complex);
    std::vector<char> bytes(5 * size, 0);
    for (int64_t i = size; i < 4 * size; ++i)
      bytes[i] = char(37 * i + 11);
    std::copy_n(bytes.begin() + size, size, bytes.begin() + 4 * size);
    auto tensor =
        Tensor::fromBytes(UnknownLoc::get(&context), complex, {5}, bytes);
    ASSERT_TRUE(succeeded(tensor));
    EXPECT_EQ(tensor->toBytes(), bytes);
    EXPECT_EQ(uint64_t(tensor->words()[0]), 0u);
    EXPECT_EQ(uint64_t(tensor->words()[1]), uint64_t(tensor->words()[4]));
    EXPECT_NE(uint64_t(tensor->words()[1]), uint64_t(tensor->words()[2]));
  }
  Tensor zero(type("complex<f64>"), {1});
  EXPECT_EQ(zero.str(), "tensor<1xcomplex<f64>> [(0, 0)]");
}

// Rounding of doubles agrees with APFloat around ties, subnormals and overflow,
// which has the largest number in place of NaN.
TEST_F(TensorTest, RoundingAgreesWithAPFloat) {
  for (StringRef name : {"f16", "bf16", "f8E4M3FN", "f8E5M2", "f32"}) {
    auto floatType = cast<FloatType>(type(name));
    for (double value :
         {1.0,       1.00048828125, 1.00390625, 1.01171875, 65504.0, 65519.9,
          65520.0,   448.0,         463.9,      464.0,      57344.0, 61440.0,
          3.5e38,    1e-7,          5.9e-8,     2.9e-8,     1e-40,   6e-5,
          0.0078125, 1.0 / 3.0,     -2.71828}) {
      APFloat expected(value);
      bool losesInfo;
      expected.convert(floatType.getFloatSemantics(),
                       APFloat::rmNearestTiesToEven, &losesInfo);
      double rounded = roundToType(value, floatType);
      if (expected.isNaN()) {
        EXPECT_EQ(std::abs(rounded), 448.0) << name.str() << " " << value;
        continue;
      }
      expected.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
      EXPECT_EQ(rounded, expected.convertToDouble())
          << name.str() << " " << value;
    }
  }
}

TEST_F(TensorTest, IntegersWrapAndRoundTrip) {
  Tensor tensor = integers("i8", {3}, {127, 128, -129});
  expectIntegers(tensor, {127, -128, 127});
  std::vector<char> bytes = tensor.toBytes();
  ASSERT_EQ(bytes.size(), 3u);
  auto again =
      Tensor::fromBytes(UnknownLoc::get(&context), type("i8"), {3}, bytes);
  ASSERT_TRUE(succeeded(again));
  expectIntegers(*again, {127, -128, 127});
  expectIntegers(integers("ui8", {3}, {255, 256, -1}), {255, 0, 255});
}

TEST_F(TensorTest, ZeroSizeAndScalarTensors) {
  EXPECT_EQ(Tensor(type("f32"), {2, 0, 3}).getElementCount(), 0);
  Tensor scalar = floats("f32", {}, {1.5});
  EXPECT_EQ(scalar.getElementCount(), 1);
  EXPECT_EQ(scalar.getByteCount(), 4);
}

TEST_F(TensorTest, WrongByteCountIsAnError) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(Tensor::fromBytes(UnknownLoc::get(&context), type("f32"),
                                       {3}, std::vector<char>(8))));
  EXPECT_EQ(
      errors,
      "a tensor of type 'f32' with 3 elements takes 12 bytes, but 8 are given");
}

} // namespace tc::reference
