//===- Expression.h - symbolic sizes and guards of an export ----*- C++ -*-===//
//
// Symbolic sizes reach a .pt2 archive as sympy's srepr ("Mul(Integer(2),
// Symbol('s77', integer=True))"), and what the export assumed about them as
// Python source ("L['x'].size()[0] % 2 == 0"). Both become one small tree.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_PT2_EXPRESSION_H
#define TC_FRONTEND_PT2_EXPRESSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tc::pt2 {

/// What a node of an Expression is. Division and modulo of integers are
/// Python's: rounding is towards minus infinity.
enum class ExpressionKind {
  Integer,     ///< `integer`
  Float,       ///< `real`
  Boolean,     ///< `integer` is 0 or 1
  Symbol,      ///< `name` is a symbolic size such as s77 or u0
  InputSize,   ///< size of dimension `integer` of the input at path `name`
  InputStride, ///< stride of dimension `integer` of the input at path `name`
  InputOffset, ///< storage offset of the input at path `name`
  InputValue,  ///< the scalar input at path `name`
  Add,         ///< sum of all operands
  Mul,         ///< product of all operands
  Pow,         ///< operand 0 to the power of operand 1
  FloorDiv,    ///< operand 0 divided by operand 1, rounded down
  CeilDiv,     ///< operand 0 divided by operand 1, rounded up
  TrueDiv,     ///< operand 0 divided by operand 1, a real number
  Mod,         ///< operand 0 modulo operand 1
  Max,         ///< largest operand
  Min,         ///< smallest operand
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Other ///< a function that has no kind of its own, called `name`
};

/// A node and its operands.
struct Expression {
  ExpressionKind kind = ExpressionKind::Integer;
  int64_t integer = 0;
  double real = 0.0;
  std::string name;
  std::vector<Expression> operands;
  /// Its value in the example that the program was captured with, if known; it
  /// is no part of the expression.
  std::optional<int64_t> hint;

  static Expression makeInteger(int64_t value);
  static Expression makeSymbol(llvm::StringRef name);
  static Expression make(ExpressionKind kind, std::vector<Expression> operands);

  bool operator==(const Expression &other) const;

  /// Whether evaluating gives a truth value.
  bool isCondition() const;

  /// The expression in Python's notation, fully parenthesised.
  std::string str() const;
};

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_EXPRESSION_H
