//===- SizeFacts.h - What holds of the sizes of a function ------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZEFACTS_H
#define TC_ANALYSIS_SIZEFACTS_H

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace tc {

/// What holds of the sizes of a function wherever its kernels run: the ranges
/// of `tc.symbols`, and the guards that are checked before.
class SizeFacts {
public:
  explicit SizeFacts(mlir::Operation *function);
  /// What holds of a dispatch's sizes where `chosen` is taken; null: where no
  /// case is.
  SizeFacts(DispatchOp dispatch, CaseOp chosen);
  /// What holds in a region of a `tc.if` or `tc.while` where these facts do:
  /// its own guards as well.
  SizeFacts in(mlir::Block &branch) const;
  /// Adds what a guard says that comes too late to hold of the whole block: the
  /// facts are those of the ops after `op`.
  void pass(mlir::Operation &op);
  /// What holds at `op`, of the block that these facts are of.
  SizeFacts before(mlir::Operation *op) const;

  /// Adds a condition that holds.
  void assume(const SizePrecondition &condition);
  /// Adds that what a condition is asked for holds: `where` is at least 1.
  void assumeAsked(SizeExpr where);
  /// Whether facts contradict each other: nothing runs under them.
  bool areImpossible() const { return isImpossible; }
  /// Whether exactly this condition was added.
  bool states(const SizePrecondition &condition) const;

  /// Ranges of expressions and of normalized ones.
  const SizeRanges &getRanges() const { return ranges; }
  /// Expressions that guards are about, and what they let through.
  llvm::ArrayRef<std::pair<SizeExpr, SizeRange>> getGuarded() const {
    return guarded;
  }
  /// What `tc.size_guard`s let through only where their `where` is at least 1.
  llvm::ArrayRef<SizePrecondition> getConditional() const {
    return conditional;
  }
  /// The same size with every symbol of a divisor as that many times another
  /// symbol, so that what it is divided by goes.
  SizeExpr normalize(SizeExpr expr) const;

  /// What two conditions have in common that ask for the same of the same
  /// sizes, whatever the op.
  using Condition = std::pair<std::pair<mlir::Attribute, mlir::Attribute>,
                              std::pair<mlir::Attribute, int>>;
  static Condition toKey(const SizePrecondition &condition);

private:
  void addGuards(mlir::Block &block);
  void addGuards(DispatchOp dispatch, mlir::func::FuncOp version);
  /// Adds a guard that is not among the facts yet; false for another op.
  bool addGuard(mlir::Operation &op);
  void addGuard(GuardOp guard,
                llvm::function_ref<SizeExpr(SizeExpr)> translate);
  void addCondition(const SizePrecondition &condition);
  void addFact(SizeExpr expr, const SizeRange &range);
  /// Finds the divisors of symbols, and states the facts in normalized terms.
  void findDivisors();

  llvm::SmallVector<SymbolAttr> symbols;
  SizeRanges ranges;
  bool isImpossible = false;
  llvm::DenseSet<mlir::Operation *> added; ///< guards
  llvm::SmallVector<std::pair<SizeExpr, SizeRange>> guarded;
  llvm::SmallVector<SizePrecondition> conditional;
  llvm::DenseSet<Condition> stated;
  llvm::StringMap<SizeExpr> multiples; ///< what normalize() puts for symbols
};

/// Fails, naming the case and the size, unless the guards of each case of
/// `dispatch` say that its inputs have the types of its version, and that the
/// symbols of that are in their ranges. Versions that are no functions of
/// tensors or memrefs any more are taken as they are.
llvm::LogicalResult verifyCases(DispatchOp dispatch);

/// An op and what it needs of sizes.
struct OpPrecondition {
  mlir::Operation *op;
  SizePrecondition condition;
};

/// The first op in `root` that needs what never holds where symbols are what
/// `valueOf` gives for them (null for no value), with those values; nothing
/// without one.
std::optional<OpPrecondition>
findImpossible(mlir::Operation *root,
               llvm::function_ref<SizeExpr(llvm::StringRef)> valueOf);

} // namespace tc

#endif // TC_ANALYSIS_SIZEFACTS_H
