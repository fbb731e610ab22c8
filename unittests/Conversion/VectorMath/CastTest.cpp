//===- CastTest.cpp - Emitted conversions against APFloat -----------------===//

#include "CompiledFunction.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tc::test {
namespace {

std::vector<Type> elementTypes(MLIRContext *context) {
  Builder b(context);
  std::vector<Type> types = {b.getF64Type(),
                             b.getF32Type(),
                             b.getF16Type(),
                             b.getBF16Type(),
                             Float8E4M3FNType::get(context),
                             Float8E5M2Type::get(context),
                             b.getI1Type()};
  for (unsigned width : {8, 16, 32, 64})
    for (auto sign : {IntegerType::Signless, IntegerType::Unsigned})
      types.push_back(IntegerType::get(context, width, sign));
  return types;
}

std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// What is too large for a type without infinities is its largest number.
APFloat convertFloat(const APFloat &value, const llvm::fltSemantics &to) {
  bool losesInfo;
  APFloat result = value;
  result.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
  return result.isNaN() && !value.isNaN()
             ? APFloat::getLargest(to, value.isNegative())
             : result;
}

/// The meaning of tc.cast: floats by way of f32, out of range unspecified.
std::optional<APInt> expectedCast(const APInt &bits, Type from, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  auto toFloat = dyn_cast<FloatType>(to);
  if (from == to)
    return bits;
  if (auto fromFloat = dyn_cast<FloatType>(from)) {
    APFloat value(fromFloat.getFloatSemantics(), bits);
    if (to.isInteger(1))
      return APInt(1, value.isNonZero() ? 1 : 0);
    if (toFloat) {
      if (!from.isF32() && !to.isF32())
        value = convertFloat(value, APFloat::IEEEsingle());
      return convertFloat(value, toFloat.getFloatSemantics()).bitcastToAPInt();
    }
    llvm::APSInt integer(width, isUnsigned(to));
    bool isExact;
    if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) &
        APFloat::opInvalidOp)
      return std::nullopt;
    return integer;
  }
  if (to.isInteger(1))
    return APInt(1, bits.isZero() ? 0 : 1);
  if (!toFloat)
    return isUnsigned(from) ? bits.zextOrTrunc(width) : bits.sextOrTrunc(width);
  // From integers f64 and f32 are rounded to at once.
  const llvm::fltSemantics &wide =
      to.isF64() ? APFloat::IEEEdouble() : APFloat::IEEEsingle();
  APFloat value(wide);
  value.convertFromAPInt(bits, !isUnsigned(from), APFloat::rmNearestTiesToEven);
  return convertFloat(value, toFloat.getFloatSemantics()).bitcastToAPInt();
}

/// Bit patterns of a type: all of the narrow ones, a spread of the others.
std::vector<uint64_t> samplesOf(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  std::vector<uint64_t> samples;
  std::mt19937_64 random(width);
  if (width <= 16) {
    for (uint64_t i = 0; i < (uint64_t(1) << width); ++i)
      samples.push_back(i);
  } else {
    for (int i = 0; i < 20000; ++i)
      samples.push_back(random() >> (64 - width));
    // Around the limits of 8- and 16-bit types.
    for (int i = 0; i < 20000; ++i) {
      double value = std::ldexp(1.0 + double(random() % 4096) / 4096,
                                int(random() % 60) - 30);
      value = random() % 2 ? value : -value;
      if (type.isF64())
        samples.push_back(APFloat(value).bitcastToAPInt().getZExtValue());
      else if (type.isF32())
        samples.push_back(
            APFloat(float(value)).bitcastToAPInt().getZExtValue());
      else
        samples.push_back((random() >> (random() % 64)) &
                          (~uint64_t(0) >> (64 - width)));
    }
  }
  while (samples.size() % 64)
    samples.push_back(0);
  return samples;
}

unsigned bytesOf(Type type) {
  return std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

bool isNan(const APInt &bits, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && APFloat(floatType.getFloatSemantics(), bits).isNaN();
}

void compareCast(Type from, Type to, CompiledFunction function) {
  std::vector<uint64_t> samples = samplesOf(from);
  std::vector<char> input(samples.size() * bytesOf(from));
  std::vector<char> output(samples.size() * bytesOf(to));
  for (size_t i = 0; i < samples.size(); ++i)
    std::memcpy(&input[i * bytesOf(from)], &samples[i], bytesOf(from));
  function(input.data(), nullptr, nullptr, output.data(), samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    APInt bits(from.getIntOrFloatBitWidth(), samples[i]);
    std::optional<APInt> expected = expectedCast(bits, from, to);
    if (!expected)
      continue;
    uint64_t result = 0;
    std::memcpy(&result, &output[i * bytesOf(to)], bytesOf(to));
    APInt resultBits(to.getIntOrFloatBitWidth(), result);
    if (isNan(*expected, to) && isNan(resultBits, to))
      continue;
    ASSERT_EQ(result, expected->getZExtValue())
        << nameOf(from) << " to " << nameOf(to) << " of bits " << samples[i];
  }
}

void testCasts(bool hasF16Conversion) {
  std::unique_ptr<MLIRContext> context = createContext();
  std::vector<FunctionSpec> specs;
  std::vector<Type> types = elementTypes(context.get());
  for (Type from : types)
    for (Type to : types) {
      FunctionSpec spec;
      spec.name = "cast_" + nameOf(from) + "_" + nameOf(to);
      spec.operands = {from};
      spec.result = to;
      spec.op = "tc.cast";
      spec.options.hasF16Conversion = hasF16Conversion;
      spec.lanes = specs.size() % 3 == 0 ? 0 : 16;
      specs.push_back(spec);
    }
  CompiledFunctions functions(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  for (const FunctionSpec &spec : specs)
    compareCast(spec.operands[0], spec.result, functions.get(spec.name));
}

TEST(VectorMath, Casts) { testCasts(/*hasF16Conversion=*/true); }

// As for x86-64 and x86-64-v2.
TEST(VectorMath, CastsWithoutInstructionsForF16) {
  testCasts(/*hasF16Conversion=*/false);
}

} // namespace
} // namespace tc::test
