//===- ScheduleFields.cpp - Checks of schedules ---------------------------===//

#include "ScheduleFields.h"

using namespace mlir;
using namespace tc;

LogicalResult tc::verifyDim(KernelOp kernel, StringRef mnemonic, int64_t dim) {
  if (dim < static_cast<int64_t>(kernel.getNumDims()))
    return success();
  return kernel.emitOpError("has a #tc.")
         << mnemonic << " with vector_dim " << dim << "; expected one of its "
         << kernel.getNumDims() << " dimensions";
}

LogicalResult tc::refuseClass(KernelOp kernel, StringRef mnemonic,
                              StringRef expected) {
  return kernel.emitOpError("of class ")
         << stringifyKernelClass(kernel.getKernelClass()) << " has a #tc."
         << mnemonic << "; expected " << expected;
}

bool tc::computesWhole(KernelOp kernel) {
  return llvm::any_of(kernel.getBodyBlock(),
                      [](Operation &op) { return isWholeStage(&op); });
}
