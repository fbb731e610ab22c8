//===- SizePreconditions.h - What ops need of their sizes -------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SIZEPRECONDITIONS_H
#define TC_DIALECT_TC_IR_SIZEPRECONDITIONS_H

#include "TC/Dialect/TC/IR/TCDialect.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace tc {

/// A condition on sizes: `value` compares with `bound` as `relation` says,
/// wherever `where` is at least 1.
struct SizePrecondition {
  std::string subject; ///< what `value` is: "size 1 of 'x'"
  SizeExpr value;
  SizeRelation relation;
  std::string reference; ///< what `bound` is; empty for a plain number
  SizeExpr bound;
  SizeExpr where = {}; ///< null: the condition always has to hold

  /// Constructors that read like the condition.
  static SizePrecondition atLeast(const llvm::Twine &subject, SizeExpr value,
                                  int64_t bound, SizeExpr where = {});
  static SizePrecondition atMost(const llvm::Twine &subject, SizeExpr value,
                                 const llvm::Twine &reference, SizeExpr bound,
                                 SizeExpr where = {});
  static SizePrecondition equal(const llvm::Twine &subject, SizeExpr value,
                                const llvm::Twine &reference, SizeExpr bound);
  static SizePrecondition multipleOf(const llvm::Twine &subject, SizeExpr value,
                                     const llvm::Twine &reference,
                                     int64_t bound);

  /// Whether it holds for all values of the symbols (true) or for none (false);
  /// nothing when that depends on them. Two counts that are different sums and
  /// products of symbols are taken to differ.
  std::optional<bool> decide() const;

  /// Whether it holds for these values of `value`, `bound` and `where`.
  bool holds(int64_t value, int64_t bound, int64_t where) const;

  /// "expects 'k' of at most size 1 of 'x', s0 = 2, but it is 3". `valueOf`
  /// gives the text of an expression's value, or an empty one.
  std::string describe(llvm::function_ref<std::string(SizeExpr)> valueOf =
                           [](SizeExpr) { return std::string(); }) const;

  /// All expressions of it.
  llvm::SmallVector<SizeExpr, 3> getExpressions() const;
};

/// Refuses an op with a condition that never holds.
llvm::LogicalResult verifySizePreconditions(mlir::Operation *op);

/// What `op` needs of sizes: its own list, and of every op that results have no
/// negative size and that sizes are divided by positive numbers.
llvm::SmallVector<SizePrecondition>
getAllSizePreconditions(mlir::Operation *op);

} // namespace tc

#endif // TC_DIALECT_TC_IR_SIZEPRECONDITIONS_H
