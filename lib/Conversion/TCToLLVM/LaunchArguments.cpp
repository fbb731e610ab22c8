//===- LaunchArguments.cpp - The argument block of a launch ---------------===//

#include "LaunchArguments.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"

#include <cstddef>

using namespace mlir;
using namespace tc;
using namespace tc::abi;

static constexpr int64_t kSlotBytes = 8;
/// A CUtensorMap has 128 bytes, at a multiple of 64.
static constexpr int64_t kTensorMapSlots = 16, kTensorMapAlignment = 64;

static constexpr size_t kBoxFields =
    sizeof(tc_tensor_map::box) / sizeof(uint32_t);
static constexpr size_t kWindowFields =
    sizeof(tc_tensor_map::steps) / sizeof(uint32_t);
// describeTensorMaps() writes the fields out.
static_assert(offsetof(tc_tensor_map, source) == 4 &&
              offsetof(tc_tensor_map, dtype) == 8 &&
              offsetof(tc_tensor_map, rank) == 12 &&
              offsetof(tc_tensor_map, box) == 16 && kBoxFields == 5 &&
              offsetof(tc_tensor_map, swizzle_bytes) == 36 &&
              offsetof(tc_tensor_map, flags) == 40 &&
              offsetof(tc_tensor_map, lower) == 44 &&
              offsetof(tc_tensor_map, upper) == 56 &&
              offsetof(tc_tensor_map, steps) == 68 &&
              sizeof(tc_tensor_map) == 80);

/// The address, the sizes, and the strides of all but the innermost dimension.
static int64_t countSourceSlots(TensorMapAttr map) { return 2 * map.getRank(); }

LaunchArguments::LaunchArguments(LaunchOp launch) : launch(launch) {}

int64_t LaunchArguments::firstBuffer() const {
  return kTensorMapSlots * int64_t(launch.getTensorMaps().size());
}

int64_t LaunchArguments::count() const {
  return firstBuffer() + launch.countSlots();
}

int64_t LaunchArguments::countWithSources() const {
  int64_t slots = count();
  for (TensorMapAttr map : launch.getTensorMapAttrs())
    slots += countSourceSlots(map);
  return slots;
}

int64_t LaunchArguments::alignment() const {
  return launch.getTensorMaps().empty() ? kSlotBytes : kTensorMapAlignment;
}

/// From the innermost dimension: the sizes, and the strides in bytes of all but
/// the innermost.
static SmallVector<SizeExpr> getSourceSizesOf(LaunchOp launch,
                                              TensorMapAttr map) {
  int64_t bytes = getElementBytes(launch.getElementType(map));
  SmallVector<SizeExpr> values(llvm::reverse(map.getSizes().getSizes()));
  SmallVector<SizeExpr> strides = map.getElementStrides();
  for (SizeExpr stride : llvm::reverse(ArrayRef(strides).drop_back()))
    values.push_back(stride.mul(bytes));
  return values;
}

SmallVector<SizeExpr> LaunchArguments::getSourceSizes() const {
  SmallVector<SizeExpr> values;
  for (TensorMapAttr map : launch.getTensorMapAttrs())
    llvm::append_range(values, getSourceSizesOf(launch, map));
  return values;
}

LogicalResult LaunchArguments::storeSources(HostBuilder &host,
                                            SizeValues &sizes,
                                            ArrayRef<Value> buffers,
                                            Value block) const {
  int64_t slot = count();
  auto append = [&](Value value) {
    host.store(value,
               host.element(host.get().getI64Type(), block, int32_t(slot++)));
  };
  for (TensorMapAttr map : launch.getTensorMapAttrs()) {
    append(buffers[map.getBuffer()]);
    for (SizeExpr expr : getSourceSizesOf(launch, map)) {
      if (!sizes.canEvaluate(expr))
        return launch.emitOpError()
               << "has tensor map " << map
               << ", which the function's symbols do not give";
      append(sizes.of(expr));
    }
  }
  return success();
}

SmallVector<int32_t> LaunchArguments::describeTensorMaps() const {
  SmallVector<int32_t> fields;
  int64_t source = count();
  for (auto [index, map] : llvm::enumerate(launch.getTensorMapAttrs())) {
    // The fields before the box, in order.
    fields.push_back(int32_t(kSlotBytes * kTensorMapSlots * int64_t(index)));
    fields.push_back(int32_t(kSlotBytes * source));
    fields.push_back(*getDType(launch.getElementType(map)));
    fields.push_back(int32_t(map.getRank()));
    // From the innermost dimension, up to `count` of them.
    auto append = [&](ArrayRef<int64_t> extents, size_t count) {
      for (size_t dim = 0; dim < count; ++dim)
        fields.push_back(dim < extents.size()
                             ? int32_t(extents[extents.size() - 1 - dim])
                             : 0);
    };
    append(map.getBox().asArrayRef(), kBoxFields);
    fields.push_back(int32_t(map.getSwizzle()));
    fields.push_back((map.getRealigns() ? TC_TENSOR_MAP_REALIGNS : 0) |
                     (map.getWritten() ? TC_TENSOR_MAP_WRITTEN : 0) |
                     (map.getWindow() ? TC_TENSOR_MAP_WINDOW : 0));
    auto getPlaces = [&](auto getter) {
      return map.getWindow() ? (map.getWindow().*getter)().asArrayRef()
                             : ArrayRef<int64_t>();
    };
    append(getPlaces(&WindowAttr::getLower), kWindowFields);
    append(getPlaces(&WindowAttr::getUpper), kWindowFields);
    append(getPlaces(&WindowAttr::getSteps), kWindowFields);
    source += countSourceSlots(map);
  }
  return fields;
}
