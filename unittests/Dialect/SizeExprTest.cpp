//===- SizeExprTest.cpp - Tests of size expressions -----------------------===//

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <memory>
#include <random>
#include <vector>

using namespace mlir;
using namespace tc;

namespace {

class SizeExprTest : public ::testing::Test {
protected:
  SizeExprTest() { context.loadDialect<TCDialect>(); }

  SizeExpr symbol(StringRef name) { return SizeExpr::named(&context, name); }
  SizeExpr number(int64_t value) { return SizeExpr::constant(&context, value); }

  /// The expression that `#tc.expr<text>` stands for.
  SizeExpr parse(StringRef text) {
    auto attribute = parseAttribute(("#tc.expr<" + text + ">").str(), &context);
    EXPECT_TRUE(attribute) << text.str();
    return cast<SizeExpr>(attribute);
  }

  MLIRContext context;
};

//===----------------------------------------------------------------------===//
// The canonical form
//===----------------------------------------------------------------------===//

TEST_F(SizeExprTest, SumsDoNotDependOnOrder) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.add(b), b.add(a));
  EXPECT_EQ(a.add(b).add(3), number(3).add(b).add(a));
  EXPECT_EQ(a.add(a), a.mul(2));
  EXPECT_EQ(a.sub(a), number(0));
  EXPECT_EQ(a.add(b).sub(b), a);
  EXPECT_NE(a.add(1), a.add(2));
}

TEST_F(SizeExprTest, ProductsAreMultipliedOut) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.mul(b), b.mul(a));
  EXPECT_EQ(a.add(1).mul(b), a.mul(b).add(b));
  EXPECT_EQ(a.add(b).mul(a.sub(b)), a.mul(a).sub(b.mul(b)));
  EXPECT_EQ(a.mul(0), number(0));
  EXPECT_EQ(a.mul(1), a);
}

TEST_F(SizeExprTest, FloorDivTakesMultiplesOut) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.mul(4).floorDiv(4), a);
  EXPECT_EQ(a.mul(b).floorDiv(b), a);
  EXPECT_EQ(a.mul(4).add(5).floorDiv(4), a.add(1));
  EXPECT_EQ(a.add(7).floorDiv(4), a.add(3).floorDiv(4).add(1));
  EXPECT_EQ(a.add(-1).floorDiv(2).add(1), a.add(1).floorDiv(2));
  EXPECT_EQ(number(-7).floorDiv(2), number(-4));
  EXPECT_EQ(number(7).ceilDiv(number(2)), number(4));
}

TEST_F(SizeExprTest, NestedFloorDivIsOne) {
  SizeExpr a = symbol("a");
  EXPECT_EQ(a.floorDiv(2).floorDiv(3), a.floorDiv(6));
  EXPECT_EQ(a.mul(2).floorDiv(4), a.floorDiv(2));
  EXPECT_EQ(a.mul(2).add(3).floorDiv(4), a.add(1).floorDiv(2));
  // Two halvings of a convolution.
  EXPECT_EQ(a.add(1).floorDiv(2).add(1).floorDiv(2), a.add(3).floorDiv(4));
}

TEST_F(SizeExprTest, ModKeepsTheRemainder) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.mul(4).mod(number(4)), number(0));
  EXPECT_EQ(a.mul(b).mod(b), number(0));
  EXPECT_EQ(a.mul(4).add(b).add(9).mod(number(4)), b.add(1).mod(number(4)));
  EXPECT_EQ(a.mod(number(1)), number(0));
  EXPECT_EQ(number(-7).mod(number(4)), number(1));
}

TEST_F(SizeExprTest, ExtremesOfComparableExpressionsAreOneOfThem) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.min(a.add(1)), a);
  EXPECT_EQ(a.max(a.add(1)), a.add(1));
  EXPECT_EQ(a.min(b), b.min(a));
  EXPECT_EQ(a.max(a), a);
  EXPECT_EQ(number(3).min(number(5)), number(3));
}

// Of quotients by one divisor the one of the smaller dividend is never larger.
TEST_F(SizeExprTest, ComparesQuotients) {
  EXPECT_EQ(parse("min((a + 1) floordiv 3 + 2, (a + 2) floordiv 3 + 2)"),
            parse("(a + 1) floordiv 3 + 2"));
  EXPECT_EQ(parse("max((a + 2) floordiv 3, a floordiv 3 + 1)"),
            parse("a floordiv 3 + 1"));
  EXPECT_EQ(parse("min(a * 2 floordiv 5 + b, (a * 2 - 4) floordiv 5 + b + 1)"),
            parse("a * 2 floordiv 5 + b"));
  EXPECT_EQ(parse("max(a floordiv 3, a floordiv 2)").getKind(),
            SizeExprKind::Max);
  EXPECT_EQ(parse("max(a floordiv 3, b floordiv 3)").getKind(),
            SizeExprKind::Max);
  EXPECT_EQ(parse("max((a + 2) floordiv 3 + 1, (a + 5) floordiv 3 - 1)"),
            parse("(a + 2) floordiv 3 + 1"));
}

