//===- IndexSimplifier.h - Affine expressions over bounded dims -*- C++ -*-===//
//
// What MLIR's own simplification of affine expressions cannot do because it
// does not know how large a dimension is: drop a `mod` or `floordiv` that the
// ranges make superfluous, and put a split index together again.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_INDEXSIMPLIFIER_H
#define TC_ANALYSIS_INDEXSIMPLIFIER_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

namespace tc {

/// The values an expression can take, both ends included; an end that is not
/// known is absent.
struct IndexRange {
  std::optional<int64_t> low, high;

  static IndexRange point(int64_t value) { return {value, value}; }
  /// Whether every value is in [first, last].
  bool isWithin(int64_t first, int64_t last) const {
    return low && high && *low >= first && *high <= last;
  }
};

/// Simplifies expressions over the dimensions and symbols of one kernel.
class IndexSimplifier {
public:
  IndexSimplifier(mlir::MLIRContext *context,
                  llvm::ArrayRef<IndexRange> dimRanges,
                  llvm::ArrayRef<IndexRange> symbolRanges);
  /// Ranges from the kernel's sizes and the symbols of the function around it.
  explicit IndexSimplifier(KernelOp kernel);

  /// An equal expression, canonical: terms in the order of dimensions, no
  /// `mod` or `floordiv` that the ranges show to be superfluous.
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  mlir::AffineMap simplify(mlir::AffineMap map) const;
  /// Nothing when every point is in the set.
  std::optional<mlir::IntegerSet> simplify(mlir::IntegerSet set) const;

  IndexRange getRange(mlir::AffineExpr expr) const;

private:
  struct Linear;
  struct Digits;
  Linear flatten(mlir::AffineExpr expr) const;
  std::optional<Digits> splitDigits(const Linear &dividend,
                                    int64_t divisor) const;
  Linear flattenFloorDiv(Linear dividend, int64_t divisor) const;
  Linear flattenMod(Linear dividend, int64_t divisor) const;
  void recombine(Linear &linear) const;
  mlir::AffineExpr build(const Linear &linear) const;
  IndexRange getRange(const Linear &linear) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<IndexRange> dimRanges, symbolRanges;
};

/// The range of a symbol declared by the function around `op`; at least 0.
IndexRange getSymbolRange(mlir::Operation *op, llvm::StringRef symbol);

/// The value that schedules are chosen for, where the function around `op` has
/// one.
std::optional<int64_t> getLikelyValue(mlir::Operation *op,
                                      llvm::StringRef symbol);

/// The range of a size, from the declared ranges of its symbols.
IndexRange getSizeRange(mlir::Operation *op, SizeExprAttr size);

} // namespace tc

#endif // TC_ANALYSIS_INDEXSIMPLIFIER_H
