//===- ExpressionTest.cpp -------------------------------------------------===//

#include "TC/Frontend/PT2/Expression.h"
#include "TC/Frontend/PT2/GuardParser.h"
#include "TC/Frontend/PT2/SympyParser.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tc::pt2;

static std::string sympy(StringRef text) {
  Expected<Expression> expression = parseSympyExpression(text);
  return expression ? expression->str() : toString(expression.takeError());
}

static std::string guard(StringRef text) {
  Expected<Expression> expression = parseGuard(text);
  return expression ? expression->str() : toString(expression.takeError());
}

TEST(SympyExpression, ReadsTheFormsOfSizes) {
  EXPECT_EQ(sympy("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(sympy("Mul(Integer(2), Symbol('s77', integer=True))"), "2*s77");
  EXPECT_EQ(sympy("Add(Symbol('s0', integer=True), Integer(-1))"), "s0 + -1");
  EXPECT_EQ(sympy("FloorDiv(Mul(Integer(2), Symbol('s0')), Integer(3))"),
            "(2*s0) // 3");
  EXPECT_EQ(sympy("CleanDiv(Symbol('s0'), Integer(2))"), "s0 // 2");
  EXPECT_EQ(sympy("PythonMod(Symbol('s0'), Integer(8))"), "s0 % 8");
  EXPECT_EQ(sympy("ModularIndexing(Symbol('s0'), Integer(2), Integer(4))"),
            "(s0 // 2) % 4");
  EXPECT_EQ(sympy("Max(Symbol('s0'), Symbol('s1'), Integer(1))"),
            "max(s0, s1, 1)");
  EXPECT_EQ(sympy("Pow(Symbol('s0'), Integer(2))"), "s0**2");
  EXPECT_EQ(sympy("CeilDiv(Symbol('s0'), Integer(2))"), "ceildiv(s0, 2)");
  EXPECT_EQ(sympy("GreaterThan(Symbol('u0', integer=True), Integer(2))"),
            "u0 >= 2");
  EXPECT_EQ(sympy("TruncToInt(Float('1.5', precision=53))"), "TruncToInt(1.5)");
  EXPECT_EQ(sympy("true"), "True");
}

TEST(SympyExpression, RefusesWhatIsMalformed) {
  EXPECT_EQ(sympy("Mul(Integer(2)"),
            "expression 'Mul(Integer(2)': expected ',' or ')' at character 14, "
            "found the end");
  EXPECT_EQ(sympy("Symbol(s0)"),
            "expression 'Symbol(s0)': expected a quoted symbol name at "
            "character 7, found 's0'");
  EXPECT_EQ(sympy("FloorDiv(Integer(2))"),
            "'FloorDiv' has 1 operands in a symbolic expression, expected 2");
  EXPECT_EQ(sympy("Integer(99999999999999999999)"),
            "the number 99999999999999999999 of a symbolic expression does not "
            "fit in 64 bits");
  EXPECT_EQ(sympy(""), "expression '': expected a sympy constructor at "
                       "character 0, found the end");
}

TEST(SympyExpression, LimitsNesting) {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "Not(";
  EXPECT_NE(sympy(text).find("expected at most 200 nested calls"),
            std::string::npos);
}

TEST(Guard, ReadsConditionsOnSizes) {
  EXPECT_EQ(guard("(L['a'][0].size()[0] % 2) == 0"),
            "(L['a'][0].size()[0] % 2) == 0");
  EXPECT_EQ(guard("L['x'].size()[0]*L['y'].size()[1] > 20"),
            "(L['x'].size()[0]*L['y'].size()[1]) > 20");
  EXPECT_EQ(guard("4*(L['x'].size()[0] // 2)*(L['x'].size()[0] // 3) >= 2"),
            "(4*(L['x'].size()[0] // 2)*(L['x'].size()[0] // 3)) >= 2");
  EXPECT_EQ(guard("max(5, L['x'].size()[0]) <= -3 + L['x'].size()[0]"),
            "max(5, L['x'].size()[0]) <= (-3 + L['x'].size()[0])");
  EXPECT_EQ(guard("L['n'] >= 0 and L['n'] <= L['x'].size()[0]"),
            "(L['n'] >= 0) and (L['n'] <= L['x'].size()[0])");
  EXPECT_EQ(guard("2 <= L['x'].size()[0] <= 64"),
            "(2 <= L['x'].size()[0]) and (L['x'].size()[0] <= 64)");
  EXPECT_EQ(guard("not L[\"x\"].stride()[1] != 1 or True"),
            "not(L['x'].stride()[1] != 1) or True");
  EXPECT_EQ(guard("L['x'].storage_offset() == 0"),
            "L['x'].storage_offset() == 0");
  EXPECT_EQ(guard("L['x'].size()[0] - L['y'].size()[0]**2 == -1"),
            "(L['x'].size()[0] + (-1*(L['y'].size()[0]**2))) == -1");
  EXPECT_EQ(guard("L['x'].size()[0] < 9223372036854775808"),
            "L['x'].size()[0] < 9.22337e+18");
  EXPECT_EQ(guard("math.trunc(1.5*L['n']) < 7"), "math.trunc(1.5*L['n']) < 7");
}

TEST(Guard, RefusesWhatIsMalformed) {
  EXPECT_EQ(guard("L['x'].size()[0]"),
            "expression 'L['x'].size()[0]': expected a condition at character "
            "16, found the end");
  EXPECT_EQ(guard("L['x'].shape()[0] == 2"),
            "expression 'L['x'].shape()[0] == 2': expected size(), stride() or "
            "storage_offset() of L['x'] before this at character 14, found "
            "'['");
  EXPECT_EQ(guard("1 == 2 3"), "expression '1 == 2 3': expected the end at "
                               "character 7, found '3'");
}

TEST(Guard, LimitsNesting) {
  for (StringRef opening : {"(", "-", "not ", "2**", "f("}) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
      text += opening;
    EXPECT_NE(guard(text).find("at most 200 nested terms"), std::string::npos);
  }
}