TEST_F(SizeExprTest, ConstantsAreConstants) {
  EXPECT_TRUE(number(4).isConstant(4));
  EXPECT_EQ(number(4).add(2).mul(3).getConstant(), 18);
  EXPECT_FALSE(symbol("a").getConstant().has_value());
}

TEST_F(SizeExprTest, ConstantsStopAtTheEndOf64Bits) {
  SizeExpr most = number(INT64_MAX), least = number(-INT64_MAX);
  EXPECT_EQ(most.add(1), most);
  EXPECT_EQ(least.add(-1), least);
  EXPECT_EQ(least.add(-1).floorDiv(-1), most);
  EXPECT_EQ(number(INT64_MIN).mul(1), least);
  EXPECT_EQ(symbol("a").add(least).add(-1).str(), "a - 9223372036854775807");
}

TEST_F(SizeExprTest, DivisorsBeyond64BitsStayTwo) {
  int64_t large = int64_t(1) << 40;
  SizeExpr twice = symbol("a").add(large).floorDiv(large).floorDiv(large);
  auto valueOf = [](StringRef) { return int64_t(1) << 61; };
  EXPECT_EQ(twice.evaluate(valueOf), 0);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

TEST_F(SizeExprTest, PrintsAsWritten) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.mul(4).add(1).str(), "a * 4 + 1");
  EXPECT_EQ(a.sub(b).str(), "a - b");
  EXPECT_EQ(a.add(3).floorDiv(4).str(), "(a + 3) floordiv 4");
  EXPECT_EQ(a.mod(b.add(1)).str(), "a mod (b + 1)");
  EXPECT_EQ(a.min(b).str(), "min(a, b)");
  EXPECT_EQ(number(-3).str(), "-3");
}

TEST_F(SizeExprTest, ParsesWhatPythonWouldMean) {
  SizeExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(parse("a + b * 2 - 1"), a.add(b.mul(2)).add(-1));
  EXPECT_EQ(parse("a * b floordiv 2"), a.mul(b).floorDiv(2));
  EXPECT_EQ(parse("a - b - 1"), a.sub(b).add(-1));
  EXPECT_EQ(parse("-a + max(b, 3)"), a.mul(-1).add(b.max(number(3))));
  EXPECT_EQ(parse("-(a + 1)"), a.mul(-1).add(-1));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST_F(SizeExprTest, EvaluationNeedsEverySymbolAndNoDivisionByZero) {
  auto onlyA = [](StringRef name) {
    return name == "a" ? std::optional<int64_t>(6) : std::nullopt;
  };
  EXPECT_EQ(symbol("a").mul(2).evaluate(onlyA), 12);
  EXPECT_FALSE(symbol("a").add(symbol("b")).evaluate(onlyA).has_value());
  SizeExpr zero = symbol("a").add(-6);
  EXPECT_FALSE(number(1).floorDiv(zero).evaluate(onlyA).has_value());
  EXPECT_FALSE(number(1).mod(zero).evaluate(onlyA).has_value());
}

TEST_F(SizeExprTest, QuotientsBeyond64BitsHaveNoValue) {
  SizeExpr a = symbol("a"), b = symbol("b");
  auto valuesOf = [](int64_t ofA, int64_t ofB) {
    return [=](StringRef name) -> std::optional<int64_t> {
      return name == "a" ? ofA : ofB;
    };
  };
  EXPECT_EQ(a.floorDiv(b).evaluate(valuesOf(INT64_MIN, -1)), std::nullopt);
  EXPECT_EQ(a.mod(b).evaluate(valuesOf(INT64_MIN, -1)), 0);
  EXPECT_EQ(a.mod(b).evaluate(valuesOf(INT64_MIN, 3)), 1);
  EXPECT_EQ(a.mod(b).evaluate(valuesOf(7, -4)), -1);
}

TEST_F(SizeExprTest, SubstitutionIsCanonicalAgain) {
  SizeExpr expr = parse("(s + 3) floordiv 4 + min(s, t)");
  SizeExpr replaced = expr.substitute([&](StringRef name) {
    return name == "s" ? number(8).mul(symbol("q")) : SizeExpr();
  });
  EXPECT_EQ(replaced, parse("q * 2 + min(q * 8, t)"));
}

TEST_F(SizeExprTest, SymbolsAreVisited) {
  llvm::StringMap<int> seen;
  parse("a * a + max(b, c floordiv 2)").walkSymbols([&](StringRef name) {
    ++seen[name];
  });
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen["a"], 2);
}

