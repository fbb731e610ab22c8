//===- Check.h - Running a function every way and comparing -----*- C++ -*-===//

#ifndef TC_FUZZ_CHECK_H
#define TC_FUZZ_CHECK_H

#include "TC/Fuzz/Sampler.h"
#include "TC/Reference/Tensor.h"
#include <string>
#include <vector>

namespace tc::fuzz {

struct CheckOptions {
  /// Whether inputs hold NaN, infinities, -0, denormals and extreme integers.
  bool specialValues = false;
  /// Whether the interpreter runs the module after each phase up to bufferize.
  bool everyPhase = false;
  /// Of results that follow from rounded ones: an element may be off by this
  /// times the precision of the element type, relative to the largest element.
  double looseness = 1;
  std::string target = "cpu";
};

/// Arguments of one call.
std::vector<reference::Tensor> makeInputs(const SampledFunction &function,
                                          Random &random, bool specialValues);

/// What one way of running a function found wrong.
struct Finding {
  std::string function; ///< empty: all of them, as the module does not compile
  std::string message;  ///< the way, then what is wrong
};

/// Interprets the functions of `module` as they are, then after each phase,
/// then runs them as native code, and compares the results. `module` is left
/// as the emit phase made it, or as the phase that failed.
std::vector<Finding> checkModule(mlir::ModuleOp module,
                                 llvm::ArrayRef<SampledFunction> functions,
                                 uint64_t seed, const CheckOptions &options);

} // namespace tc::fuzz

#endif // TC_FUZZ_CHECK_H
