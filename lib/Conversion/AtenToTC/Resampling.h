//===- Resampling.h - weights of elements around a position -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H
#define TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H

#include "AtenCall.h"

namespace tc::aten {

/// The weights of the four elements around a position, which is `t` behind the
/// second; the constant is that of PyTorch.
llvm::SmallVector<mlir::Value> getCubicWeights(AtenCall &call, mlir::Value t);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_RESAMPLING_H
