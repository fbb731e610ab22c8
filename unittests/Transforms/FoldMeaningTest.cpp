//===- FoldMeaningTest.cpp - Folds keep what an expression means ----------===//
//
// Expressions of every op of the elementwise table, on every element type: all
// that nest two unary ops, all of one op with constants, and random ones. Each
// is run through the reference interpreter before and after all folds, on
// every pair of special values, and gives the same bits; NaN is NaN.
//
//===----------------------------------------------------------------------===//

#include "../Conversion/VectorMath/TableRows.h"
#include "ModuleMeaning.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace mlir;
using namespace tc;
using reference::Tensor;

namespace {

/// An element type by its name in the IR, and its kind in the table.
struct ElementCase {
  const char *type, *kind;
};

constexpr const char *kPipeline =
    "canonicalize,func.func(tc-fold-positions,tc-fold-constants,"
    "tc-fold-algebraic-identities),canonicalize";

/// The sign of a NaN is no part of what an expression means.
bool readsSignOfNaN(StringRef op) {
  return op == "tc.signbit" || op == "tc.copysign";
}

/// Powers become products and roots, which round otherwise; the conversion
/// from float8 is by way of values of f32.
constexpr const char *kPower = "tc.pow";

/// The text of a function of %x, %y and %c whose results are expressions.
class Expressions {
public:
  Expressions(ElementCase element, int64_t count)
      : element(element), size(std::to_string(count)),
        type("tensor<" + size + "x" + element.type + ">"),
        boolType("tensor<" + size + "xi1>") {}

  std::string define(const std::string &text) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + text + "\n";
    return name;
  }
  std::string constant(const std::string &value) {
    std::string of =
        value.find_first_of("tf") == 0 ? "" : " : " + std::string(element.type);
    return define("tc.full " + value + of + " -> " + type);
  }
  /// -3, -2, ... as numbers of the type.
  std::string positions() {
    std::string of = "tensor<" + size + "xi64>";
    std::string name = define("tc.iota dim 0 start -3 step 1 : " + of);
    return define("tc.cast " + name + " : " + of + " to " + type);
  }
  std::string apply(const test::Row &row, ArrayRef<std::string> operands) {
    return define(row.name + " " + llvm::join(operands, ", ") + " : " + type);
  }
  void give(const std::string &name, bool isPredicate,
            const std::string &shown) {
    results.push_back(name);
    resultTypes.push_back(isPredicate ? boolType : type);
    texts.push_back(shown);
  }
  std::string str() const {
    return "func.func @f(%x: " + type + ", %y: " + type + ", %c: " + boolType +
           ") -> (" + llvm::join(resultTypes, ", ") + ") {\n" + body +
           "  return " + llvm::join(results, ", ") + " : " +
           llvm::join(resultTypes, ", ") + "\n}\n";
  }

  ElementCase element;
  std::string size, type, boolType, body;
  std::vector<std::string> results, resultTypes, texts;
  unsigned next = 0;
};

class FoldMeaningTest : public ::testing::TestWithParam<ElementCase> {
protected:
  FoldMeaningTest() {
    context.loadDialect<TCDialect, func::FuncDialect>();
    [[maybe_unused]] static bool registered = (registerPasses(), true);
    for (const test::Row &row : test::readRows())
      if (row.accepts(GetParam().kind) && row.operandCount <= 2)
        (row.operandCount == 1 ? unary : binary).push_back(row);
    elementType = mlir::parseType(GetParam().type, &context);
  }

  bool isFloat() const { return isa<FloatType>(elementType); }
  unsigned width() const { return elementType.getIntOrFloatBitWidth(); }

  /// Constants as the IR writes them.
  std::vector<std::string> makeConstants() const {
    if (elementType.isInteger(1))
      return {"false", "true"};
    if (isFloat())
      return {"0.0", "-0.0", "1.0",  "-1.0", "2.0", "-2.0",
              "3.0", "0.5",  "-0.5", "4.0",  "0.3"};
    if (elementType.isUnsignedInteger())
      return {"0", "1", "2", "3",
              std::to_string(~uint64_t(0) >> (64 - width()))};
    return {
        "0",
        "1",
        "-1",
        "2",
        "-2",
        "3",
        std::to_string(std::numeric_limits<int64_t>::max() >> (64 - width())),
        std::to_string(std::numeric_limits<int64_t>::min() >> (64 - width()))};
  }

