//===- GuardParser.cpp - the conditions an export assumed -----------------===//
//
// guards_code holds Python conditions printed by torch's shape environment.
// This is the part of Python's expression grammar that it prints, lowest
// precedence first: or, and, not, comparisons (chained), sums, products,
// signs, powers, primaries.
//
//===----------------------------------------------------------------------===//

#include "TC/Frontend/PT2/GuardParser.h"

#include "ExpressionLexer.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;

namespace tc::pt2 {

using Kind = ExpressionKind;

namespace {
class GuardParser {
public:
  explicit GuardParser(StringRef text) : lexer(text) {}

  Expected<Expression> parse() {
    Expected<Expression> result = parseOr();
    if (!result)
      return result;
    if (lexer.peek().kind != Token::End)
      return lexer.failure("the end");
    if (!result->isCondition())
      return lexer.failure("a condition");
    return result;
  }

private:
  Expected<Expression> parseOr();
  Expected<Expression> parseAnd();
  Expected<Expression> parseNot();
  Expected<Expression> parseComparison();
  Expected<Expression> parseSum();
  Expected<Expression> parseProduct();
  Expected<Expression> parseSigned();
  Expected<Expression> parsePower();
  Expected<Expression> parsePrimary();
  Expected<Expression> parseInput();
  Expected<Expression> parseInputProperty(std::string path);
  Expected<Expression> parseCall(std::string name);
  Expected<int64_t> parseIndex();

  using Rule = Expected<Expression> (GuardParser::*)();
  Expected<Expression> parseNested(Rule rule);
  Expected<Expression> parseChain(Rule next, StringRef word, Kind kind);

