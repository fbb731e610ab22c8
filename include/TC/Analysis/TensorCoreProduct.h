//===- TensorCoreProduct.h - Products for tensor cores ----------*- C++ -*-===//

#ifndef TC_ANALYSIS_TENSORCOREPRODUCT_H
#define TC_ANALYSIS_TENSORCOREPRODUCT_H

#include "TC/Analysis/ContractionRoles.h"
#include "llvm/Support/Error.h"

namespace tc {

/// A kernel whose contraction is a product of matrices of bf16 or f16 that the
/// copy engine of a GPU can take to shared memory: read as they are, contiguous
/// along one of their dimensions, with other strides of multiples of 16 bytes.
/// What is done with the sums may be anything that needs no other point.
struct TensorCoreProduct {
  /// One of the matrices, or several, one for each point of the batch
  /// dimensions that it varies over.
  struct Matrix {
    unsigned buffer; ///< number among the kernel's operands
    /// Whether it is contiguous along its own dimensions, rows or lanes, and
    /// not along those that are summed over.
    bool isAcross = false;
    SizeExpr pitch; ///< the other stride, in elements
    /// The batch dimensions that it varies over, and their strides in elements.
    llvm::SmallVector<unsigned> batches;
    llvm::SmallVector<SizeExpr> batchStrides;
  };

  ContractionRoles roles;
  Matrix rows, lanes;
  /// The results, where there is one for each point of rows and lanes, of 16
  /// bits, that the copy engine can store: contiguous along the lanes.
  std::optional<Matrix> results;
  SizeExpr rowCount, laneCount, reducedCount;
  /// Whether pairs of neighbours along the lanes are two points of the same
  /// row of the results wherever the first of them is an even one.
  bool hasPairs;

  /// The product with lanes along `vectorDim`; the error says what keeps the
  /// kernel from being one.
  static llvm::Expected<TensorCoreProduct> find(KernelOp kernel,
                                                int64_t vectorDim);
};

} // namespace tc

#endif // TC_ANALYSIS_TENSORCOREPRODUCT_H
