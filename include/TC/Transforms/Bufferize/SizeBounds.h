//===- SizeBounds.h - What the symbols' ranges say of sizes -----*- C++ -*-===//

#ifndef TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H
#define TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H

#include "TC/Analysis/SizeRanges.h"
#include "llvm/ADT/StringMap.h"

namespace tc {

/// What follows from the ranges of a function's `tc.symbols` alone: a layer
/// over SizeRanges that compares expressions, as a memory plan does very often.
/// SizeProver knows what guards say in addition.
class SizeBounds {
public:
  explicit SizeBounds(mlir::Operation *function);
  explicit SizeBounds(llvm::ArrayRef<SymbolAttr> symbols);

  /// Whether `a <= b` for all values of the symbols. False: not known.
  bool isAtMost(SizeExpr a, SizeExpr b);

  /// Values of all symbols: smallest, in between, largest (kept below what a
  /// real size would be). At least one sample, which is empty without symbols.
  llvm::ArrayRef<llvm::StringMap<int64_t>> getSamples() const {
    return samples;
  }
  /// The value of `expr` at a sample; nothing for an undeclared symbol.
  std::optional<int64_t> evaluate(SizeExpr expr, unsigned sample) const;

private:
  /// Replaces minima, maxima and quotients by their operands, which bound them.
  bool isNonNegative(SizeExpr expr, int64_t &budget) const;
  /// Writes each symbol as steps up from its smallest value, then as steps down
  /// from its largest: where symbols cancel out, the range of the rest says
  /// more than that of `expr`.
  bool isNonNegativeInRange(SizeExpr expr) const;

  SizeRanges ranges; ///< of the symbols
  SizeRanges steps;  ///< of numbers of steps, under the symbols' names
  llvm::SmallVector<llvm::StringMap<int64_t>> samples;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, bool> known;
};

/// Bytes of a row-major memref.
SizeExpr getBytes(mlir::MemRefType type);

/// The same, rounded up to a multiple of 64.
SizeExpr getAlignedBytes(mlir::MemRefType type);

} // namespace tc

#endif // TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H
