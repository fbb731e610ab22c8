//===- AccessMap.h - Index maps of kernels on concrete sizes ----*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_ACCESSMAP_H
#define TC_LIB_REFERENCE_ACCESSMAP_H

#include "Layout.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

namespace tc::reference {

/// Value of an affine expression; nothing when it divides by 0 or less.
std::optional<int64_t> evaluateAffine(mlir::AffineExpr expr,
                                      llvm::ArrayRef<int64_t> dims);

/// Coefficients of an expression that is linear in its dimensions.
struct LinearForm {
  Sizes64 coefficients;
  int64_t constant = 0;
};
std::optional<LinearForm> getLinearForm(mlir::AffineExpr expr,
                                        unsigned dimCount);

/// `map` or the constraints of `set` with the values of symbols put in.
mlir::AffineMap bindMapSymbols(mlir::AffineMap map,
                               llvm::ArrayRef<int64_t> symbols);
mlir::IntegerSet bindSetSymbols(mlir::IntegerSet set,
                                llvm::ArrayRef<int64_t> symbols);

/// Whether a point is in a set.
bool contains(mlir::IntegerSet set, llvm::ArrayRef<int64_t> dims);

/// The points of some dimensions of a kernel's domain, in row-major order.
struct Grid {
  llvm::SmallVector<int64_t, 6> dims; // ascending
  Sizes64 sizes;                      // of those
  unsigned rank = 0;                  // of the whole domain

  int64_t count() const { return countElements(sizes); }
};

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_ACCESSMAP_H