  ExpressionLexer lexer;
  unsigned depth = 0;
};
} // namespace

/// `rule` one level deeper than the parser's place.
Expected<Expression> GuardParser::parseNested(Rule rule) {
  if (depth == maximumDepth)
    return lexer.failure("at most " + Twine(maximumDepth) + " nested terms");
  ++depth;
  Expected<Expression> term = (this->*rule)();
  --depth;
  return term;
}

/// next (word next)*
Expected<Expression> GuardParser::parseChain(Rule next, StringRef word,
                                             Kind kind) {
  Expected<Expression> first = (this->*next)();
  if (!first)
    return first;
  std::vector<Expression> operands{std::move(*first)};
  while (lexer.takeIf(word)) {
    Expected<Expression> operand = (this->*next)();
    if (!operand)
      return operand;
    operands.push_back(std::move(*operand));
  }
  if (operands.size() == 1)
    return std::move(operands.front());
  return Expression::make(kind, std::move(operands));
}

Expected<Expression> GuardParser::parseOr() {
  return parseChain(&GuardParser::parseAnd, "or", Kind::Or);
}

Expected<Expression> GuardParser::parseAnd() {
  return parseChain(&GuardParser::parseNot, "and", Kind::And);
}

Expected<Expression> GuardParser::parseNot() {
  if (!lexer.takeIf("not"))
    return parseComparison();
  Expected<Expression> operand = parseNested(&GuardParser::parseNot);
  if (!operand)
    return operand;
  return Expression::make(Kind::Not, {std::move(*operand)});
}

static std::optional<Kind> getComparison(const Token &token) {
  if (token.kind != Token::Punctuation)
    return std::nullopt;
  return StringSwitch<std::optional<Kind>>(token.text)
      .Case("==", Kind::Equal)
      .Case("!=", Kind::NotEqual)
      .Case("<", Kind::Less)
      .Case("<=", Kind::LessEqual)
      .Case(">", Kind::Greater)
      .Case(">=", Kind::GreaterEqual)
      .Default(std::nullopt);
}

/// "a <= b <= c" means "a <= b and b <= c".
Expected<Expression> GuardParser::parseComparison() {
  Expected<Expression> left = parseSum();
  if (!left)
    return left;
  std::vector<Expression> comparisons;
  Expression previous = *left;
  while (std::optional<Kind> kind = getComparison(lexer.peek())) {
    lexer.take();
    Expected<Expression> right = parseSum();
    if (!right)
      return right;
    comparisons.push_back(Expression::make(*kind, {previous, *right}));
    previous = std::move(*right);
  }
  if (comparisons.empty())
    return left;
  if (comparisons.size() == 1)
    return std::move(comparisons.front());
  return Expression::make(Kind::And, std::move(comparisons));
}

Expected<Expression> GuardParser::parseSum() {
  Expected<Expression> first = parseProduct();
  if (!first)
    return first;
  std::vector<Expression> terms{std::move(*first)};
  while (true) {
    bool minus = lexer.takeIf("-");
    if (!minus && !lexer.takeIf("+"))
      break;
    Expected<Expression> term = parseProduct();
    if (!term)
      return term;
    if (minus)
      *term = Expression::make(Kind::Mul,
                               {Expression::makeInteger(-1), std::move(*term)});
    terms.push_back(std::move(*term));
  }
  if (terms.size() == 1)
    return std::move(terms.front());
  return Expression::make(Kind::Add, std::move(terms));
}

/// Products are left-associative: a*b//c is (a*b)//c.
Expected<Expression> GuardParser::parseProduct() {
  Expected<Expression> left = parseSigned();
  if (!left)
    return left;
  Expression result = std::move(*left);
  while (lexer.peek().kind == Token::Punctuation) {
    auto kind = StringSwitch<std::optional<Kind>>(lexer.peek().text)
                    .Case("*", Kind::Mul)
                    .Case("//", Kind::FloorDiv)
                    .Case("/", Kind::TrueDiv)
                    .Case("%", Kind::Mod)
                    .Default(std::nullopt);
    if (!kind)
      break;
    lexer.take();
    Expected<Expression> right = parseSigned();
    if (!right)
      return right;
    if (*kind == Kind::Mul && result.kind == Kind::Mul)
      result.operands.push_back(std::move(*right));
    else
      result = Expression::make(*kind, {std::move(result), std::move(*right)});
  }
  return result;
}

Expected<Expression> GuardParser::parseSigned() {
  while (lexer.takeIf("+")) {
  }
  if (!lexer.takeIf("-"))
    return parsePower();
  Expected<Expression> operand = parseNested(&GuardParser::parseSigned);
  if (!operand)
    return operand;
  if (operand->kind == Kind::Integer && operand->integer >= 0)
    return Expression::makeInteger(-operand->integer);
  if (operand->kind == Kind::Float) {
    operand->real = -operand->real;
    return operand;
  }
  return Expression::make(Kind::Mul,
                          {Expression::makeInteger(-1), std::move(*operand)});
}

Expected<Expression> GuardParser::parsePower() {
  Expected<Expression> base = parsePrimary();
  if (!base || !lexer.takeIf("**"))
    return base;
  Expected<Expression> exponent = parseNested(&GuardParser::parseSigned);
  if (!exponent)
    return exponent;
  return Expression::make(Kind::Pow, {std::move(*base), std::move(*exponent)});
}

Expected<Expression> GuardParser::parsePrimary() {
  if (lexer.peek().kind == Token::Integer || lexer.peek().kind == Token::Float)
    return takeNumber(lexer, /*isNegative=*/false, "a guard",
                      /*takesLarge=*/true);
  if (lexer.takeIf("(")) {
    Expected<Expression> inner = parseNested(&GuardParser::parseOr);
    if (inner && !lexer.takeIf(")"))
      return lexer.failure("')'");
    return inner;
  }
  if (lexer.peek().kind != Token::Name)
    return lexer.failure("a number, an input or a function");
  std::string name = lexer.take().text;
  if (name == "True" || name == "False") {
    Expression result = Expression::makeInteger(name == "True");
    result.kind = Kind::Boolean;
    return result;
  }
  if (name == "L")
    return parseInput();
  while (lexer.takeIf(".")) { // math.trunc, torch.sym_max
    if (lexer.peek().kind != Token::Name)
      return lexer.failure("a name");
    name += "." + lexer.take().text;
  }
  return parseCall(std::move(name));
}

Expected<Expression> GuardParser::parseCall(std::string name) {
  if (!lexer.takeIf("("))
    return lexer.failure("'('");
  std::vector<Expression> operands;
  if (!lexer.takeIf(")")) {
    do {
      Expected<Expression> operand = parseNested(&GuardParser::parseOr);
      if (!operand)
        return operand;
      operands.push_back(std::move(*operand));
    } while (lexer.takeIf(","));
    if (!lexer.takeIf(")"))
      return lexer.failure("',' or ')'");
  }
  Kind kind = StringSwitch<Kind>(name)
                  .Cases({"max", "Max", "torch.sym_max"}, Kind::Max)
                  .Cases({"min", "Min", "torch.sym_min"}, Kind::Min)
                  .Default(Kind::Other);
  Expression result = Expression::make(kind, std::move(operands));
  if (kind == Kind::Other)
    result.name = std::move(name);
  else if (result.operands.empty())
    return lexer.failure("an operand of '" + name + "' before this");
  return result;
}

Expected<int64_t> GuardParser::parseIndex() {
  int64_t index = 0;
  if (!lexer.takeIf("["))
    return lexer.failure("'['");
  if (lexer.peek().kind != Token::Integer ||
      StringRef(lexer.peek().text).getAsInteger(10, index))
    return lexer.failure("an integer");
  lexer.take();
  if (!lexer.takeIf("]"))
    return lexer.failure("']'");
  return index;
}

/// The path of an input, after its "L", then a property of it.
Expected<Expression> GuardParser::parseInput() {
  std::string path = "L";
  while (lexer.takeIf("[")) {
    Token key = lexer.take();
    if (key.kind == Token::String)
      path += "['" + key.text + "']";
    else if (key.kind == Token::Integer)
      path += "[" + key.text + "]";
    else
      return lexer.failure("a key of an input before this");
    if (!lexer.takeIf("]"))
      return lexer.failure("']'");
  }
  return parseInputProperty(std::move(path));
}

Expected<Expression> GuardParser::parseInputProperty(std::string path) {
  Expression result;
  result.kind = Kind::InputValue;
  while (lexer.takeIf(".")) {
    if (lexer.peek().kind != Token::Name)
      return lexer.failure("a name");
    std::string name = lexer.take().text;
    if (!lexer.takeIf("(")) { // an attribute on the way to the input
      path += "." + name;
      continue;
    }
    if (!lexer.takeIf(")"))
      return lexer.failure("')'");
    auto kind = StringSwitch<std::optional<Kind>>(name)
                    .Case("size", Kind::InputSize)
                    .Case("stride", Kind::InputStride)
                    .Case("storage_offset", Kind::InputOffset)
                    .Default(std::nullopt);
    if (!kind)
      return lexer.failure("size(), stride() or storage_offset() of " + path +
                           " before this");
    result.kind = *kind;
    if (*kind != Kind::InputOffset) {
      Expected<int64_t> index = parseIndex();
      if (!index)
        return index.takeError();
      result.integer = *index;
    }
    break;
  }
  result.name = std::move(path);
  return result;
}

Expected<Expression> parseGuard(StringRef text) {
  return GuardParser(text).parse();
}

} // namespace tc::pt2
