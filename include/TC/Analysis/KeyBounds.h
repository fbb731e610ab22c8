//===- KeyBounds.h - Keys of attention that count ---------------*- C++ -*-===//

#ifndef TC_ANALYSIS_KEYBOUNDS_H
#define TC_ANALYSIS_KEYBOUNDS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A bound of the keys of a row, by the kernel's other dimensions: `limit` is
/// the last of them that counts where `isUpper`, else the first one.
struct KeyBound {
  mlir::AffineExpr limit;
  bool isUpper;
};

/// Scores, or what is added to them, without what replaces them by -inf where
/// bounds of the key do not hold, and these bounds, with those of what is part
/// of the sum that is left.
struct BoundedScores {
  mlir::Value unmasked;
  llvm::SmallVector<KeyBound> bounds;

  /// Of `scores`, by the dimension of the keys.
  static BoundedScores find(mlir::Value scores, unsigned keyDim);
};

/// Whether `value` is the scalar `number`.
bool isScalar(mlir::Value value, double number);

} // namespace tc

#endif // TC_ANALYSIS_KEYBOUNDS_H
