//===- ErrorBounds.h - How far a right result may be off --------*- C++ -*-===//
//
// A function is run in f64, and with every element goes a bound of how far code
// that rounds may be from it. An op adds what its own arithmetic rounds and
// passes its operands' bounds on: exactly where it moves or orders elements, by
// its own arithmetic on magnitudes where it is linear, else by running it on
// operands at the ends of their bounds. Where rounding decides between
// different answers (a comparison of nearly equal numbers, the index of one of
// two nearly largest elements, an overflow), the bound is infinite: any value
// is right.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FUZZ_ERRORBOUNDS_H
#define TC_FUZZ_ERRORBOUNDS_H

#include "TC/Reference/OpEvaluator.h"
#include <optional>
#include <string>
#include <vector>

namespace tc::fuzz {

/// A value in f64 (integers: exact), and for each element how far a right
/// result may be from it. 0: it is this value, of this sign; infinity: any.
struct Bounded {
  reference::Tensor value;
  std::vector<double> error;

  bool isExact() const;
  /// Whether any value is right for some elements.
  bool hasUnknown() const;
};

/// The results of `function` on `arguments`, which are taken as exact, in f64
/// whatever precision the options ask for. Emits an error where the interpreter
/// cannot run an op.
mlir::FailureOr<llvm::SmallVector<Bounded>>
boundErrors(mlir::func::FuncOp function,
            llvm::ArrayRef<reference::Tensor> arguments,
            const reference::Options &options);

} // namespace tc::fuzz

#endif // TC_FUZZ_ERRORBOUNDS_H
