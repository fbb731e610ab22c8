//===- InputChecks.h - Checks at the start of a host function ---*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H
#define TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H

#include "GuardChecks.h"
#include "SizeOverflow.h"
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
        overflow(function, host, sizes), guards(function, host, sizes, inputs) {
  }

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

  /// The conditions of guards, to be used after emit().
  GuardChecks &getGuards() { return guards; }

private:
  void check(mlir::Value condition, const HostBuilder::Report &report) {
    if (!isChecked)
      host.check(condition, report);
  }
  void checkCounts(int64_t outputCount, int64_t parameterCount);
  llvm::LogicalResult checkType(CheckedInput &input, int64_t index);
  void bindSymbols();
  bool bindTo(SizeExpr size, mlir::Value value, const std::string &source);
  llvm::LogicalResult checkSymbols();
  void checkRange(SymbolAttr symbol, mlir::Value value,
                  const std::string &label,
                  std::optional<mlir::Location> location, bool always,
                  bool mayBeNegative);
  void checkSizes();
  llvm::LogicalResult checkStrides(CheckedInput &input, int64_t index);

  mlir::FunctionOpInterface function;
  HostBuilder &host;
  SizeValues &sizes;
  bool isChecked;
  SizeOverflow overflow;
  llvm::SmallVector<CheckedInput> inputs;
  GuardChecks guards;
  llvm::StringMap<std::string> boundBy; ///< symbol to "size 0 of input 0 (x)"
  llvm::StringSet<> boundExactly;       ///< symbols that no sum contains
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_INPUTCHECKS_H
