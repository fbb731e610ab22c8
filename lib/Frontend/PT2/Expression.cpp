//===- Expression.cpp - symbolic sizes and guards of an export ------------===//

#include "TC/Frontend/PT2/Expression.h"

#include "ExpressionLexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace tc::pt2 {

using Kind = ExpressionKind;

Expression Expression::makeInteger(int64_t value) {
  Expression result;
  result.integer = value;
  return result;
}

Expression Expression::makeSymbol(StringRef name) {
  Expression result;
  result.kind = Kind::Symbol;
  result.name = name.str();
  return result;
}

Expression Expression::make(Kind kind, std::vector<Expression> operands) {
  Expression result;
  result.kind = kind;
  result.operands = std::move(operands);
  return result;
}

bool Expression::operator==(const Expression &other) const {
  return kind == other.kind && integer == other.integer && real == other.real &&
         name == other.name && operands == other.operands;
}

bool Expression::isCondition() const {
  switch (kind) {
  case Kind::Boolean:
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::Less:
  case Kind::LessEqual:
  case Kind::Greater:
  case Kind::GreaterEqual:
  case Kind::And:
  case Kind::Or:
  case Kind::Not:
    return true;
  default:
    return false;
  }
}

/// The infix operator of a kind, or the name it is called by.
static StringRef getSpelling(Kind kind) {
  switch (kind) {
  case Kind::Add:
    return " + ";
  case Kind::Mul:
    return "*";
  case Kind::Pow:
    return "**";
  case Kind::FloorDiv:
    return " // ";
  case Kind::TrueDiv:
    return " / ";
  case Kind::Mod:
    return " % ";
  case Kind::Equal:
    return " == ";
  case Kind::NotEqual:
    return " != ";
  case Kind::Less:
    return " < ";
  case Kind::LessEqual:
    return " <= ";
  case Kind::Greater:
    return " > ";
  case Kind::GreaterEqual:
    return " >= ";
  case Kind::And:
    return " and ";
  case Kind::Or:
    return " or ";
  case Kind::Not:
    return "not";
  case Kind::CeilDiv:
    return "ceildiv";
  case Kind::Max:
    return "max";
  case Kind::Min:
    return "min";
  default:
    return "";
  }
}

static void print(raw_ostream &out, const Expression &expression, bool top) {
  switch (expression.kind) {
  case Kind::Integer:
    out << expression.integer;
    return;
  case Kind::Float:
    out << format("%g", expression.real);
    return;
  case Kind::Boolean:
    out << (expression.integer ? "True" : "False");
    return;
  case Kind::Symbol:
  case Kind::InputValue:
    out << expression.name;
    return;
  case Kind::InputSize:
    out << expression.name << ".size()[" << expression.integer << "]";
    return;
  case Kind::InputStride:
    out << expression.name << ".stride()[" << expression.integer << "]";
    return;
  case Kind::InputOffset:
    out << expression.name << ".storage_offset()";
    return;
  default:
    break;
  }
  StringRef spelling = expression.kind == Kind::Other
                           ? StringRef(expression.name)
                           : getSpelling(expression.kind);
  bool call = isAlpha(spelling.front());
  if (call)
    out << spelling << "(";
  else if (!top)
    out << "(";
  ListSeparator separator(call ? StringRef(", ") : spelling);
  for (const Expression &operand : expression.operands) {
    out << separator;
    print(out, operand, /*top=*/call);
  }
  if (call || !top)
    out << ")";
}

std::string Expression::str() const {
  std::string text;
  raw_string_ostream out(text);
  print(out, *this, /*top=*/true);
  return text;
}

} // namespace tc::pt2
