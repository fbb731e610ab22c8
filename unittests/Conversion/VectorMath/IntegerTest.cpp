//===- IntegerTest.cpp - Emitted integer functions against the reference --===//

#include "CompiledFunction.h"
#include "ReferenceRows.h"
#include "TableRows.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace mlir;

namespace tc::test {
namespace {

/// A value of `width` bits as the reference sees it, in 64 bits.
uint64_t extend(uint64_t value, unsigned width, bool isSigned) {
  if (width == 64)
    return value;
  value &= (uint64_t(1) << width) - 1;
  bool isNegative = isSigned && (value >> (width - 1)) & 1;
  return isNegative ? value - (uint64_t(1) << width) : value;
}

template <typename T> void storeAs(uint64_t value, void *data, size_t index) {
  T narrow = T(value);
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &narrow,
              sizeof(T));
}
void storeInteger(uint64_t value, unsigned width, void *data, size_t index) {
  width == 8    ? storeAs<uint8_t>(value, data, index)
  : width == 16 ? storeAs<uint16_t>(value, data, index)
  : width == 32 ? storeAs<uint32_t>(value, data, index)
                : storeAs<uint64_t>(value, data, index);
}
uint64_t loadInteger(const void *data, unsigned width, size_t index) {
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const char *>(data) + index * width / 8,
              width / 8);
  return value;
}

void compareIntegers(const Row &row, unsigned width, bool isSigned,
                     CompiledFunction function, ReferenceFunction *reference) {
  std::mt19937_64 random(width);
  std::vector<uint64_t> interesting = {0,  1,  2,  3,  5,   7,
                                       31, 32, 63, 64, 127, 128};
  for (uint64_t value : std::vector<uint64_t>(interesting))
    interesting.push_back(-value);
  for (unsigned bits : {8, 16, 32, 64})
    for (int64_t offset : {-1, 0, 1})
      interesting.push_back((uint64_t(1) << (bits - 1)) + offset);
  constexpr size_t total = 4096;
  std::vector<std::vector<uint64_t>> wide(3, std::vector<uint64_t>(total));
  std::vector<std::vector<uint64_t>> narrow(4, std::vector<uint64_t>(total));
  for (size_t i = 0; i < total; ++i)
    for (int k = 0; k < 3; ++k) {
      uint64_t value = random() % 3 ? interesting[random() % interesting.size()]
                                    : random() >> (random() % 64);
      wide[k][i] = extend(value, width, isSigned);
      storeInteger(value, width, narrow[k].data(), i);
    }
  const void *operands[] = {wide[0].data(), wide[1].data(), wide[2].data()};
  std::vector<uint64_t> expected(total);
  reference(operands, expected.data(), total);
  function(narrow[0].data(), narrow[1].data(), narrow[2].data(),
           narrow[3].data(), total);
  unsigned resultWidth = row.isPredicate ? 8 : width;
  for (size_t i = 0; i < total; ++i) {
    uint64_t mask =
        resultWidth == 64 ? ~uint64_t(0) : (uint64_t(1) << resultWidth) - 1;
    ASSERT_EQ(loadInteger(narrow[3].data(), resultWidth, i), expected[i] & mask)
        << row.name << " on " << (isSigned ? "i" : "ui") << width << " of "
        << int64_t(wide[0][i]) << ", " << int64_t(wide[1][i]);
  }
}

TEST(VectorMath, Integers) {
  std::unique_ptr<MLIRContext> context = createContext();
  struct Case {
    Row row;
    unsigned width;
    bool isSigned;
  };
  std::vector<Case> cases;
  std::vector<FunctionSpec> specs;
  for (const Row &row : readRows())
    for (bool isSigned : {false, true})
      for (unsigned width : {8, 16, 32, 64}) {
        // The generators of random bits are defined on i64 alone.
        bool isGenerator =
            row.name == "tc.philox" || row.name == "tc.dropout_bits";
        if (!row.accepts(isSigned ? "signed" : "unsigned") ||
            (isGenerator && width != 64))
          continue;
        FunctionSpec spec;
        spec.name = row.name.substr(3) + (isSigned ? "_i" : "_ui") +
                    std::to_string(width);
        Type type = IntegerType::get(context.get(), width,
                                     isSigned ? IntegerType::Signless
                                              : IntegerType::Unsigned);
        spec.operands.assign(row.operandCount, type);
        spec.result =
            row.isPredicate ? IntegerType::get(context.get(), 1) : type;
        spec.op = row.name;
        spec.lanes = width == 16 ? 0 : 8;
        specs.push_back(spec);
        cases.push_back({row, width, isSigned});
      }
  CompiledFunctions functions(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  for (auto [test, spec] : llvm::zip(cases, specs)) {
    ReferenceFunctions reference = findReference(test.row.name);
    compareIntegers(test.row, test.width, test.isSigned,
                    functions.get(spec.name),
                    test.isSigned ? reference.onSigned : reference.onUnsigned);
  }
}

TEST(VectorMath, Booleans) {
  std::unique_ptr<MLIRContext> context = createContext();
  Type type = IntegerType::get(context.get(), 1);
  std::vector<Row> rows = readRows();
  llvm::erase_if(rows, [](const Row &row) { return !row.accepts("bool"); });
  std::vector<FunctionSpec> specs;
  for (const Row &row : rows) {
    FunctionSpec spec;
    spec.name = row.name.substr(3) + "_i1";
    spec.operands.assign(row.operandCount, type);
    spec.result = type;
    spec.op = row.name;
    spec.lanes = 4;
    specs.push_back(spec);
  }
  CompiledFunctions functions(*context, specs);
  if (testing::Test::HasFatalFailure())
    return;
  const uint8_t x[4] = {0, 1, 0, 1}, y[4] = {0, 0, 1, 1};
  for (auto [row, spec] : llvm::zip(rows, specs)) {
    uint8_t result[4];
    bool expected[4];
    const void *operands[] = {x, y};
    findReference(row.name).onBool(operands, expected, 4);
    functions.get(spec.name)(x, y, nullptr, result, 4);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(result[i], uint8_t(expected[i]))
          << row.name << " of " << int(x[i]) << ", " << int(y[i]);
  }
}

} // namespace
} // namespace tc::test
