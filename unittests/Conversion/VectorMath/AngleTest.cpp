//===- AngleTest.cpp - Sines of numbers that are hard to reduce -----------===//
//
// The numbers of f64 and f32 that are closest to multiples of pi / 2, found
// among the convergents of the continued fractions of 2^e 2 / pi (Muller,
// Elementary Functions, section on range reduction), among others of all
// sizes, in vectors where small and large ones are next to each other.
//
//===----------------------------------------------------------------------===//

#include "CompiledFunction.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace mlir;

namespace tc::test {
namespace {

constexpr double hardF64[] = {
    0x16AC5B262CA1FFp797, 0x16C6CBC45DC8DEp-47, 0x16AC5B262CA1FFp798,
    0x16C6CBC45DC8DEp-46, 0x1B951F1572EBA5p-29, 0x1504CAC51F1EAFp79,
    0x1E009C53148BE1p939, 0x14C96C11134D36p525, 0x1CFE482285F8EDp808,
    0x1DB41F3CB71D7Bp628, 0x1E7E44A78AC18Cp145, 0x1B951F1572EBA5p-28,
    0x1C45CD11154DFDp243, 0x183009E2E9E2EBp562, 0x1B2196364D750Bp201,
    0x169EAB0985179Bp194, 0x1782B7A20DF6D4p15,  0x1B951F1572EBA5p-25};
constexpr double hardF32[] = {0xF9BE45p72,  0xA3E87Fp11,  0xFCE5F1p-16,
                              0x9976F1p62,  0xB146A6p17,  0x898498p53,
                              0xF9BE45p103, 0xA3E87Fp104, 0xD84625p88};

/// Hard numbers, those around the limits between methods and special ones, of
/// both signs, each next to many others.
template <typename T> std::vector<T> makeNumbers() {
  std::vector<T> numbers = {T(0),
                            T(1),
                            T(1e18),
                            T(3e9),
                            T(4.3e9),
                            T(0x1p32),
                            T(100),
                            T(1e-300),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            std::nextafter(T(0x1p32), T(0))};
  if (sizeof(T) == 8)
    numbers.insert(numbers.end(), std::begin(hardF64), std::end(hardF64));
  else
    numbers.insert(numbers.end(), std::begin(hardF32), std::end(hardF32));
  for (int exponent = 10; exponent < std::numeric_limits<T>::max_exponent;
       exponent += sizeof(T) == 8 ? 7 : 1)
    numbers.push_back(std::ldexp(T(1.2345678901234567), exponent - 1));
  for (size_t index = 0, count = numbers.size(); index < count; ++index)
    numbers.push_back(-numbers[index]);
  std::mt19937 engine(3);
  std::vector<T> all;
  for (int round = 0; round < 64; ++round) {
    std::shuffle(numbers.begin(), numbers.end(), engine);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  all.resize(all.size() / 64 * 64);
  return all;
}

/// The error of `result` in units in the last place of the exact value.
template <typename T> double errorInUnits(T result, long double exact) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) == std::isnan(result) ? 0 : HUGE_VAL;
  int exponent = exact == 0 ? std::numeric_limits<T>::min_exponent
                            : std::max(std::ilogb(exact),
                                       std::numeric_limits<T>::min_exponent);
  long double unit =
      std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits);
  return double(std::fabs(result - exact) / unit);
}

struct AngleFunction {
  const char *op;
  long double (*exact)(long double);
  double bound;
};

template <typename T> void testAngles(int lanes) {
  std::unique_ptr<MLIRContext> context = createContext();
  Builder b(context.get());
  Type type = sizeof(T) == 8 ? Type(b.getF64Type()) : b.getF32Type();
  const AngleFunction functions[] = {{"tc.sin", std::sin, 2},
                                     {"tc.cos", std::cos, 2},
                                     {"tc.tan", std::tan, 3.5}};
  std::vector<FunctionSpec> specs;
  for (const AngleFunction &function : functions) {
    FunctionSpec spec;
    spec.name = std::string(function.op).substr(3) + "_angle";
    spec.operands = {type};
    spec.result = type;
    spec.op = function.op;
    spec.lanes = lanes;
    specs.push_back(spec);
  }
  CompiledFunctions compiled(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  std::vector<T> numbers = makeNumbers<T>(), results(numbers.size());
  for (auto [function, spec] : llvm::zip_equal(functions, specs)) {
    compiled.get(spec.name)(numbers.data(), nullptr, nullptr, results.data(),
                            numbers.size());
    for (auto [number, result] : llvm::zip_equal(numbers, results))
      EXPECT_LE(errorInUnits(result, function.exact(number)), function.bound)
          << function.op << " of " << number << " is " << result;
  }
}

TEST(Angles, F64) { testAngles<double>(8); }
TEST(Angles, F64OfTwoLanes) { testAngles<double>(2); }
TEST(Angles, F64Scalar) { testAngles<double>(0); }
TEST(Angles, F32) { testAngles<float>(16); }

} // namespace
} // namespace tc::test
