//===- SympyParser.cpp - sympy's srepr ------------------------------------===//
//
// srepr writes every node as a constructor call: Name(argument, ...), where an
// argument is a node, a string, a number or an assumption (integer=True).
//
//===----------------------------------------------------------------------===//

#include "TC/Frontend/PT2/SympyParser.h"

#include "ExpressionLexer.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;

namespace tc::pt2 {

using Kind = ExpressionKind;

namespace {
struct Operation {
  Kind kind;
  /// Number of operands, or 0 for "one or more".
  unsigned arity;
};

std::optional<Operation> getOperation(StringRef name) {
  using Result = std::optional<Operation>;
  return StringSwitch<Result>(name)
      .Case("Add", Operation{Kind::Add, 0})
      .Case("Mul", Operation{Kind::Mul, 0})
      .Cases({"Max", "VarMax"}, Operation{Kind::Max, 0})
      .Cases({"Min", "VarMin"}, Operation{Kind::Min, 0})
      .Cases({"Pow", "PowByNatural", "FloatPow"}, Operation{Kind::Pow, 2})
      .Cases({"FloorDiv", "CleanDiv"}, Operation{Kind::FloorDiv, 2})
      .Case("CeilDiv", Operation{Kind::CeilDiv, 2})
      .Cases({"IntTrueDiv", "FloatTrueDiv", "Rational"},
             Operation{Kind::TrueDiv, 2})
      .Cases({"Mod", "PythonMod"}, Operation{Kind::Mod, 2})
      .Cases({"Equality", "Eq"}, Operation{Kind::Equal, 2})
      .Cases({"Unequality", "Ne"}, Operation{Kind::NotEqual, 2})
      .Cases({"StrictLessThan", "Lt"}, Operation{Kind::Less, 2})
      .Cases({"LessThan", "Le"}, Operation{Kind::LessEqual, 2})
      .Cases({"StrictGreaterThan", "Gt"}, Operation{Kind::Greater, 2})
      .Cases({"GreaterThan", "Ge"}, Operation{Kind::GreaterEqual, 2})
      .Case("And", Operation{Kind::And, 0})
      .Case("Or", Operation{Kind::Or, 0})
      .Case("Not", Operation{Kind::Not, 1})
      .Default(std::nullopt);
}

class SympyParser {
public:
  explicit SympyParser(StringRef text) : lexer(text) {}

  Expected<Expression> parse() {
    Expected<Expression> result = parseNode(0);
    if (!result)
      return result;
    if (lexer.peek().kind != Token::End)
      return lexer.failure("the end");
    return result;
  }

private:
  Expected<Expression> parseNode(unsigned depth);
  Expected<Expression> parseSymbol();
  Expected<Expression> build(StringRef name, std::vector<Expression> operands);
  Error skipAssumptions();

  ExpressionLexer lexer;
};
} // namespace

/// Skips ", name=value" pairs up to the closing parenthesis, which it takes.
Error SympyParser::skipAssumptions() {
  while (lexer.takeIf(",")) {
    if (lexer.peek().kind != Token::Name)
      return lexer.failure("an assumption");
    lexer.take();
    if (!lexer.takeIf("="))
      return lexer.failure("'='");
    lexer.take();
  }
  if (!lexer.takeIf(")"))
    return lexer.failure("')'");
  return Error::success();
}

Expected<Expression> SympyParser::parseSymbol() {
  if (lexer.peek().kind != Token::String)
    return lexer.failure("a quoted symbol name");
  Expression result = Expression::makeSymbol(lexer.take().text);
  if (Error error = skipAssumptions())
    return std::move(error);
  return result;
}

Expected<Expression> SympyParser::build(StringRef name,
                                        std::vector<Expression> operands) {
  auto arityFailure = [&](const Twine &expected) {
    return createStringError("'" + name + "' has " + Twine(operands.size()) +
                             " operands in a symbolic expression, "
                             "expected " +
                             expected);
  };
  if (name == "Integer" || name == "Identity") {
    if (operands.size() != 1)
      return arityFailure("1");
    return operands[0];
  }
  if (name == "ModularIndexing") { // (x // divisor) % modulus
    if (operands.size() != 3)
      return arityFailure("3");
    Expression quotient =
        Expression::make(Kind::FloorDiv, {operands[0], operands[1]});
    return Expression::make(Kind::Mod, {std::move(quotient), operands[2]});
  }
  std::optional<Operation> operation = getOperation(name);
  if (!operation) {
    Expression other = Expression::make(Kind::Other, std::move(operands));
    other.name = name.str();
    return other;
  }
  if (operation->arity ? operands.size() != operation->arity : operands.empty())
    return arityFailure(operation->arity ? Twine(operation->arity)
                                         : Twine("at least 1"));
  return Expression::make(operation->kind, std::move(operands));
}

Expected<Expression> SympyParser::parseNode(unsigned depth) {
  if (depth > maximumDepth)
    return lexer.failure("at most " + Twine(maximumDepth) + " nested calls");
  if (lexer.takeIf("-"))
    return takeNumber(lexer, /*isNegative=*/true, "a symbolic expression");
  Token::Kind kind = lexer.peek().kind;
  if (kind == Token::Integer || kind == Token::Float)
    return takeNumber(lexer, /*isNegative=*/false, "a symbolic expression");
  if (kind != Token::Name)
    return lexer.failure("a sympy constructor");
  std::string name = lexer.take().text;
  if (name == "true" || name == "false") {
    Expression result = Expression::makeInteger(name == "true");
    result.kind = Kind::Boolean;
    return result;
  }
  if (!lexer.takeIf("(")) {
    Expression constant = Expression::make(Kind::Other, {});
    constant.name = name; // oo, int_oo, zoo, pi
    return constant;
  }
  if (name == "Symbol")
    return parseSymbol();
  if (name == "Float") { // Float('0.5', precision=53)
    Expression result;
    result.kind = Kind::Float;
    if (lexer.peek().kind != Token::String ||
        StringRef(lexer.peek().text)
            .getAsDouble(result.real, /*AllowInexact=*/true))
      return lexer.failure("a quoted number");
    lexer.take();
    if (Error error = skipAssumptions())
      return std::move(error);
    return result;
  }
  std::vector<Expression> operands;
  if (!lexer.takeIf(")")) {
    do {
      Expected<Expression> operand = parseNode(depth + 1);
      if (!operand)
        return operand;
      operands.push_back(std::move(*operand));
    } while (lexer.takeIf(","));
    if (!lexer.takeIf(")"))
      return lexer.failure("',' or ')'");
  }
  return build(name, std::move(operands));
}

Expected<Expression> parseSympyExpression(StringRef text) {
  return SympyParser(text).parse();
}

} // namespace tc::pt2
