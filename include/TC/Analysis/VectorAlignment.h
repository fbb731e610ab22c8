//===- VectorAlignment.h - Vectors that one access reaches ------*- C++ -*-===//

#ifndef TC_ANALYSIS_VECTORALIGNMENT_H
#define TC_ANALYSIS_VECTORALIGNMENT_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/ADT/SetVector.h"

namespace tc {

/// The reads and writes of a kernel whose vectors of consecutive points of one
/// dimension, from multiples of their number on, begin at multiples of their
/// length, on conditions, and are contiguous in memory. Of reads, they may also
/// be every second element there: whole vectors are loaded, and half of them
/// dropped.
class VectorAlignment {
public:
  /// Vectors of `lanes` points of dimension `dim`, which may have points that
  /// are no whole vector at its end where `allowsRest`.
  VectorAlignment(KernelOp kernel, unsigned dim, int64_t lanes,
                  bool allowsRest = false);
  /// Vectors that are so many points after those of `anchor`, which is
  /// contiguous along `dim`, for a whole number of vectors, wherever these
  /// begin: where those are aligned, so are these. The conditions are of the
  /// buffers' first elements, less those of the anchor's buffer.
  VectorAlignment(WriteOp anchor, unsigned dim, int64_t lanes);
  /// The same for the reads of a fold over `folded`, where it walks through
  /// memory from its begin to its end: dimensions that are consecutive, the
  /// lanes' one the last if it is folded; else each point of them is a row of
  /// lanes, and rows are equally far apart, a multiple of the lanes. The first
  /// of the reads is the anchor; not useful where there is none.
  VectorAlignment(KernelOp kernel, unsigned dim, int64_t lanes,
                  llvm::ArrayRef<unsigned> folded);

  const int64_t lanes;
  const unsigned dim;
  const bool allowsRest;

  bool contains(mlir::Operation *access) const {
    return accesses.contains(access);
  }
  /// Elements, from 1 to `lanes` - 1, that the vectors of `read` begin after
  /// such addresses on the same conditions; nothing where that is not known, or
  /// they are not contiguous.
  std::optional<int64_t> getShift(mlir::Operation *read) const {
    auto found = shifts.find(read);
    return found == shifts.end() ? std::nullopt : std::optional(found->second);
  }
  /// Whether there are any such accesses, and the dimension is one of whole
  /// vectors, as far as constant sizes say.
  bool isUseful() const { return isWhole && !accesses.empty(); }
  /// Bytes of which the address of a vector of `elementType` is a multiple, at
  /// most those of the longest access of a thread.
  unsigned getBytes(mlir::Type elementType) const;

  /// What the others begin as, a read or write, and its buffer; null where they
  /// begin at multiples of vectors.
  mlir::Operation *getAnchor() const { return anchor; }
  mlir::Value getAnchorBuffer() const;
  /// Whether there are no conditions.
  bool isCertain() const {
    return anchor && buffers.size() == 1 && multiples.empty();
  }

  /// The conditions: the buffers' first elements are at such addresses, and
  /// these sizes, none of which is constant, are multiples of the lanes.
  llvm::ArrayRef<mlir::Value> getBuffers() const {
    return buffers.getArrayRef();
  }
  llvm::ArrayRef<SizeExpr> getMultiples() const { return multiples; }

private:
  void add(mlir::Operation *op, mlir::Value buffer, mlir::AffineMap map,
           int64_t mostStride);
  void addAll();
  bool needsMultiple(SizeExpr size, llvm::SmallVectorImpl<SizeExpr> &needed);

  KernelOp kernel;
  mlir::Operation *anchor = nullptr;
  bool isWhole = true;
  llvm::SmallPtrSet<mlir::Operation *, 8> accesses;
  llvm::SmallDenseMap<mlir::Operation *, int64_t> shifts;
  llvm::SetVector<mlir::Value> buffers;
  llvm::SmallVector<SizeExpr> multiples;
};

} // namespace tc

#endif // TC_ANALYSIS_VECTORALIGNMENT_H
