//===- SignsOfDoubles.h - copysign by bits ----------------------*- C++ -*-===//

#ifndef TC_TARGET_CPU_SIGNSOFDOUBLES_H
#define TC_TARGET_CPU_SIGNSOFDOUBLES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tc {

/// Writes copysign(x, y) of f32, of numbers and of vectors, as bit operations
/// in functions that round a number of f64 to f32. Where y is such a number,
/// LLVM's selection of instructions takes the sign from the f64 itself, and
/// where the result is rounded to f16, converts that f64 to f16 for its sign:
/// by a call of `__truncdfhf2`, which neither the process nor a library that is
/// compiled ahead of time needs to have. Run after the last pass that makes
/// copysign of such operations (InstCombine).
void expandCopySignOfDoubles(llvm::Module &module);

} // namespace tc

#endif // TC_TARGET_CPU_SIGNSOFDOUBLES_H
