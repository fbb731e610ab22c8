//===- KernelAccess.h - What a kernel reads and writes ----------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_KERNELACCESS_H
#define TC_DIALECT_TC_IR_KERNELACCESS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// What a tc.read and a tc.write have in common: which element of which buffer,
/// at which points.
struct KernelAccess {
  mlir::BlockArgument buffer;
  mlir::AffineMap map;
  mlir::ValueRange indices;
  std::optional<mlir::IntegerSet> within;

  mlir::ShapedType getType() const {
    return llvm::cast<mlir::ShapedType>(buffer.getType());
  }
};

/// The access that an op of a kernel's body is, if it is one.
std::optional<KernelAccess> getAccess(mlir::Operation &op);

} // namespace tc

#endif // TC_DIALECT_TC_IR_KERNELACCESS_H
