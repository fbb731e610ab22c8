//===- SizeValues.h - Size expressions in host functions --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_SIZEVALUES_H
#define TC_LIB_CONVERSION_TCTOLLVM_SIZEVALUES_H

#include "HostBuilder.h"

namespace tc {

/// Values of size expressions in a host function. Symbols have to be bound
/// before; each expression is computed once.
class SizeValues {
public:
  explicit SizeValues(HostBuilder &host) : host(host) {}

  void bind(llvm::StringRef symbol, mlir::Value value) {
    symbols[symbol] = value;
  }
  bool isBound(llvm::StringRef symbol) const { return symbols.count(symbol); }
  /// Whether every symbol of `size` is bound.
  bool canEvaluate(SizeExpr size) const;
  /// The value as i64; all symbols must be bound.
  mlir::Value of(SizeExpr size);
  /// The value of a floordiv, mod, min or max of these operands.
  mlir::Value combine(SizeExprKind kind, llvm::ArrayRef<mlir::Value> operands);

private:
  mlir::Value compute(SizeExpr size);
  mlir::Value floorDivision(mlir::Value dividend, mlir::Value divisor,
                            bool wantRemainder);

  HostBuilder &host;
  llvm::StringMap<mlir::Value> symbols;
  llvm::DenseMap<mlir::Attribute, mlir::Value> values;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_SIZEVALUES_H