  /// Every pair of values that are special to the type.
  std::vector<Tensor> makeArguments() {
    std::vector<Tensor> operands;
    std::vector<double> floats = {
        0.0,  -0.0, 1.0,   -1.0,   0.5,      -0.5,      1.5,   2.5,
        -2.5, 3.0,  7.25,  -100.0, 300.0,    1e-3,      -1e-3, 3e4,
        1e-7, 1e30, -1e30, 1e-39,  INFINITY, -INFINITY, NAN};
    std::vector<int64_t> integers = {0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100};
    for (unsigned bits : {8, 16, 32, 64})
      for (int64_t offset : {-1, 0, 1})
        integers.push_back(int64_t((uint64_t(1) << (bits - 1)) + offset));
    for (size_t index = 0, count = integers.size(); index < count; ++index)
      integers.push_back(int64_t(-uint64_t(integers[index])));
    size_t count = isFloat() ? floats.size() : integers.size();
    std::vector<double> floatColumns[2];
    std::vector<int64_t> integerColumns[2], conditions;
    for (size_t i = 0; i < count * count; ++i) {
      for (size_t column : {0, 1}) {
        size_t index = column ? i % count : i / count;
        if (isFloat())
          floatColumns[column].push_back(floats[index]);
        else
          integerColumns[column].push_back(integers[index]);
      }
      conditions.push_back(i % 3 == 0);
    }
    int64_t total = count * count;
    for (size_t column : {0, 1})
      operands.push_back(
          isFloat()
              ? Tensor::fromDoubles(elementType, total, floatColumns[column])
              : Tensor::fromIntegers(elementType, total,
                                     integerColumns[column]));
    operands.push_back(
        Tensor::fromIntegers(IntegerType::get(&context, 1), total, conditions));
    return operands;
  }

  std::vector<Tensor> run(ModuleOp module, std::vector<Tensor> arguments) {
    auto function = *module.getOps<func::FuncOp>().begin();
    auto results = reference::evaluateFunction(function, arguments);
    EXPECT_TRUE(succeeded(results));
    if (failed(results))
      return {};
    return {results->begin(), results->end()};
  }

  static bool isSame(const Tensor &before, const Tensor &after, int64_t index,
                     double tolerance) {
    if (before.getKind() != reference::ElementKind::Float)
      return before.words()[index] == after.words()[index];
    double expected = before.getDouble(index), actual = after.getDouble(index);
    if (std::isnan(expected) || std::isnan(actual))
      return std::isnan(expected) && std::isnan(actual);
    if (expected == actual)
      return std::signbit(expected) == std::signbit(actual);
    return std::fabs(expected - actual) <= tolerance * std::fabs(expected);
  }

  /// Folds the expressions and compares what they give.
  void expectSameAfterFolding(const Expressions &expressions,
                              std::vector<Tensor> arguments, double tolerance) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(expressions.str(), ParserConfig(&context));
    ASSERT_TRUE(module);
    std::vector<Tensor> before = run(*module, arguments);
    PassManager manager(&context);
    ASSERT_TRUE(succeeded(parsePassPipeline(kPipeline, manager)));
    ASSERT_TRUE(succeeded(manager.run(*module)));
    std::vector<Tensor> after = run(*module, arguments);
    ASSERT_EQ(before.size(), expressions.results.size());
    ASSERT_EQ(after.size(), before.size());
    unsigned reported = 0;
    for (size_t result = 0; result < before.size(); ++result)
      for (int64_t i = 0; i < before[result].getElementCount(); ++i) {
        if (isSame(before[result], after[result], i, tolerance))
          continue;
        ADD_FAILURE() << expressions.texts[result] << " of "
                      << arguments[0].getDouble(i) << ", "
                      << arguments[1].getDouble(i) << ": "
                      << before[result].getDouble(i) << " becomes "
                      << after[result].getDouble(i);
        if (++reported == 40)
          return;
        break;
      }
  }

  MLIRContext context;
  Type elementType;
  std::vector<test::Row> unary, binary;
  std::mt19937 engine{7};
};

TEST_P(FoldMeaningTest, TwoUnaryOps) {
  std::vector<Tensor> arguments = makeArguments();
  Expressions e(GetParam(), arguments[0].getElementCount());
  for (const test::Row &inner : unary) {
    if (inner.isPredicate)
      continue;
    std::string operand = e.apply(inner, {"%x"});
    e.give(operand, false, inner.name + " x");
    for (const test::Row &outer : unary)
      if (!readsSignOfNaN(outer.name))
        e.give(e.apply(outer, {operand}), outer.isPredicate,
               outer.name + " (" + inner.name + " x)");
  }
  expectSameAfterFolding(e, arguments, 0);
}

TEST_P(FoldMeaningTest, OneOpWithConstants) {
  std::vector<Tensor> arguments = makeArguments();
  for (bool isPower : {false, true}) {
    Expressions e(GetParam(), arguments[0].getElementCount());
    std::vector<std::pair<std::string, std::string>> leaves = {{"%x", "x"},
                                                               {"%y", "y"}};
    for (const std::string &value : makeConstants())
      leaves.emplace_back(e.constant(value), value);
    if (width() > 1 && !isFloat())
      leaves.emplace_back(e.positions(), "position");
    for (const test::Row &row : binary)
      for (auto &[first, firstText] : leaves)
        for (auto &[second, secondText] : leaves)
          if ((row.name == kPower) == isPower)
            e.give(e.apply(row, {first, second}), row.isPredicate,
                   row.name + " " + firstText + ", " + secondText);
    for (const test::Row &row : unary)
      for (auto &[operand, text] : leaves)
        if (!isPower)
          e.give(e.apply(row, {operand}), row.isPredicate,
                 row.name + " " + text);
    // Cubes and the like round twice, in the type's precision.
    double unit =
        isFloat()
            ? std::ldexp(
                  1.0, -int(cast<FloatType>(elementType).getFPMantissaWidth()))
            : 0.0;
    if (!e.results.empty())
      expectSameAfterFolding(e, arguments, isPower ? 4 * unit : 0.0);
  }
}

