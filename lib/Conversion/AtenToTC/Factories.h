//===- Factories.h - tensors made from sizes --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_FACTORIES_H
#define TC_LIB_CONVERSION_ATENTOTC_FACTORIES_H

#include "AtenCall.h"

namespace tc::aten {

/// The rows and columns of the `count` elements of a matrix that are on or
/// below (above) the diagonal `offset`, in row-major order: i64, [count] each.
std::pair<mlir::Value, mlir::Value> getTriangle(AtenCall &call,
                                                llvm::ArrayRef<SizeExpr> matrix,
                                                int64_t offset, bool isLower,
                                                SizeExpr count);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_FACTORIES_H
