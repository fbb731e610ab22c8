//===- Interpreter.h - The reference interpreter ----------------*- C++ -*-===//
//
// Runs a module of tc ops in the plainest code that gives their meaning. It is
// the oracle of every test: a phase is checked by running the module before and
// after it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_INTERPRETER_H
#define TC_REFERENCE_INTERPRETER_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>

namespace tc::reference {

/// The precision of the interpreter's float arithmetic.
enum class Precision {
  /// Every float is a double and nothing is rounded to its element type, as if
  /// the module were written in f64. Buffers (memrefs) hold elements of their
  /// own type, so stores round.
  Double,
  /// Each op computes in f32 (f64 for f64) and rounds to the element type.
  /// Sums, whose order is left open, accumulate in f64 and round once.
  Native,
  /// As Native, but sums of less than f64 are one chain of f32 additions, in
  /// the order of the elements: the result of the simplest code. How far that
  /// is
  /// off says what a kernel may be off.
  Chained,
};

struct Options {
  Precision precision = Precision::Native;
  /// The value of a parameter, of the source's type. Emits an error itself.
  std::function<mlir::FailureOr<Tensor>(ParameterSourceOp)> parameter;
};

/// Runs `function` on `arguments` and returns its results. Symbols are bound
/// from the arguments' sizes. An argument of memref type is read from its
/// tensor and, when the function ends, replaced by the buffer's contents.
/// Failures (a guard that misses, an index out of range, an op that cannot be
/// run) are emitted as errors at the op's location.
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluateFunction(mlir::func::FuncOp function,
                 llvm::MutableArrayRef<Tensor> arguments,
                 const Options &options = {});

} // namespace tc::reference

#endif // TC_REFERENCE_INTERPRETER_H
