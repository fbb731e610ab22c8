//===- ScanKinds.h - What can be scanned ------------------------*- C++ -*-===//

#ifndef TC_LIB_DIALECT_TC_IR_SCANKINDS_H
#define TC_LIB_DIALECT_TC_IR_SCANKINDS_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/IR/Operation.h"

namespace tc {

/// Fails after an error of `op`, which scans, unless the scan of a row under
/// `kind` has one value at each of its points.
inline mlir::LogicalResult verifyScanKind(mlir::Operation *op,
                                          ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Prod:
  case ReductionKind::Max:
  case ReductionKind::Min:
    return mlir::success();
  default:
    return op->emitOpError("is of kind ") << stringifyReductionKind(kind)
                                          << "; expected sum, prod, max or min";
  }
}

} // namespace tc

#endif // TC_LIB_DIALECT_TC_IR_SCANKINDS_H
