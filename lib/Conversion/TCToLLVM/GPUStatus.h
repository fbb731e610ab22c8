//===- GPUStatus.h - What kernels of a GPU report ---------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_GPUSTATUS_H
#define TC_LIB_CONVERSION_TCTOLLVM_GPUSTATUS_H

#include "HostBuilder.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

inline constexpr const char *kIndexOutOfRangeText =
    "an index is out of the range of the tensor it selects from";
inline constexpr const char *kSingularMatrixText =
    "a matrix is singular, or not positive definite where that is asked for";

/// The statuses of a call whose kernels run on a GPU, and its counters. The
/// statuses are read together, when all is launched, so each launch that may
/// fail has one of its own.
class GPUStatus {
public:
  explicit GPUStatus(HostBuilder &host) : host(host) {}

  /// Gets the call's statuses, which are 0.
  void emitBegin();
  /// The address of the status of a launch: null where no kernel may fail. The
  /// last status is that of all launches that have none of their own.
  mlir::Value addressFor(LaunchOp launch);
  /// The address of the counters by which blocks of the launches of `function`
  /// find out which of them is the last; null where no launch uses them.
  mlir::Value emitCounters(mlir::func::FuncOp function);
  /// Waits for the kernels so far and reports the first that failed.
  void emitCheck();

private:
  HostBuilder &host;
  mlir::Value begin;
  llvm::SmallVector<mlir::Location> launches; ///< that may fail
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_GPUSTATUS_H
