//===- Loops.h - Loops and branches in scopes -------------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_LOOPS_H
#define TC_CONVERSION_KERNELEMISSION_LOOPS_H

#include "PointEmitter.h"

namespace tc {

/// A loop over [low, high) without carried values, filled by `body` in a scope
/// of its own that binds nothing yet.
void emitSteps(KernelFrame &frame, Scope &scope, mlir::Value low,
               mlir::Value high, int64_t step,
               llvm::function_ref<void(Scope &, mlir::Value)> body);

/// The same with a step that is a value.
void emitSteps(KernelFrame &frame, Scope &scope, mlir::Value low,
               mlir::Value high, mlir::Value step,
               llvm::function_ref<void(Scope &, mlir::Value)> body);

/// Code that runs only when `condition` holds.
void emitWhen(KernelFrame &frame, Scope &scope, mlir::Value condition,
              llvm::function_ref<void(Scope &)> body);

/// Whether 32 bits hold twice as many as `count`.
bool isFew(SizeExpr count);

/// Quotient and rest of `number` (i64, not negative, at most `bound`) and
/// `divisor`, which 32 bits hold if they hold `bound`.
std::pair<mlir::Value, mlir::Value> emitDivision(KernelFrame &frame,
                                                 mlir::Value number,
                                                 mlir::Value divisor,
                                                 SizeExpr bound);

/// Binds `dims` to the mixed-radix digits of `iteration`, the last the lowest.
void bindDigits(KernelFrame &frame, Scope &scope, llvm::ArrayRef<unsigned> dims,
                mlir::Value iteration);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_LOOPS_H
