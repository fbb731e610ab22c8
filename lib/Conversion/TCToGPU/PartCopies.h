//===- PartCopies.h - Copies of matrices that threads start -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_PARTCOPIES_H
#define TC_LIB_CONVERSION_TCTOGPU_PARTCOPIES_H

#include "CopiedBoxes.h"
#include "Words.h"

namespace tc {

/// Copies of a matrix to stages, of which each thread of a warp group starts
/// some, 16 bytes each.
class PartCopies {
public:
  /// Of `matrix`, of elements of `elementBytes` bytes in `outerCount` rows of
  /// memory of `innerCount` each.
  PartCopies(GPUFrame &frame, const CopiedMatrix &matrix, int64_t elementBytes,
             SizeExpr outerCount, SizeExpr innerCount)
      : frame(frame), words{frame.builder, frame.loc}, matrix(matrix),
        elementBytes(elementBytes), outerCount(outerCount),
        innerCount(innerCount) {}

  /// A box: its place in a stage, how many rows of memory of 128 bytes it has,
  /// the indices of the matrix of the group and the batch (i32), and the first
  /// of its rows and of their elements (i32). `outerTile` and `innerTile` are
  /// numbers of which these are multiples.
  struct Box {
    mlir::Value pipeline, slot;
    int64_t offset, rows;
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value outer, inner;
    int64_t outerTile, innerTile;
  };
  /// Copies a box. What is behind the ends becomes 0, and nothing of it is
  /// read.
  void emit(const Box &box);
  /// The same by loads and stores of elements, which may be anywhere.
  void emitByElements(const Box &box);

  /// Whether (i1) all parts begin at multiples of 16 bytes.
  mlir::Value emitMayCopy();

private:
  /// What a thread copies: from an address, and how many of its bytes there are
  /// (i32).
  struct Part {
    mlir::Value source, present;
  };
  using PartBody = llvm::function_ref<void(mlir::Value row, mlir::Value unit,
                                           const Part &part)>;
  void emitParts(const Box &box, PartBody body);
  Part getPart(const Box &box, mlir::Value base, mlir::Value row,
               mlir::Value unit);
  mlir::Value countPresent(const Box &box, mlir::Value outer,
                           mlir::Value inner);
  mlir::Value emitBase(const Box &box);
  mlir::Value loadElements(const Part &part, mlir::Value base);
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }
  mlir::Type getStoredType() {
    constexpr unsigned kByteBits = 8;
    return frame.builder.getIntegerType(kByteBits * unsigned(elementBytes));
  }

  GPUFrame &frame;
  Words words;
  const CopiedMatrix &matrix;
  int64_t elementBytes;
  SizeExpr outerCount, innerCount;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_PARTCOPIES_H
