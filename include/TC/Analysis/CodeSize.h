//===- CodeSize.h - How long the code of a kernel is ------------*- C++ -*-===//
//
// Fusion has to end somewhere. The code of a kernel is a loop for each of its
// stages and for what it writes, and each loop computes again what it needs of
// the values before: a chain of n norms in one kernel is n^2 operations. What
// is saved is the bytes of one tensor between two kernels, whatever came before
// it; what it costs is time to compile, instructions that no cache holds and
// registers. So a kernel has at most `kMostCode` operations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_CODESIZE_H
#define TC_ANALYSIS_CODESIZE_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Most weighted operations (see `getOperationWeight`) of a kernel's code that
/// others are still merged into: a few tenths of a second of compilation, some
/// 30 KB of code.
inline constexpr double kMostCode = 1024;

/// Weighted operations in the code of `kernel`: those of each of its loops, and
/// once what is computed outside of them or kept from the first. A read counts
/// as what `weightOf` says, where it says something. Stops above `most`.
double estimateCode(
    KernelOp kernel, double most = kMostCode,
    llvm::function_ref<std::optional<double>(ReadOp)> weightOf = nullptr);

/// An error when the code of one kernel of `first` and `second`, which may read
/// its results, would be longer than `kMostCode`.
llvm::Error checkMergedCode(KernelOp first, KernelOp second);

/// The same where `consumer` computes a result of another kernel, of `weight`
/// operations for one element, wherever it reads it from `input`.
llvm::Error checkInlinedCode(KernelOp consumer, mlir::Value input,
                             double weight);

} // namespace tc

#endif // TC_ANALYSIS_CODESIZE_H
