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

/// The statuses of a call whose kernels run on a GPU, and its counters. Each
/// launch that may fail has a status of its own. A function that reads sizes
/// from the device checks them when it does, and at its end: its statuses are
/// its call's alone. The runtime reports those of others, when it comes to it.
class GPUStatus {
public:
  GPUStatus(HostBuilder &host, StringTable &strings)
      : host(host), strings(strings) {}

  /// Gets the statuses of a call of `function`, which are 0.
  void emitBegin(mlir::func::FuncOp function);
  /// The address of the status of a launch: null where no kernel may fail. The
  /// last status that is the call's is that of all launches that have none.
  mlir::Value addressFor(LaunchOp launch);
  /// The address of the counters by which blocks of the launches of `function`
  /// find out which of them is the last; null where no launch uses them.
  mlir::Value emitCounters(mlir::func::FuncOp function);
  /// Waits for the kernels so far and reports the first that failed, where the
  /// runtime does not.
  void emitCheck();
  /// Makes the tc_kernel_failures of the launches, once all are emitted.
  void makeFailures(mlir::ModuleOp module);

private:
  HostBuilder &host;
  StringTable &strings;
  mlir::Value begin;
  std::string failures; ///< name of the tc_kernel_failures; or empty
  llvm::SmallVector<LaunchOp> launches; ///< that may fail
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_GPUSTATUS_H
