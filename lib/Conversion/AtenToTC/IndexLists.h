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
  /// Whether nothing lies between the indexed dimensions.
  bool adjacent = true;
};

/// Reads a list of index tensors, None where a dimension is taken whole; false
/// after a refusal. Masks are refused.
bool readIndexList(AtenCall &call, mlir::Value x,
                   llvm::ArrayRef<mlir::Value> list, IndexList &indices);

/// The sizes that tc.index_tensors gives.
Sizes getIndexedSizes(mlir::Value x, const IndexList &indices);

/// The permutation that moves the dimensions of the index shape to the front,
/// where PyTorch has them when the indices are not adjacent.
llvm::SmallVector<int64_t> getFrontPermutation(const IndexList &indices,
                                               int64_t rank);

/// The rows and columns of the `count` elements of a matrix that lie on or
/// below (above) the diagonal `offset`, in row-major order: i64, [count] each.
std::pair<mlir::Value, mlir::Value> getTriangle(AtenCall &call,
                                                llvm::ArrayRef<SizeExpr> matrix,
                                                int64_t offset, bool isLower,
                                                SizeExpr count);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_INDEXLISTS_H
