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
// describeTensorMaps() writes the fields out.
static_assert(offsetof(tc_tensor_map, source) == 4 &&
              offsetof(tc_tensor_map, dtype) == 8 &&
              offsetof(tc_tensor_map, rank) == 12 &&
              offsetof(tc_tensor_map, box) == 16 && kBoxFields == 5 &&
              offsetof(tc_tensor_map, swizzle_bytes) == 36 &&
              sizeof(tc_tensor_map) == 40);

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

/// Bytes of which the copy engine needs addresses and strides to be multiples.
static constexpr int64_t kCopyUnit = 16;

/// The last multiple of 16 up to `number`.
static Value roundDown(HostBuilder &host, Value number) {
  return LLVM::AndOp::create(host.get(), host.getLoc(), number,
                             host.i64(-kCopyUnit));
}

/// Of a view that rounds down, the address that it begins at, and the elements
/// between that and the buffer.
static std::pair<Value, Value> getViewBegin(HostBuilder &host, Value pointer,
                                            int64_t elementBytes) {
  OpBuilder &b = host.get();
  Location loc = host.getLoc();
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer),
        rest = LLVM::AndOp::create(b, loc, address, host.i64(kCopyUnit - 1));
  return {roundDown(host, address),
          LLVM::UDivOp::create(b, loc, rest, host.i64(elementBytes))};
}

/// A stride that the driver takes, where it may be any number.
static Value getViewStride(HostBuilder &host, Value stride) {
  return LLVM::SMaxOp::create(host.get(), host.getLoc(),
                              roundDown(host, stride), host.i64(kCopyUnit));
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
    Value begin = buffers[map.getBuffer()], before;
    if (map.getRoundsDown())
      std::tie(begin, before) = getViewBegin(
          host, begin, getElementBytes(launch.getElementType(map)));
    append(begin);
    for (auto [index, expr] : llvm::enumerate(getSourceSizesOf(launch, map))) {
      if (!sizes.canEvaluate(expr))
        return launch.emitOpError()
               << "has tensor map " << map
               << ", which the function's symbols do not give";
      Value value = sizes.of(expr);
      if (before && index == 0)
        value = LLVM::AddOp::create(host.get(), host.getLoc(), value, before);
      else if (before && int64_t(index) >= map.getRank() && !expr.isConstant())
        value = getViewStride(host, value);
      append(value);
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
    ArrayRef<int64_t> box = map.getBox().asArrayRef();
    for (size_t dim = 0; dim < kBoxFields; ++dim)
      fields.push_back(dim < box.size() ? int32_t(box[box.size() - 1 - dim])
                                        : 0);
    fields.push_back(int32_t(map.getSwizzle()));
    source += countSourceSlots(map);
  }
  return fields;
}
