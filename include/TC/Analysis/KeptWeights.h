//===- KeptWeights.h - Dropout in kernels of attention ----------*- C++ -*-===//

#ifndef TC_ANALYSIS_KEPTWEIGHTS_H
#define TC_ANALYSIS_KEPTWEIGHTS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Which weights of attention are kept, where `tc.dropout_bits` of a row and a
/// key say it, so that a block of Philox is for 8 elements of a thread.
struct KeptWeights {
  DropoutBitsOp bits; ///< below `count` where the weight is kept
  int64_t count;
  /// The row that bits are for: of a query, behind a multiple of 16.
  DimIndexOp row;

  /// Of `kept` (i1), by the dimensions of queries and keys; nothing where it is
  /// no such comparison. `queryDim` may be none of the kernel's.
  static std::optional<KeptWeights> find(mlir::Value kept, unsigned queryDim,
                                         unsigned keyDim);
};

} // namespace tc

#endif // TC_ANALYSIS_KEPTWEIGHTS_H
