//===- Recipes.h - How each op is sampled -----------------------*- C++ -*-===//

#ifndef TC_FUZZ_RECIPES_H
#define TC_FUZZ_RECIPES_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// How to sample one op.
struct Recipe {
  /// Fails, leaving no op of that name, where the op does not take the
  /// sampler's element type.
  bool (*build)(Sampler &sampler);
};

/// The recipe of an op of the dialect, or null. Elementwise ops, which are rows
/// of one table, share one that finds out what they take.
const Recipe *findRecipe(llvm::StringRef opName);

/// Adds an elementwise op by name on operands of one type.
bool sampleElementwise(Sampler &sampler, mlir::OperationName name);

/// Why an op has no recipe: empty when it should have one.
llvm::StringRef getExemption(mlir::RegisteredOperationName name);

/// The ops that can be sampled, by name.
llvm::SmallVector<mlir::RegisteredOperationName>
getSampledOps(mlir::MLIRContext *context);

/// Samples op `name`, whatever its kind.
bool sampleOp(Sampler &sampler, mlir::RegisteredOperationName name);

} // namespace tc::fuzz

#endif // TC_FUZZ_RECIPES_H
