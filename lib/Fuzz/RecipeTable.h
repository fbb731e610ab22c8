//===- RecipeTable.h - Recipes by family of ops -----------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_RECIPETABLE_H
#define TC_LIB_FUZZ_RECIPETABLE_H

#include "TC/Fuzz/Recipes.h"

namespace tc::fuzz {

using RecipeTable = llvm::StringMap<Recipe>;

// One function a family, each in the file of its name.
void addGraphRecipes(RecipeTable &table);
void addIndexRecipes(RecipeTable &table);
void addNNRecipes(RecipeTable &table);
void addShapeRecipes(RecipeTable &table);

/// Puts the recipe of `OpTy` into the table.
template <typename OpTy>
void addRecipe(RecipeTable &table, bool (*build)(Sampler &)) {
  table[OpTy::getOperationName()] = {build};
}

/// Whether arithmetic is done on the type, which 8-bit floats only store.
inline bool isFloat(mlir::Type type) {
  return llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() > 8;
}

/// One of the elements of `choices`.
template <typename T>
T pick(Sampler &sampler, std::initializer_list<T> choices) {
  return sampler.random.pick<T>(llvm::ArrayRef<T>(choices));
}

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_RECIPETABLE_H
