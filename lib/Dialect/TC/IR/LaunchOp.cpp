//===- LaunchOp.cpp - Launches of generated kernels -----------------------===//

#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Dialect/TC/IR/TCOps.h"

using namespace mlir;
using namespace tc;

/// Verifies what a launch says of clusters and shared memory.
static LogicalResult verifyBlocks(LaunchOp launch) {
  // The most of any CUDA device.
  constexpr int64_t kMostBlocks = 16, kMostSharedBytes = 227 * 1024;
  int64_t cluster = launch.getCluster().value_or(1);
  if (cluster < 1 || cluster > kMostBlocks)
    return launch.emitOpError("has a cluster of ")
           << cluster << " blocks; expected 1 to " << kMostBlocks;
  int64_t bytes = launch.getSharedBytes().value_or(0);
  if (bytes < 0 || bytes > kMostSharedBytes)
    return launch.emitOpError("has ")
           << bytes << " bytes of shared memory; expected 0 to "
           << kMostSharedBytes;
  return success();
}

/// Verifies a constant stride of a tensor map, in bytes; where the launch
/// `realigns` the view, it may be no multiple of what the copy engine takes.
static LogicalResult verifyStride(LaunchOp launch, int64_t bytes,
                                  bool realigns) {
  constexpr int64_t kUnit = 16, kEnd = int64_t(1) << 40;
  const int64_t unit = realigns ? 1 : kUnit, least = realigns ? 0 : kUnit;
  if (bytes >= least && bytes < kEnd && bytes % unit == 0)
    return success();
  return launch.emitOpError("has a tensor map with a stride of ")
         << bytes << " bytes; expected a multiple of " << unit
         << " that is at least " << least << " and below " << kEnd;
}

/// Verifies the last element of a view of constant sizes and strides, which is
/// in the buffer.
static LogicalResult verifyEnd(LaunchOp launch, TensorMapAttr map) {
  auto type = cast<MemRefType>(launch.getBuffers()[map.getBuffer()].getType());
  std::optional<int64_t> elements =
      getElementCount(getSizes(type), type.getContext()).getConstant();
  int64_t needed = 1;
  for (auto [size, stride] :
       llvm::zip_equal(map.getSizes().getSizes(), map.getElementStrides())) {
    if (!elements || !size.getConstant() || !stride.getConstant())
      return success();
    needed += (*size.getConstant() - 1) * *stride.getConstant();
  }
  if (needed <= *elements)
    return success();
  return launch.emitOpError("has a tensor map over ")
         << needed << " elements of buffer " << map.getBuffer() << " of type "
         << type << "; expected at most " << *elements;
}

static LogicalResult verifyTensorMap(LaunchOp launch, TensorMapAttr map) {
  int64_t buffers = launch.getBuffers().size();
  if (map.getBuffer() < 0 || map.getBuffer() >= buffers)
    return launch.emitOpError("has a tensor map of buffer ")
           << map.getBuffer() << "; expected one of its " << buffers
           << " buffers";
  Type type = launch.getElementType(map);
  int64_t bytes = getElementBytes(type);
  if (bytes > 8)
    return launch.emitOpError("has a tensor map of elements of type ")
           << type << "; expected elements of at most 8 bytes";
  constexpr int64_t kUnit = 16;
  int64_t rowBytes = map.getBox().asArrayRef().back() * bytes;
  int64_t swizzle = map.getSwizzle();
  if (rowBytes % kUnit != 0 || (swizzle && rowBytes > swizzle))
    return launch.emitOpError("has a tensor map whose box is ")
           << rowBytes << " bytes wide with a swizzle of " << swizzle
           << "; expected a multiple of " << kUnit
           << ", at most as wide as a swizzle";
  SmallVector<SizeExpr> strides = map.getElementStrides();
  for (SizeExpr stride : ArrayRef(strides).drop_back())
    if (auto constant = stride.getConstant())
      if (failed(verifyStride(launch, *constant * bytes, map.getRealigns())))
        return failure();
  return verifyEnd(launch, map);
}

LogicalResult LaunchOp::verify() {
  for (Attribute size : getSizes())
    if (!isa<SizeExprAttr>(size))
      return emitOpError("has ") << size << " in 'sizes'; expected a #tc.expr";
  if (getCount().getConstant().value_or(0) < 0 ||
      getGrain().getConstant().value_or(1) < 1)
    return emitOpError("has count ")
           << getCount() << " and grain " << getGrain()
           << "; expected at least 0 and at least 1";
  if (auto copied = getOnHost()) {
    int64_t buffers = getBuffers().size();
    if (getThreads() || copied->size() != 2 || (*copied)[0] < 0 ||
        (*copied)[1] < 0 || (*copied)[0] > buffers - (*copied)[1])
      return emitOpError("has on_host [")
             << *copied << "] with " << buffers << " buffers and "
             << (getThreads() ? "" : "no ")
             << "threads; expected the numbers of inputs and outputs, at most "
                "as many as buffers, and no threads";
  }
  if (!getThreads()) {
    if (getCluster() || getSharedBytes() || getProgrammatic() ||
        getUsesCounters() || getAlignedBuffers() || !getTensorMaps().empty())
      return emitOpError(
          "has 'cluster', 'shared_bytes', 'programmatic', 'uses_counters', "
          "'aligned_buffers' or 'tensor_maps' and no 'threads'; expected these "
          "on a kernel of a GPU");
    return success();
  }
  if (failed(verifyBlocks(*this)))
    return failure();
  for (TensorMapAttr map : getTensorMapAttrs())
    if (failed(verifyTensorMap(*this, map)))
      return failure();
  // The most that a block of any CUDA device has.
  constexpr int64_t kMostThreads = 1024;
  int64_t threads = *getThreads();
  if (threads < 1 || threads > kMostThreads)
    return emitOpError("has ")
           << threads << " threads; expected 1 to " << kMostThreads;
  if (getCallsRoutines())
    return emitOpError("has 'threads' and 'calls_routines'; expected one: the "
                       "runtime's routines run on the host");
  return success();
}
