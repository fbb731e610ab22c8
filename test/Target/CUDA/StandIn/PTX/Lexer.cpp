//===- Lexer.cpp - Tokens of PTX ------------------------------------------===//

#include "Lexer.h"

#include <cctype>
#include <charconv>

using namespace standin::ptx;

static bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

void Lexer::skipBlanks() {
  while (position < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[position])) ||
        text[position] == '\0') {
      ++position;
    } else if (text.substr(position, 2) == "//") {
      position = std::min(text.find('\n', position), text.size());
    } else if (text.substr(position, 2) == "/*") {
      const size_t close = text.find("*/", position + 2);
      position = close == text.npos ? text.size() : close + 2;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skipBlanks();
  token = {Token::end, {}, position};
  if (position == text.size())
    return;
  const size_t begin = position;
  const char first = text[position];
  if (first == '"') {
    position = std::min(text.find('"', begin + 1), text.size() - 1) + 1;
    token.kind = Token::text;
  } else if (isWord(first)) {
    token.kind = std::isdigit(static_cast<unsigned char>(first)) ? Token::number
                                                                 : Token::word;
    while (position < text.size() &&
           (isWord(text[position]) || text.substr(position, 2) == "::"))
      position += text[position] == ':' ? 2 : 1;
  } else {
    token.kind = Token::punctuation;
    ++position;
  }
  token.spelling = text.substr(begin, position - begin);
}

void Lexer::skipLine() {
  position = std::min(text.find('\n', token.at), text.size());
  advance();
}

void Lexer::skipBrackets() {
  int depth = 0;
  do {
    const Token at = next();
    if (at.is("{") || at.is("(") || at.is("["))
      ++depth;
    else if (at.is("}") || at.is(")") || at.is("]"))
      --depth;
  } while (depth > 0 && token.kind != Token::end);
}

std::string_view Lexer::since(size_t begin) const {
  return text.substr(begin, token.at - begin);
}

bool standin::ptx::readNumber(std::string_view spelling, uint64_t &value) {
  int base = 10;
  if (spelling.size() > 2 && spelling[0] == '0' && !std::isdigit(spelling[1])) {
    const char kind = char(std::tolower(spelling[1]));
    if (kind == 'b')
      base = 2;
    else if (kind == 'x' || (kind == 'f' && spelling.size() == 10) ||
             (kind == 'd' && spelling.size() == 18))
      base = 16;
    else
      return false;
    spelling.remove_prefix(2);
  }
  if (spelling.size() > 1 && spelling.back() == 'U')
    spelling.remove_suffix(1);
  const char *end = spelling.data() + spelling.size();
  const auto read = std::from_chars(spelling.data(), end, value, base);
  return read.ec == std::errc() && read.ptr == end;
}
