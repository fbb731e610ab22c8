//===- IndexLists.h - lists of index tensors --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_INDEXLISTS_H
#define TC_LIB_CONVERSION_ATENTOTC_INDEXLISTS_H

#include "AtenCall.h"

namespace tc::aten {

/// The index tensors of x[i, :, j], broadcast to one shape.
struct IndexList {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<int64_t> dims;
  Sizes shape;
  /// Whether the indexed dimensions are next to each other.
  bool adjacent = true;
};

/// Whether an index is a mask: of bools or, as PyTorch still takes them, bytes.
bool isMask(mlir::Value index);

/// The rank of the elements that a list of indices picks from x.
int64_t getIndexedRank(mlir::Value x, llvm::ArrayRef<mlir::Value> list);

/// Reads a list of index tensors, None where a dimension is taken whole; false
/// after a refusal. The dimensions that a mask is over become one, in x too,
/// and the mask the positions of its true elements there. Their number defines
/// `maskCount`; a symbol of their own where it is null.
bool readIndexList(AtenCall &call, mlir::Value &x,
                   llvm::ArrayRef<mlir::Value> list, IndexList &indices,
                   SizeExpr maskCount);

/// The last size of the dimensions that replace those a list indexes, taken
/// from `sizes` of the indexed tensor; null when there is none.
SizeExpr getCapturedCount(mlir::Value x, llvm::ArrayRef<mlir::Value> list,
                          llvm::ArrayRef<SizeExpr> sizes);

/// The sizes that tc.index_tensors gives.
Sizes getIndexedSizes(mlir::Value x, const IndexList &indices);

/// The permutation that moves the dimensions of the index shape to the front,
/// where PyTorch has them when the indices are not adjacent.
llvm::SmallVector<int64_t> getFrontPermutation(const IndexList &indices,
                                               int64_t rank);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_INDEXLISTS_H
