//===- Generator.h - Random modules -----------------------------*- C++ -*-===//

#ifndef TC_FUZZ_GENERATOR_H
#define TC_FUZZ_GENERATOR_H

#include "TC/Fuzz/Check.h"

namespace tc::fuzz {

struct GenerateOptions {
  int64_t ops = 8; ///< at most, in a module
  /// Names of the ops to choose from; empty for all.
  std::vector<std::string> only;
  /// The kind of a program of SchedulePrograms.h, whose kernels get random
  /// schedules; empty for random modules.
  std::string onlySchedules;
  /// What code is generated for, one of them for a module.
  std::vector<std::string> targets = {"cpu"};
  /// Numbers of threads that every module runs with.
  std::vector<unsigned> threads = {1, 2, 5};
};

/// A module of one function @main of several ops, each on earlier results or
/// arguments, and how it is to be checked. Equal seeds and options give equal
/// ones.
struct GeneratedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SampledFunction function;
  CheckOptions check;
};
GeneratedModule generateModule(mlir::MLIRContext *context, uint64_t seed,
                               const GenerateOptions &options);

/// Generates the module of `seed` and checks it after every phase and as native
/// code. What is wrong, or nothing.
std::vector<Finding> checkSeed(mlir::MLIRContext *context, uint64_t seed,
                               const GenerateOptions &options);

/// The smallest number of ops with which the module of `seed` still fails, and
/// what it says then.
GenerateOptions minimize(mlir::MLIRContext *context, uint64_t seed,
                         GenerateOptions options);

} // namespace tc::fuzz

#endif // TC_FUZZ_GENERATOR_H
