//===- SizeEqualities.h - sizes that calls need to be equal -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_SIZEEQUALITIES_H
#define TC_LIB_CONVERSION_ATENTOTC_SIZEEQUALITIES_H

#include "TC/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace tc::aten {

/// Sizes of a function that a call takes as equal though the export has two
/// expressions for them: x.index_put([i], y) of x: [s0, 4] and y: [s1, s2].
/// PyTorch compares them when the call runs; here one of the symbols becomes
/// the other expression, also in the function's signature, so that sizes that
/// differ are refused when the function is called. Data-dependent sizes are
/// compared by a guard where they are known.
class SizeEqualities {
public:
  explicit SizeEqualities(mlir::func::FuncOp function) : function(function) {}

  /// Notes that `left` and `right` are equal, for the call of `target`. What
  /// is rounded or clamped is left out: a guard of the export covers it.
  void require(SizeExpr left, SizeExpr right, mlir::Location location,
               llvm::StringRef target);

  /// Substitutes symbols such that all that is required holds; emits an error
  /// for a pair that no symbol of an argument can be solved for.
  mlir::LogicalResult apply();

private:
  struct Equality {
    SizeExpr left, right;
    mlir::Location location;
    std::string target;
  };

  mlir::LogicalResult apply(const Equality &equality);
  void substitute(llvm::StringRef symbol, SizeExpr replacement);
  void checkInCall(const Equality &equality);

  mlir::func::FuncOp function;
  std::vector<Equality> equalities;
  llvm::DenseSet<mlir::Attribute> checked; ///< differences that have guards
};

/// The last of the ops that define the data-dependent symbols of a size, or
/// null.
SizeFromOp findLastDefinition(mlir::func::FuncOp function, SizeExpr size);

/// Where a guard behind the definition of a data-dependent symbol says what the
/// symbol is, writes that instead of the symbol behind the guard: then types
/// show which sizes are equal.
void substituteGuardedSizes(mlir::func::FuncOp function);

/// Gives the function the result types of what it returns.
void setResultTypes(mlir::func::FuncOp function);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_SIZEEQUALITIES_H
