//===- Windows.h - windows that slide over a tensor -------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_WINDOWS_H
#define TC_LIB_CONVERSION_ATENTOTC_WINDOWS_H

#include "AtenCall.h"

namespace tc::aten {

/// The windows along one dimension, in elements.
struct Windows {
  SizeExpr count;
  int64_t length, stride, dilation;
};

/// The position of each element of each window: [count, length] of i64.
mlir::Value getPositions(AtenCall &call, const Windows &windows);

/// The positions along each axis of all windows: [count, length, count, length]
/// of i64 each.
llvm::SmallVector<mlir::Value> getPlaces(AtenCall &call,
                                         llvm::ArrayRef<Windows> windows);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_WINDOWS_H
