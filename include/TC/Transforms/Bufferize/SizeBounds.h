//===- SizeBounds.h - What the symbols' ranges say of sizes -----*- C++ -*-===//

#ifndef TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H
#define TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tc {

/// The ranges of a function's `tc.symbols`, and what follows from them.
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
  bool isNonNegative(SizeExpr expr, int64_t &budget) const;
  bool isNonNegativeInRange(SizeExpr expr) const;

  llvm::SmallVector<SymbolAttr> symbols;
  llvm::SmallVector<llvm::StringMap<int64_t>> samples;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, bool> known;
};

/// Bytes of a row-major memref.
SizeExpr getBytes(mlir::MemRefType type);

/// The same, rounded up to a multiple of 64.
SizeExpr getAlignedBytes(mlir::MemRefType type);

} // namespace tc

#endif // TC_TRANSFORMS_BUFFERIZE_SIZEBOUNDS_H
