//===- ExpressionLexer.h - tokens of srepr and of guards --------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_EXPRESSIONLEXER_H
#define TC_LIB_FRONTEND_PT2_EXPRESSIONLEXER_H

#include "TC/Frontend/PT2/Expression.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tc::pt2 {

/// Deeper nesting than any size has; keeps hostile input off the stack limit.
constexpr unsigned maximumDepth = 200;

/// A token: a name, an integer, a float, a quoted string (without its quotes
/// and escapes, in `text`), punctuation such as "//" or the end.
struct Token {
  enum Kind { Name, Integer, Float, String, Punctuation, End } kind = End;
  std::string text;
  size_t position = 0;
};

/// Splits a line of Python-like text into tokens, one ahead.
class ExpressionLexer {
public:
  explicit ExpressionLexer(llvm::StringRef text) : text(text) { advance(); }

  const Token &peek() const { return current; }
  Token take() {
    Token token = current;
    advance();
    return token;
  }
  /// Takes the next token if it is the punctuation or the name `expected`.
  bool takeIf(llvm::StringRef expected);

  /// An error at the current token that quotes the whole text.
  llvm::Error failure(const llvm::Twine &expected) const;

private:
  void advance();
  void lexString(char quote);
  void lexNumber();

  llvm::StringRef text;
  size_t next = 0;
  Token current;
};

/// Takes the next token as a number, negated if `isNegative`. `whole` says in
/// errors what it is a part of: "a guard". An integer of more than 64 bits is
/// an error, or a real number if `takesLarge`.
llvm::Expected<Expression> takeNumber(ExpressionLexer &lexer, bool isNegative,
                                      llvm::StringRef whole,
                                      bool takesLarge = false);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_EXPRESSIONLEXER_H
