//===- Lexer.h - Tokens of PTX ----------------------------------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_LEXER_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_LEXER_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace standin::ptx {

struct Token {
  enum Kind { word, number, punctuation, text, end } kind = end;
  std::string_view spelling;
  size_t at = 0;

  bool is(std::string_view other) const {
    return kind != text && spelling == other;
  }
};

/// Walks over PTX with one token of lookahead, without comments. A word has
/// letters, digits and any of _ $ % . and ::, so that an opcode is one word.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) { advance(); }

  const Token &peek() const { return token; }
  Token next() {
    const Token result = token;
    advance();
    return result;
  }
  /// Takes the next token where it is this one.
  bool take(std::string_view spelling) {
    if (!token.is(spelling))
      return false;
    advance();
    return true;
  }
  /// Goes on with the line after the next token's.
  void skipLine();
  /// Goes on behind the closing bracket of the next token, an opening one.
  void skipBrackets();
  /// The text from a place to the next token.
  std::string_view since(size_t begin) const;

private:
  void advance();
  void skipBlanks();

  std::string_view text;
  size_t position = 0;
  Token token;
};

/// The value of a number: 12, 0x1F, 0f3F800000, 0d3FF0000000000000, with U
/// behind it or not. False when it is none of these.
bool readNumber(std::string_view spelling, uint64_t &value);

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_LEXER_H
