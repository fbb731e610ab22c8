//===- Losses.h - functions that losses share -------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_LOSSES_H
#define TC_LIB_CONVERSION_ATENTOTC_LOSSES_H

#include "AtenCall.h"

namespace tc::aten {

/// The 0-d sum of all elements.
mlir::Value sumAll(AtenCall &call, mlir::Value x);

/// Replaces the call by the losses of the elements, reduced as it asks:
/// `reduction` is 0 for none, 1 for mean, 2 for sum.
llvm::LogicalResult finishLosses(AtenCall &call, mlir::Value losses);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_LOSSES_H
