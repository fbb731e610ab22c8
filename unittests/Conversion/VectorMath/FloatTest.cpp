//===- FloatTest.cpp - Emitted float functions against the reference ------===//
//
// Compiles every row of the elementwise table for this machine and compares it
// with its reference expression: to the bound of the row in units in the last
// place, with NaN, infinities and the signs of zeros exact. TC_TEST_FULL=1
// takes 16 times as many samples; TC_TEST_ONLY=exp,log tests some rows;
// TC_TEST_REPORT=FILE appends the table of errors as Markdown.
//
//===----------------------------------------------------------------------===//

#include "CompiledFunction.h"
#include "ReferenceRows.h"
#include "TableRows.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

using namespace mlir;

namespace tc::test {
namespace {

size_t sampleCount(size_t usual) {
  const char *full = std::getenv("TC_TEST_FULL");
  return full && *full == '1' ? 16 * usual : usual;
}

/// Rounds an array up to whole vectors.
constexpr size_t padding = 64;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> std::vector<T> specialFloats() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           T(1),
                           T(0.5),
                           T(2),
                           T(3),
                           T(1.5),
                           T(2.5),
                           T(0.1),
                           T(5),
                           T(7),
                           T(100),
                           T(89),
                           T(104),
                           T(1e-3),
                           T(1e-10),
                           T(1e10),
                           T(16777215),
                           T(16777216),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           Limits::min() * T(0.75),
                           T(3.14159265358979323846),
                           T(1.57079632679489661923)};
  size_t count = values.size();
  for (size_t i = 0; i < count; ++i)
    values.push_back(-values[i]);
  return values;
}

