//===- Generator.h - Random modules -----------------------------*- C++ -*-===//

#ifndef TC_FUZZ_GENERATOR_H
#define TC_FUZZ_GENERATOR_H

#include "TC/Fuzz/Check.h"

namespace tc::fuzz {

struct GenerateOptions {
  int64_t ops = 8; ///< at most, in a module
  /// Names of the ops to choose from; empty for all.
  std::vector<std::string> only;
};

/// A module of one function @main of several ops, each on earlier results or
/// arguments. Equal seeds give equal modules.
mlir::OwningOpRef<mlir::ModuleOp> generateModule(mlir::MLIRContext *context,
                                                 uint64_t seed,
                                                 const GenerateOptions &options,
                                                 SampledFunction &function);

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