//===----------------------------------------------------------------------===//
// Against plain evaluation of random expressions
//===----------------------------------------------------------------------===//

/// An expression as it was built, evaluated without any rewriting.
struct PlainExpr {
  char operation; // 'c' constant, 's' symbol, or one of + - * / % m M
  int64_t value = 0;
  std::unique_ptr<PlainExpr> left, right;

  std::optional<int64_t> evaluate(ArrayRef<int64_t> symbols) const {
    if (operation == 'c')
      return value;
    if (operation == 's')
      return symbols[value];
    auto a = left->evaluate(symbols), b = right->evaluate(symbols);
    if (!a || !b)
      return std::nullopt;
    switch (operation) {
    case '+':
      return *a + *b;
    case '-':
      return *a - *b;
    case '*':
      return *a * *b;
    case 'm':
      return std::min(*a, *b);
    case 'M':
      return std::max(*a, *b);
    }
    if (*b == 0)
      return std::nullopt;
    int64_t quotient = llvm::divideFloorSigned(*a, *b);
    return operation == '/' ? quotient : *a - quotient * *b;
  }
};

constexpr StringRef kNames[] = {"s0", "s1", "u0"};

class RandomExprs {
public:
  RandomExprs(MLIRContext &context, unsigned seed)
      : context(context), engine(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  std::pair<std::unique_ptr<PlainExpr>, SizeExpr> expression(int depth) {
    auto plain = std::make_unique<PlainExpr>();
    if (depth == 0 || draw(0, 5) == 0) {
      bool isConstant = draw(0, 1) == 0;
      plain->operation = isConstant ? 'c' : 's';
      plain->value = isConstant ? draw(-4, 9) : draw(0, 2);
      return {std::move(plain),
              isConstant ? SizeExpr::constant(&context, plain->value)
                         : SizeExpr::named(&context, kNames[plain->value])};
    }
    auto [left, leftExpr] = expression(depth - 1);
    auto [right, rightExpr] = expression(depth - 1);
    plain->operation = "+-*/%mM"[draw(0, 6)];
    plain->left = std::move(left);
    plain->right = std::move(right);
    SizeExpr expr = combine(plain->operation, leftExpr, rightExpr);
    return {std::move(plain), expr};
  }

private:
  static SizeExpr combine(char operation, SizeExpr a, SizeExpr b) {
    switch (operation) {
    case '+':
      return a.add(b);
    case '-':
      return a.sub(b);
    case '*':
      return a.mul(b);
    case '/':
      return a.floorDiv(b);
    case '%':
      return a.mod(b);
    case 'm':
      return a.min(b);
    default:
      return a.max(b);
    }
  }

  MLIRContext &context;
  std::mt19937_64 engine;
};

TEST_F(SizeExprTest, RandomExpressionsKeepTheirValue) {
  RandomExprs random(context, 1);
  for (int round = 0; round < 3000; ++round) {
    auto [plain, expr] = random.expression(3);
    for (int sample = 0; sample < 8; ++sample) {
      int64_t values[] = {random.draw(-9, 20), random.draw(0, 7),
                          random.draw(1, 100)};
      std::optional<int64_t> expected = plain->evaluate(values);
      if (!expected)
        continue; // a division by zero may have been simplified away
      auto actual =
          expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
            return values[llvm::find(kNames, name) - std::begin(kNames)];
          });
      ASSERT_EQ(actual, expected)
          << expr.str() << " at s0 = " << values[0] << ", s1 = " << values[1]
          << ", u0 = " << values[2];
    }
  }
}

TEST_F(SizeExprTest, RandomExpressionsSurviveTheirText) {
  RandomExprs random(context, 2);
  for (int round = 0; round < 1000; ++round) {
    SizeExpr expr = random.expression(3).second;
    ASSERT_EQ(parse(expr.str()), expr) << expr.str();
  }
}

TEST_F(SizeExprTest, RandomExpressionsAreCanonical) {
  RandomExprs random(context, 3);
  for (int round = 0; round < 500; ++round) {
    SizeExpr a = random.expression(2).second, b = random.expression(2).second,
             c = random.expression(2).second;
    ASSERT_EQ(a.add(b).add(c), c.add(a).add(b));
    ASSERT_EQ(a.mul(b).mul(c), c.mul(a.mul(b)));
    ASSERT_EQ(a.mul(b.add(c)), a.mul(b).add(a.mul(c)));
    ASSERT_EQ(a.sub(b).add(b), a);
    ASSERT_EQ(a.min(b), b.min(a));
    ASSERT_EQ(a.substitute([](StringRef) { return SizeExpr(); }), a);
  }
}

} // namespace
