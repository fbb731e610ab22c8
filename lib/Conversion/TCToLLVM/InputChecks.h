//===- InputChecks.h - What a host function checks first --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H
#define TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H

#include "HostBuilder.h"
#include "SizeOverflow.h"
#include "SizeValues.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace tc {

/// Writes the checks of a call's version, counts and inputs, binds the symbols
/// of the function's `tc.symbols`, and checks its guards.
class InputChecks {
public:
  InputChecks(mlir::FunctionOpInterface function, HostBuilder &host,
              SizeValues &sizes)
      : function(function), host(host), sizes(sizes),
        isChecked(function->hasAttr(kVersionOfAttr)),
        overflow(function, host, sizes) {}

  /// Fails, with a diagnostic, when an input's type has no place in the ABI or
  /// a symbol is bound by no input. A version of a function only binds
  /// symbols: its dispatch has checked the call.
  llvm::LogicalResult emit(int64_t outputCount, int64_t parameterCount);

  /// Gives a data-dependent symbol its value and checks that it is in range,
  /// and that what is computed from it fits 64 bits.
  void bindDataDependent(llvm::StringRef name, mlir::Value value,
                         mlir::Location location);
  /// Checks a guard that names data-dependent symbols, which are bound; emit()
  /// has checked all others.
  void checkDataDependent(GuardOp guard);

  /// One i1: whether all guards of `block` hold; null when there are none.
  /// Fails, with a diagnostic, when code cannot check one. To be used after
  /// emit().
  mlir::FailureOr<mlir::Value> predicate(mlir::Block &block);

private:
  /// One input of the call.
  struct Input {
    std::string label; ///< "input 1 (y)"
    mlir::ShapedType type;
    Sizes sizes;
    mlir::Value tensor;                     ///< address of its tc_tensor
    llvm::SmallVector<mlir::Value> actual;  ///< its sizes in this call
    llvm::SmallVector<mlir::Value> strides; ///< its strides in this call
  };
  /// What a guard needs, and what is reported where it does not hold.
  struct Condition {
    mlir::Value holds;
    HostBuilder::Report report;
  };
  using Conditions = llvm::SmallVector<Condition, 2>;

  void check(mlir::Value condition, const HostBuilder::Report &report) {
    if (!isChecked)
      host.check(condition, report);
  }
  void checkCounts(int64_t outputCount, int64_t parameterCount);
  llvm::LogicalResult checkType(Input &input, int64_t index);
  void bindSymbols();
  bool bindTo(const Input &input, unsigned dim);
  llvm::LogicalResult checkSymbols();
  void checkRange(SymbolAttr symbol, mlir::Value value,
                  const std::string &label,
                  std::optional<mlir::Location> location, bool always,
                  bool mayBeNegative);
  void checkSizes();
  void checkRowMajor(Input &input, int64_t index);

  Conditions conditionsOf(GuardOp guard);
  Conditions conditionsOfExpression(GuardOp guard);
  Conditions conditionsOfInput(GuardOp guard, const Input &input);
  Conditions conditionsOfScalar(GuardOp guard, const Input &input);
  Condition noOverlap(GuardOp guard, const Input &lhs, const Input &rhs);
  mlir::Value byteCount(const Input &input);
  const Input *inputOf(mlir::Value value);

  mlir::FunctionOpInterface function;
  HostBuilder &host;
  SizeValues &sizes;
  bool isChecked;
  SizeOverflow overflow;
  llvm::SmallVector<Input> inputs;
  llvm::StringMap<std::string> boundBy; ///< symbol to "size 0 of input 0 (x)"
  llvm::StringSet<> boundExactly;       ///< symbols that no sum contains
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H
