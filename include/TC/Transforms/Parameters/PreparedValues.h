//===- PreparedValues.h - Writing @tc.prepare -------------------*- C++ -*-===//

#ifndef TC_TRANSFORMS_PARAMETERS_PREPAREDVALUES_H
#define TC_TRANSFORMS_PARAMETERS_PREPAREDVALUES_H

#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace tc {

/// Moves computations into `@tc.prepare`, which is made when it is first
/// needed, and declares their results as `tc.prepared`.
class PreparedValues {
public:
  explicit PreparedValues(mlir::ModuleOp module);

  /// Whether `value` is the same in every call until a parameter changes: it is
  /// computed by pure ops, of constant sizes, from constants and from
  /// parameters that no function of the module gives a new value.
  bool isOfParameters(mlir::Value value);

  /// The value that `value`, which is of parameters, has in @tc.prepare. Copies
  /// what it is computed from, except for what is there already.
  mlir::Value copy(mlir::Value value);

  /// Where further ops of @tc.prepare can be written.
  mlir::OpBuilder getBuilder();

  /// Makes `value` of @tc.prepare one of its results, unless it is one, and
  /// returns its declaration. A new one is named after `parameter` and
  /// `purpose`: `@fc.weight.packed`.
  PreparedOp publish(mlir::Value value, llvm::StringRef parameter,
                     llvm::StringRef purpose);

  /// A read of `prepared` before `op`.
  static mlir::Value read(PreparedOp prepared, mlir::Operation *op);

  /// Runs `rewrite` on each function with a body but @tc.prepare, and erases
  /// what nothing reads any more, there and in @tc.prepare.
  void rewriteFunctions(llvm::function_ref<void(mlir::func::FuncOp)> rewrite);

  /// What `build` makes of `value`, for `kernel` to read: once, in @tc.prepare,
  /// if `value` is of parameters, else before the kernel. It is published for
  /// `purpose`.
  mlir::Value computeFor(
      KernelOp kernel, mlir::Value value, llvm::StringRef purpose,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> build);

  /// Drops results of @tc.prepare that nothing reads, with their computation.
  void eraseUnread();

  /// Erases the ops of `from` whose results nothing reads, and what is kept by
  /// value: the next op that is made may have an erased one's address.
  void eraseDeadOps(mlir::func::FuncOp from);

  /// The declared parameters that `value` is computed from, in the order in
  /// which they are met.
  llvm::SmallVector<ParameterOp> getParameters(mlir::Value value);

private:
  void createFunction();
  mlir::Operation *findEqual(mlir::Operation *op);
  /// Drops what is kept by values and ops that may be those of `changed`.
  void forget(mlir::func::FuncOp changed);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::func::FuncOp function;
  llvm::StringSet<> mutated; ///< parameters with new values
  llvm::DenseMap<mlir::Value, bool> known;
  mlir::IRMapping copies;
  /// Ops of @tc.prepare by hash; filled when one is first looked for.
  llvm::DenseMap<unsigned, llvm::SmallVector<mlir::Operation *, 1>> ops;
  bool isIndexed = false;
  /// The declarations by value; filled when the first value is published.
  llvm::DenseMap<mlir::Value, PreparedOp> published;
};

/// Makes `read` of the body of `kernel` read `value`, which becomes an input of
/// the kernel, in the place of what it has read if nothing else reads that. The
/// caller sets the map.
void readInstead(KernelOp kernel, ReadOp read, mlir::Value value);

} // namespace tc

#endif // TC_TRANSFORMS_PARAMETERS_PREPAREDVALUES_H