/// Columns of samples: all exponents and both signs, the row's own range, what
/// bf16 and f16 can hold, special values.
template <typename T>
std::vector<std::vector<T>> sampleFloats(const Row &row, size_t count) {
  std::mt19937_64 random(row.name.size());
  std::vector<std::vector<T>> columns(row.operandCount);
  std::uniform_real_distribution<double> range(row.low, row.high);
  constexpr int width = 8 * sizeof(T);
  auto spread = [&](size_t i) {
    uint64_t step =
        width == 64 ? ~uint64_t(0) / count : (uint64_t(1) << 32) / count;
    return std::bit_cast<T>(BitsOf<T>(i * step + random() % step));
  };
  if (row.operandCount == 1) {
    for (size_t i = 0; i < count; ++i)
      columns[0].push_back(spread(i));
    for (uint32_t i = 0; i < 65536; ++i)
      columns[0].push_back(T(std::bit_cast<float>(i << 16)));
    for (int exponent = -24; exponent < 16; ++exponent)
      for (int i = 0; i < 1024; ++i)
        columns[0].push_back(T(std::ldexp(1.0 + i / 1024.0, exponent)));
  } else {
    for (size_t i = 0; i < count; ++i)
      for (auto &column : columns)
        column.push_back(std::bit_cast<T>(BitsOf<T>(random())));
  }
  for (size_t i = 0; i < count / 2; ++i)
    for (auto &column : columns)
      column.push_back(T(range(random)));
  std::vector<T> special = specialFloats<T>();
  size_t combinations = row.operandCount == 1 ? 1 : special.size();
  for (T first : special)
    for (size_t i = 0; i < combinations; ++i) {
      columns[0].push_back(first);
      if (row.operandCount > 1)
        columns[1].push_back(special[i]);
    }
  for (auto &column : columns)
    while (column.size() % padding)
      column.push_back(T(1));
  return columns;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Rows whose zeros may have either sign.
bool mayChooseZero(const Row &row) {
  return row.name == "tc.relu" || row.name == "tc.fmax" ||
         row.name == "tc.fmin" || row.name == "tc.hypot" ||
         row.name == "tc.gelu_grad";
}

/// The difference in units in the last place; infinite where one is NaN or
/// infinite and the other is not, or where zeros differ in sign. The unit is
/// that of the reference, or of `floor` if larger.
template <typename T>
double difference(T result, long double reference, double floor) {
  using Limits = std::numeric_limits<T>;
  const double different = std::numeric_limits<double>::infinity();
  if (std::isnan(reference) || std::isnan(result))
    return std::isnan(reference) && std::isnan(result) ? 0 : different;
  if (reference == 0 && floor == 0)
    return result == 0 && std::signbit(result) == std::signbit(reference)
               ? 0
               : different;
  if (std::isinf(reference))
    return T(reference) == result ? 0 : different;
  long double size = std::max(std::abs(reference), (long double)floor);
  int exponent = std::max(std::ilogb(size), Limits::min_exponent - 1);
  long double unit = std::ldexp(1.0L, exponent - Limits::digits + 1);
  // An overflow counts as the power of two that follows the largest number.
  long double value =
      std::isinf(result) ? std::copysign(std::ldexp(1.0L, Limits::max_exponent),
                                         (long double)result)
                         : (long double)result;
  if (std::isinf(result) && std::abs(reference) > std::abs(value))
    return 0;
  return double(std::abs(value - reference) / unit);
}

/// Whether a result is unspecified: infinity times a derivative that is no
/// number of the type, but may be one of long double.
template <typename T>
bool isUnspecified(const Row &row, const std::vector<std::vector<T>> &columns,
                   size_t i) {
  return row.name == "tc.gelu_grad" && std::isinf(columns[0][i]) &&
         columns[1][i] < -13;
}

/// The size below which errors are not relative to a result that large terms
/// cancel in: lgamma in f64 near its zeros between negative integers; and
/// gelu_grad, a product with a derivative of two terms that cancel near -3/4,
/// and are denormal below -13.
template <typename T>
double getCancelledSize(const Row &row,
                        const std::vector<std::vector<T>> &columns, size_t i) {
  if (row.name == "tc.lgamma")
    return sizeof(T) == 8 && columns[0][i] < 0;
  if (row.name != "tc.gelu_grad")
    return 0;
  double y = columns[1][i], normal = 0.5 * std::erfc(-y * std::sqrt(0.5)),
         density = 0.3989422804014327 * std::exp(-0.5 * y * y),
         size = std::max({y < 0 ? normal : 0, y < 0 ? -y * density : 0,
                          double(std::numeric_limits<T>::min())});
  double floor = std::abs(double(columns[0][i])) * size;
  return std::isfinite(floor) ? floor : 0;
}

struct Measured {
  double worst = -1;
  std::string at;
};

template <typename T>
void measureFloats(const Row &row, CompiledFunction function,
                   const ReferenceFunctions &references, size_t count,
                   Measured &measured) {
  std::vector<std::vector<T>> columns = sampleFloats<T>(row, count);
  size_t total = columns[0].size();
  std::vector<T> results(total);
  std::vector<uint8_t> flags(row.isPredicate ? total : 0);
  const void *operands[3] = {};
  for (size_t i = 0; i < columns.size(); ++i)
    operands[i] = columns[i].data();
  function(operands[0], operands[1], operands[2],
           row.isPredicate ? (void *)flags.data() : results.data(), total);
  for (size_t i = 0; i < flags.size(); ++i)
    results[i] = flags[i];

  bool isExact = row.ulp == 0;
  std::vector<long double> expected(total);
  if (isExact && sizeof(T) == 4) {
    std::vector<float> inFloat(total);
    references.onFloat(operands, inFloat.data(), total);
    llvm::copy(inFloat, expected.begin());
  } else {
    std::vector<std::vector<double>> wide(columns.size());
    const void *wideOperands[3] = {};
    for (size_t i = 0; i < columns.size(); ++i) {
      wide[i].assign(columns[i].begin(), columns[i].end());
      wideOperands[i] = wide[i].data();
    }
    computeInLongDouble = !isExact;
    references.onDouble(wideOperands, expected.data(), total);
  }
  for (size_t i = 0; i < total; ++i) {
    double error = difference<T>(results[i], expected[i],
                                 getCancelledSize(row, columns, i));
    if ((mayChooseZero(row) && expected[i] == 0 && results[i] == 0) ||
        isUnspecified(row, columns, i))
      error = 0;
    if (error > measured.worst) {
      measured.worst = error;
      char text[160];
      snprintf(text, sizeof text, "x = %.17g%s: %.17g, reference %.17Lg",
               double(columns[0][i]),
               columns.size() > 1
                   ? (", y = " + std::to_string(double(columns[1][i]))).c_str()
                   : "",
               double(results[i]), expected[i]);
      measured.at = text;
    }
  }
}

/// The f64 forms' bounds, where they differ from the f32 form's.
double boundF64(const Row &row) {
  static const std::pair<const char *, double> bounds[] = {
      {"tc.erfinv", 6},
      {"tc.lgamma", 12},
  };
  for (auto [name, bound] : bounds)
    if (row.name == name)
      return bound;
  return row.ulp;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

void inParallel(size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i)
    threads.emplace_back([&] {
      for (size_t index; (index = next++) < count;)
        work(index);
    });
  for (std::thread &thread : threads)
    thread.join();
}

template <typename T>
void testFloatRows(const char *title, int lanes, bool avx512, size_t count) {
  std::unique_ptr<MLIRContext> context = createContext();
  Builder b(context.get());
  Type type = sizeof(T) == 8 ? Type(b.getF64Type()) : b.getF32Type();
  std::vector<Row> rows = readRows();
  llvm::erase_if(rows, [](const Row &row) { return !row.accepts("float"); });
  ASSERT_FALSE(rows.empty());
  std::vector<FunctionSpec> specs;
  for (const Row &row : rows) {
    FunctionSpec spec;
    spec.name = row.name.substr(3) + "_test";
    spec.operands.assign(row.operandCount, type);
    spec.result = row.isPredicate ? Type(b.getI1Type()) : type;
    spec.op = row.name;
    spec.lanes = lanes;
    spec.options.hasAvx512 = avx512;
    specs.push_back(spec);
  }
  CompiledFunctions functions(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  std::vector<Measured> measured(rows.size());
  std::vector<CompiledFunction> pointers;
  for (const FunctionSpec &spec : specs)
    pointers.push_back(functions.get(spec.name));
  inParallel(rows.size(), [&](size_t i) {
    size_t samples = rows[i].operandCount == 1 ? count : count / 4;
    measureFloats<T>(rows[i], pointers[i], findReference(rows[i].name), samples,
                     measured[i]);
  });
  const char *report = std::getenv("TC_TEST_REPORT");
  std::ofstream file;
  if (report) {
    file.open(report, std::ios::app);
    file << "\n## " << title
         << "\n\n| op | largest error, ULP | bound |\n|---|---|---|\n";
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    double bound = sizeof(T) == 8 ? boundF64(rows[i]) : rows[i].ulp;
    printf("%-12s %-16s %8.3f  (%g)  %s\n", title, rows[i].name.c_str(),
           measured[i].worst, bound, measured[i].at.c_str());
    EXPECT_LE(measured[i].worst, bound)
        << rows[i].name << ": " << measured[i].at;
    if (report && !rows[i].isPredicate)
      file << "| " << rows[i].name << " | "
           << llvm::formatv("{0:f2}", measured[i].worst).str() << " | " << bound
           << " |\n";
  }
}

/// Every value of a 16-bit type in f32, up to whole vectors.
std::vector<float> valuesOf(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  std::vector<float> values;
  for (unsigned i = 0; i < 65536; ++i)
    values.push_back(
        llvm::APFloat(semantics, llvm::APInt(16, i)).convertToFloat());
  return values;
}

/// The error of a result that will be rounded to `type`, in the type's units.
double errorIn16Bits(const Row &row, Type type, float result,
                     long double reference) {
  bool isBF16 = type.isBF16();
  long double largest = isBF16 ? 3.3895e38L : 65504.0L;
  if (std::isnan(reference) || std::isnan(result))
    return std::isnan(reference) && std::isnan(result) ? 0 : HUGE_VAL;
  if (std::abs(reference) > largest && std::abs(result) > 0.999L * largest)
    return 0;
  int lowest = isBF16 ? -104 : -14;
  // A result below 2^-29 may be 0.
  if (row.name == "tc.gelu")
    lowest = std::max(lowest, -16);
  int exponent =
      reference == 0 ? lowest : std::max(std::ilogb(reference), lowest);
  return double(std::abs((long double)result - reference) /
                std::ldexp(1.0L, exponent - (isBF16 ? 7 : 10)));
}

/// Ops on bf16 and f16, whose operands are f32 and whose results, before they
/// are rounded, may be off by a small part of a unit of the narrow type.
void testShortForms(bool avx512) {
  std::unique_ptr<MLIRContext> context = createContext();
  Builder b(context.get());
  std::vector<Row> rows = readRows();
  llvm::erase_if(rows, [](const Row &row) {
    return !row.accepts("float") || row.operandCount != 1 || row.isPredicate;
  });
  Type types[] = {b.getBF16Type(), b.getF16Type()};
  std::vector<FunctionSpec> specs;
  for (Type type : types)
    for (const Row &row : rows) {
      FunctionSpec spec;
      spec.name = row.name.substr(3) + (type.isBF16() ? "_bf16" : "_f16");
      spec.operands = {type};
      spec.result = type;
      spec.op = row.name;
      spec.lanes = 16;
      spec.options.hasAvx512 = avx512;
      spec.holdsF32 = true;
      specs.push_back(spec);
    }
  CompiledFunctions functions(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  for (size_t i = 0; i < specs.size(); ++i) {
    const Row &row = rows[i % rows.size()];
    Type type = types[i / rows.size()];
    std::vector<float> values = valuesOf(type), results(values.size());
    functions.get(specs[i].name)(values.data(), nullptr, nullptr,
                                 results.data(), values.size());
    std::vector<double> wide(values.begin(), values.end());
    std::vector<long double> expected(values.size());
    const void *operands[] = {wide.data()};
    computeInLongDouble = true;
    findReference(row.name).onDouble(operands, expected.data(), wide.size());
    double worst = 0, at = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      double error = errorIn16Bits(row, type, results[k], expected[k]);
      if (error > worst) {
        worst = error;
        at = values[k];
      }
    }
    printf("%-12s %-16s %8.3f at %g\n", type.isBF16() ? "bf16" : "f16",
           row.name.c_str(), worst, at);
    EXPECT_LE(worst, type.isBF16() ? 0.03125 : 0.25)
        << row.name << " of " << at;
  }
}

TEST(VectorMath, FloatsOf16Bits) { testShortForms(false); }
TEST(VectorMath, FloatsOf16BitsAvx512) {
  if (!machineHasAvx512())
    GTEST_SKIP() << "needs AVX-512";
  testShortForms(true);
}

TEST(VectorMath, FloatsF32) {
  testFloatRows<float>("f32", 8, false, sampleCount(size_t(1) << 20));
}
TEST(VectorMath, FloatsF32Avx512) {
  if (!machineHasAvx512())
    GTEST_SKIP() << "needs AVX-512";
  testFloatRows<float>("f32, AVX-512", 16, true, sampleCount(size_t(1) << 20));
}
TEST(VectorMath, FloatsF64) {
  testFloatRows<double>("f64", 8, false, sampleCount(size_t(1) << 17));
}
TEST(VectorMath, FloatsF32Scalar) {
  testFloatRows<float>("f32, scalar", 0, false, sampleCount(1 << 12));
}
TEST(VectorMath, FloatsF32Avx512OtherLengths) {
  if (!machineHasAvx512())
    GTEST_SKIP() << "needs AVX-512";
  testFloatRows<float>("f32 x 4", 4, true, sampleCount(1 << 12));
  testFloatRows<float>("f32 x 32", 32, true, sampleCount(1 << 12));
  testFloatRows<float>("f32 scalar", 0, true, sampleCount(1 << 12));
}

} // namespace
} // namespace tc::test
