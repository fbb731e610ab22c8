//===- GuardTable.h - Guards as a table of checks ---------------*- C++ -*-===//

#ifndef TC_LIB_CAPI_GUARDTABLE_H
#define TC_LIB_CAPI_GUARDTABLE_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Runtime/ABI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <deque>

namespace tc::capi {

/// A guard that the caller checks.
struct ValueGuard {
  std::string origin, value;
  bool isIdentity;
};

/// What the guards of a function say, in a form that a call is checked by.
class GuardTable {
public:
  /// Reads the guards of `function`, whose context must outlive the table.
  static llvm::Expected<GuardTable> read(mlir::func::FuncOp function);

  const std::vector<ValueGuard> &values() const { return valueGuards; }
  size_t tensorCount() const { return inputNames.size(); }

  /// The number of the first guard that misses; -1 where all hold.
  int64_t check(const tc_tensor *tensors) const;
  /// What guard `number` expects and what it finds.
  std::string describeMiss(const tc_tensor *tensors, size_t number) const;

private:
  /// Values of symbols.
  using Symbols = llvm::SmallVector<int64_t, 16>;
  /// A guard; what `kind` does not use is not set.
  struct Check {
    GuardKind kind;
    unsigned input = 0, other = 0, dim = 0;
    int64_t min = INT64_MIN, max = INT64_MAX, divisor = 1;
    int64_t value = 0; ///< rank, number of a dtype or device, or of a symbol
    int32_t deviceKind = 0;
    SizeExpr expr = SizeExpr();
    enum { None, Constant, Symbol, General } form = None; ///< of `expr`
    std::string origin = {};
  };
  /// Where a symbol has its value from.
  struct Binding {
    unsigned input, dim;
  };

  llvm::Error add(GuardOp guard);
  llvm::Error addValue(GuardOp guard);
  llvm::Error setValue(GuardOp guard, Check &check);
  llvm::Error setExpression(SizeExpr expr, Check &check);
  void bind(mlir::func::FuncOp function);
  Symbols readSymbols(const tc_tensor *tensors) const;
  int64_t evaluate(const Check &check, const Symbols &symbols) const;
  bool holds(const Check &check, const tc_tensor *tensors,
             const Symbols &symbols) const;
  int64_t actual(const Check &check, const tc_tensor *tensors,
                 const Symbols &symbols) const;

  std::vector<ValueGuard> valueGuards;
  std::vector<Check> checks; ///< those of rank first
  size_t rankCount = 0;
  std::vector<std::string> symbolNames;
  std::vector<Binding> bindings; ///< of each symbol
  std::vector<std::string> inputNames;
};

} // namespace tc::capi

#endif // TC_LIB_CAPI_GUARDTABLE_H