TEST_P(FoldMeaningTest, RandomExpressions) {
  std::vector<Tensor> arguments = makeArguments();
  Expressions e(GetParam(), arguments[0].getElementCount());
  std::vector<std::pair<std::string, std::string>> values = {{"%x", "x"},
                                                             {"%y", "y"}};
  for (const std::string &value : makeConstants())
    values.emplace_back(e.constant(value), value);
  if (width() > 1 && !isFloat())
    values.emplace_back(e.positions(), "position");
  auto isDrawn = [](const test::Row &row) {
    return row.name != kPower && !readsSignOfNaN(row.name);
  };
  llvm::erase_if(unary, [&](auto &row) { return !isDrawn(row); });
  llvm::erase_if(binary, [&](auto &row) { return !isDrawn(row); });
  auto draw = [&](auto &from) -> decltype(from[0]) {
    return from[engine() % from.size()];
  };
  size_t leaves = values.size();
  for (int count = 0; count < 3000; ++count) {
    // Only the last few are operands, and the leaves: trees of small depth.
    auto operand = [&]() -> std::pair<std::string, std::string> {
      size_t recent = std::min<size_t>(values.size() - leaves, 6);
      return engine() % 2 || recent == 0
                 ? values[engine() % leaves]
                 : values[values.size() - 1 - engine() % recent];
    };
    auto [x, xText] = operand();
    auto [y, yText] = operand();
    unsigned kind = engine() % 8;
    std::string result, text;
    bool isPredicate = false;
    if (kind == 0) {
      bool negates = engine() % 2;
      std::string condition =
          negates ? e.define("tc.bitwise_not %c : " + e.boolType) : "%c";
      result = e.define("tc.select " + condition + ", " + x + ", " + y + " : " +
                        e.boolType + ", " + e.type);
      text = "tc.select c, " + xText + ", " + yText;
    } else if (kind < 4 && !unary.empty()) {
      const test::Row &row = draw(unary);
      isPredicate = row.isPredicate;
      result = e.apply(row, {x});
      text = row.name + " (" + xText + ")";
    } else {
      const test::Row &row = draw(binary);
      isPredicate = row.isPredicate;
      result = e.apply(row, {x, y});
      text = row.name + " (" + xText + "), (" + yText + ")";
    }
    e.give(result, isPredicate, text);
    if (!isPredicate && text.size() < 120)
      values.emplace_back(result, text);
  }
  expectSameAfterFolding(e, arguments, 0);
}

/// Every element type that a cast takes.
constexpr ElementCase kElements[] = {
    {"i1", "bool"},       {"i8", "signed"},     {"i16", "signed"},
    {"i32", "signed"},    {"i64", "signed"},    {"ui8", "unsigned"},
    {"ui16", "unsigned"}, {"ui32", "unsigned"}, {"ui64", "unsigned"},
    {"f64", "float"},     {"f32", "float"},     {"f16", "float"},
    {"bf16", "float"},    {"f8E4M3FN", ""},     {"f8E5M2", ""}};

class CastMeaningTest : public FoldMeaningTest {};

TEST_P(CastMeaningTest, TwoCasts) {
  std::vector<Tensor> arguments = makeArguments();
  Expressions e(GetParam(), arguments[0].getElementCount());
  auto typed = [&](const char *element) {
    return "tensor<" + e.size + "x" + element + ">";
  };
  for (const std::string &leaf : {std::string("%x"), std::string()})
    for (ElementCase first : kElements)
      for (ElementCase second : kElements) {
        std::string operand =
            leaf.empty() ? e.constant(makeConstants().back()) : leaf;
        std::string inner = e.define("tc.cast " + operand + " : " + e.type +
                                     " to " + typed(first.type));
        std::string outer =
            e.define("tc.cast " + inner + " : " + typed(first.type) + " to " +
                     typed(second.type));
        e.give(outer, false,
               std::string("x as ") + first.type + " as " + second.type);
        e.resultTypes.back() = typed(second.type);
      }
  expectSameAfterFolding(e, arguments, 0);
}

std::string nameOf(const ::testing::TestParamInfo<ElementCase> &info) {
  return info.param.type;
}

// All but float8, which no op computes on.
INSTANTIATE_TEST_SUITE_P(All, FoldMeaningTest,
                         ::testing::ValuesIn(ArrayRef(kElements).drop_back(2)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(All, CastMeaningTest, ::testing::ValuesIn(kElements),
                         nameOf);

} // namespace
