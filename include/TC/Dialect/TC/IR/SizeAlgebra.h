//===- SizeAlgebra.h - Solving and replacing size symbols -------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SIZEALGEBRA_H
#define TC_DIALECT_TC_IR_SIZEALGEBRA_H

#include "TC/Dialect/TC/IR/TCDialect.h"

namespace tc {

/// Whether the expression is made of sums and products of symbols. Such counts
/// differ for certain; a guard may make a rounded or clamped one equal.
bool isPolynomial(SizeExpr expr);

/// The expression with other operands, in canonical form: a sum of them plus
/// the constant, a product of them and the factor, or what its kind makes of
/// two.
SizeExpr withOperands(SizeExpr expr, llvm::ArrayRef<SizeExpr> operands);

/// The terms of a sum, without its constant, each with the number that it is
/// multiplied by; of another expression, that alone.
llvm::SmallVector<std::pair<SizeExpr, int64_t>> getTerms(SizeExpr expr);

/// Expressions that make `expr` at least 1 where each of them is: the factors
/// of a product, or `expr` itself. Factors that are not negative are at least 1
/// wherever their product is.
llvm::SmallVector<SizeExpr> getFactors(SizeExpr expr);

/// What `symbol` is where `zero` is 0: nothing unless `zero` is the symbol,
/// once or minus once, plus an expression without it.
std::optional<SizeExpr> solveFor(llvm::StringRef symbol, SizeExpr zero);

/// Replaces the size expressions in all types and attributes of `op` and what
/// is in it. `tc.symbols` is left to the caller.
void replaceSizes(mlir::Operation *op,
                  llvm::function_ref<SizeExpr(SizeExpr)> replacement);

/// Replaces symbols in all types and attributes of `op` and what is in it,
/// where `valueOf` gives something. `tc.symbols` is left to the caller.
void substituteSymbols(mlir::Operation *op,
                       llvm::function_ref<SizeExpr(llvm::StringRef)> valueOf);

} // namespace tc

#endif // TC_DIALECT_TC_IR_SIZEALGEBRA_H
