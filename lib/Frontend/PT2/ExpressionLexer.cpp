//===- ExpressionLexer.cpp - tokens of srepr and of guards ----------------===//

#include "ExpressionLexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tc::pt2 {

bool ExpressionLexer::takeIf(StringRef expected) {
  if ((current.kind != Token::Punctuation && current.kind != Token::Name) ||
      current.text != expected)
    return false;
  advance();
  return true;
}

Error ExpressionLexer::failure(const Twine &expected) const {
  std::string found = current.kind == Token::End ? std::string("the end")
                                                 : "'" + current.text + "'";
  return createStringError("expression '" + text + "': expected " + expected +
                           " at character " + Twine(current.position) +
                           ", found " + found);
}

void ExpressionLexer::lexString(char quote) {
  current.kind = Token::String;
  ++next;
  while (next < text.size() && text[next] != quote) {
    if (text[next] == '\\' && next + 1 < text.size())
      ++next;
    current.text += text[next++];
  }
  ++next; // the closing quote, or the end
}

void ExpressionLexer::lexNumber() {
  size_t begin = next;
  current.kind = Token::Integer;
  while (next < text.size()) {
    char c = text[next];
    bool exponentSign = (c == '+' || c == '-') && next > begin &&
                        (text[next - 1] == 'e' || text[next - 1] == 'E');
    if (c == '.' || c == 'e' || c == 'E')
      current.kind = Token::Float;
    else if (!isDigit(c) && !exponentSign)
      break;
    ++next;
  }
  current.text = text.slice(begin, next).str();
}

void ExpressionLexer::advance() {
  while (next < text.size() && isSpace(text[next]))
    ++next;
  current = Token();
  current.position = next;
  if (next >= text.size())
    return;
  char c = text[next];
  if (c == '\'' || c == '"')
    return lexString(c);
  if (isDigit(c) ||
      (c == '.' && next + 1 < text.size() && isDigit(text[next + 1])))
    return lexNumber();
  if (isAlpha(c) || c == '_') {
    size_t begin = next;
    while (next < text.size() && (isAlnum(text[next]) || text[next] == '_'))
      ++next;
    current.kind = Token::Name;
    current.text = text.slice(begin, next).str();
    return;
  }
  current.kind = Token::Punctuation;
  for (StringRef wide : {"//", "**", "==", "!=", "<=", ">="})
    if (text.substr(next).starts_with(wide)) {
      current.text = wide.str();
      next += wide.size();
      return;
    }
  current.text = std::string(1, c);
  ++next;
}

Expected<Expression> takeNumber(ExpressionLexer &lexer, bool isNegative,
                                StringRef whole, bool takesLarge) {
  Token token = lexer.take();
  std::string digits = (isNegative ? "-" : "") + token.text;
  Expression result;
  if (token.kind == Token::Integer) {
    if (!StringRef(digits).getAsInteger(10, result.integer))
      return result;
    if (!takesLarge)
      return createStringError("the number " + digits + " of " + whole +
                               " does not fit in 64 bits");
  }
  result.kind = ExpressionKind::Float;
  if (StringRef(digits).getAsDouble(result.real, /*AllowInexact=*/true))
    return lexer.failure("a number before this");
  return result;
}

} // namespace tc::pt2
