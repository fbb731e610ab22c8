//===- Distances.h - norms of differences -----------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_DISTANCES_H
#define TC_LIB_CONVERSION_ATENTOTC_DISTANCES_H

#include "AtenCall.h"

namespace tc::aten {

/// The p-norm along a dimension, which vanishes: of p 0 the number of elements
/// that are not 0, of p infinite the largest or the smallest size.
mlir::Value getNormAlong(AtenCall &call, mlir::Value x, double p, int64_t dim);

/// The p-norm of first - second + eps along the last dimension, which
/// vanishes, by the call's `p` and `eps`; null after a refusal.
mlir::Value getPairwiseDistance(AtenCall &call, llvm::StringRef first,
                                llvm::StringRef second);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_DISTANCES_H
