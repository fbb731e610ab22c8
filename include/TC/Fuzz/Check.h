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
  /// Whether indices may be out of range, which is then an error of the call.
  bool wrongIndices = false;
  /// Whether the interpreter runs the module after each phase up to bufferize.
  bool everyPhase = false;
  /// Whether the module is printed and read again after each phase.
  bool dumps = false;
  /// Whether schedules are replaced by random ones that the verifier accepts.
  bool schedules = false;
  /// Whether every kernel's is; then a refusal that names neither a schedule
  /// nor a field is a finding.
  bool allSchedules = false;
  /// Whether inputs have strides other than row-major ones.
  bool strides = false;
  /// What code is generated for. Where this machine cannot run it, it is
  /// compiled only.
  std::string target = "cpu";
  /// Cores that the machine model is told of; 0 for those there are.
  int64_t cores = 0;
  /// Numbers of threads to run with; all must give the same bits.
  std::vector<unsigned> threads = {0};
  /// Versions to make, as those of CompileOptions.
  std::vector<std::string> specialize;
};

/// The arguments and parameters of a call.
struct SampledInputs {
  std::vector<reference::Tensor> arguments;
  std::vector<std::pair<std::string, reference::Tensor>> parameters;
};
SampledInputs makeInputs(const SampledFunction &function, Random &random,
                         const CheckOptions &options);

/// A difference or an error that one way of running a function showed.
struct Finding {
  std::string function; ///< empty: all of them, as the module does not compile
  std::string message;  ///< the way, then what is wrong
};

/// Interprets the functions of `module` as they are, then after each phase,
/// then runs them as native code, and compares the results. Inputs, outputs and
/// the arena end at pages that cannot be accessed. A function that the
/// interpreter fails on must fail, with an error, in every other way too.
/// `module` is left as some phase made it.
std::vector<Finding> checkModule(mlir::ModuleOp module,
                                 llvm::ArrayRef<SampledFunction> functions,
                                 uint64_t seed, const CheckOptions &options);

} // namespace tc::fuzz

#endif // TC_FUZZ_CHECK_H
