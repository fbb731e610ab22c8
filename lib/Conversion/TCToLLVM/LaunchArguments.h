//===- LaunchArguments.h - The argument block of a launch -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_LAUNCHARGUMENTS_H
#define TC_LIB_CONVERSION_TCTOLLVM_LAUNCHARGUMENTS_H

#include "HostBuilder.h"
#include "SizeValues.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Where the arguments of a launch are, in slots of 8 bytes: its tensor maps,
/// then its buffers, sizes, status and counters. Behind them, where the kernel
/// does not see it, is the source of each tensor map, from which the runtime
/// makes it.
class LaunchArguments {
public:
  explicit LaunchArguments(LaunchOp launch);

  /// The slot of the first buffer.
  int64_t firstBuffer() const;
  /// The slots that the kernel is given.
  int64_t count() const;
  /// All slots.
  int64_t countWithSources() const;
  /// What the address of the block is a multiple of, in bytes.
  int64_t alignment() const;

  /// The sizes and strides in the sources of all tensor maps.
  llvm::SmallVector<SizeExpr> getSourceSizes() const;
  /// Stores the sources of the tensor maps in `block`, where the launch has
  /// `buffers`. Fails, with a diagnostic, on a size that cannot be evaluated.
  mlir::LogicalResult storeSources(HostBuilder &host, SizeValues &sizes,
                                   llvm::ArrayRef<mlir::Value> buffers,
                                   mlir::Value block) const;
  /// The launch's tc_tensor_maps, field by field.
  llvm::SmallVector<int32_t> describeTensorMaps() const;

private:
  mutable LaunchOp launch;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_LAUNCHARGUMENTS_H
