//===- DataDependentSizes.h - Sizes that only the call knows ----*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_DATADEPENDENTSIZES_H
#define TC_DIALECT_TC_IR_DATADEPENDENTSIZES_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace tc {

/// The op of the function around `op` that defines the symbol, or null.
SizeFromOp findSizeFrom(mlir::Operation *op, llvm::StringRef symbol);

/// Calls `visit` with each data-dependent symbol that the results' types or the
/// attributes of `op` name; repeats included.
void walkDataDependentSymbols(mlir::Operation *op,
                              llvm::function_ref<void(llvm::StringRef)> visit);

/// What the function `op` says of its data-dependent symbols: each is defined
/// once, by a `tc.size_from` or by a captured call whose result first names it,
/// before all that names it, and no argument does.
llvm::LogicalResult verifyDataDependentSymbols(mlir::Operation *op);

/// Has `value`, a 0-d i64 tensor, define `size` at the builder's place: as
/// the data-dependent symbol that `size` is and that has no value yet. What is
/// known already, a constant or an expression, becomes a guard on a further
/// symbol, called `fresh`, which the caller declares when it is asked for.
/// Fails where `size` names an undefined symbol and more.
llvm::LogicalResult defineSize(mlir::OpBuilder &builder, mlir::Location loc,
                               SizeExpr size, mlir::Value value,
                               llvm::function_ref<std::string()> makeFresh);

/// Declares a further data-dependent symbol of the function, of at least `min`,
/// and gives its name.
std::string declareFreshSymbol(mlir::Operation *function, int64_t min);

/// In which order a function learns its sizes: epoch 0 before the first
/// `tc.size_from`, then one more after each.
class SizeEpochs {
public:
  explicit SizeEpochs(mlir::Block &body);
  /// The first epoch in which the size is known.
  unsigned of(SizeExpr size) const;
  unsigned of(mlir::ShapedType type) const;
  /// The `tc.size_from` that epoch `index`, at least 1, begins after.
  SizeFromOp getDefinition(unsigned index) const { return ops[index - 1]; }
  unsigned count() const { return ops.size() + 1; }

private:
  llvm::SmallVector<SizeFromOp> ops;
  llvm::StringMap<unsigned> epochOf;
};

} // namespace tc

#endif // TC_DIALECT_TC_IR_DATADEPENDENTSIZES_H
