//===- Work.h - How long an op takes in the interpreter ---------*- C++ -*-===//
//
// Every sampled module is interpreted after each phase, and every op of it once
// more for the bounds of its errors: what is drawn has to be small, whatever
// the sizes that come together in it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FUZZ_WORK_H
#define TC_FUZZ_WORK_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc::fuzz {

/// Steps of one sampled op, at most: some tenths of a second in the
/// interpreter.
inline constexpr double kMostWork = 1 << 22;

/// Steps that the interpreter takes for `op` where the symbols have these
/// values: elements that are read or written, times what each of them takes
/// (multiply-adds of a contraction, elements of a window, comparisons of a
/// sort); of an op with regions those of its regions, as often as they may run.
double estimateWork(
    mlir::Operation *op,
    llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf);

} // namespace tc::fuzz

#endif // TC_FUZZ_WORK_H
