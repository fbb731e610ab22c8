//===- HostLaunch.h - What the host does for a GPU --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_HOSTLAUNCH_H
#define TC_LIB_CONVERSION_TCTOLLVM_HOSTLAUNCH_H

#include "HostBuilder.h"
#include "SizeValues.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Kernels that the host runs on buffers of the module's device, and values of
/// the device that the host needs.
class HostLaunches {
public:
  HostLaunches(HostBuilder &host, SizeValues &sizes)
      : host(host), sizes(sizes) {}

  /// The value of type `type`, of at most 8 bytes, at `pointer` in the memory
  /// of the module's device, once the launches before are done.
  mlir::Value read(mlir::Type type, mlir::Value pointer);

  /// Has the inputs of `function` that its launches need aligned begin at such
  /// addresses (`aligned_buffers`); nothing where there are none. Their
  /// addresses are to be loaded after it.
  void alignInputs(mlir::func::FuncOp function);

  /// Makes the host's buffers for a launch in a region in front of it, so that
  /// a loop has them once; nothing for another kind of launch.
  void allocate(LaunchOp launch);
  /// Copies what the kernel reads, and puts the host's buffers and a status of
  /// the host in the places of those in `slots`.
  void enter(LaunchOp launch, llvm::SmallVectorImpl<mlir::Value> &slots);
  /// Copies what the kernel wrote to the buffers `onDevice`.
  void leave(LaunchOp launch, llvm::ArrayRef<mlir::Value> onDevice);

private:
  mlir::Value bytesOf(mlir::Value buffer);
  void copy(abi::APIField direction, mlir::Value to, mlir::Value from,
            mlir::Value bytes);

  HostBuilder &host;
  SizeValues &sizes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> buffers;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_HOSTLAUNCH_H
