//===- RandomSeed.h - The seed that a caller gives --------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_RANDOMSEED_H
#define TC_DIALECT_TC_IR_RANDOMSEED_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc {

/// On an argument of a function, a unit: the seed, a tensor<i64>, of all random
/// numbers that the captured calls in it draw. Without such an argument the
/// seed is 0, so that each run draws the same.
inline constexpr llvm::StringLiteral kRandomSeedAttr = "tc.random_seed";

/// The argument with `tc.random_seed`; null where there is none.
mlir::Value findRandomSeed(mlir::FunctionOpInterface function);

/// Verifies `tc.random_seed` of an argument of `function`.
llvm::LogicalResult verifyRandomSeed(mlir::FunctionOpInterface function,
                                     unsigned argument,
                                     mlir::Attribute attribute);

} // namespace tc

#endif // TC_DIALECT_TC_IR_RANDOMSEED_H
