//===- Tensor.h - Tensors that own or share their memory --------*- C++ -*-===//

#ifndef TC_RUNTIME_TENSOR_H
#define TC_RUNTIME_TENSOR_H

#include "TC/Runtime/ABI.h"
#include "TC/Runtime/DType.h"
#include "TC/Runtime/MemoryPool.h"
#include "TC/Runtime/Status.h"
#include "TC/Runtime/Storage.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tc::runtime {

/// Sizes or strides of any rank up to TC_MAX_RANK, without allocation.
using Extents = std::span<const int64_t>;

/// The number of elements; nothing when a size is negative or the product does
/// not fit in int64_t.
std::optional<int64_t> countElements(Extents sizes);

/// Fills `strides` (as long as `sizes`) for row-major order.
void fillContiguousStrides(Extents sizes, std::span<int64_t> strides);

/// Whether the elements are in row-major order without gaps. Strides of sizes
/// 0 and 1 do not count, as in torch.
bool isContiguous(Extents sizes, Extents strides);

/// The range of the elements, in bytes from the first one: from `begin`, at
/// most 0, up to `end`. Both are 0 for a tensor without elements.
struct ByteRange {
  int64_t begin, end;
};
/// Nothing when an offset does not fit in int64_t. No size may be negative.
std::optional<ByteRange> byteRange(DType dtype, Extents sizes, Extents strides);

/// "2x3xf32", or "f32" for a scalar.
std::string typeString(DType dtype, Extents sizes);

/// A tensor in host memory or on a device. Copies share the memory.
class Tensor {
public:
  /// No tensor: no storage, rank 0.
  Tensor() = default;
  Tensor(const Tensor &other) { *this = other; }
  Tensor &operator=(const Tensor &other);
  Tensor(Tensor &&other) noexcept { *this = std::move(other); }
  Tensor &operator=(Tensor &&other) noexcept;

  /// A row-major tensor from the pool, content undefined. Fails on a rank above
  /// TC_MAX_RANK, a negative size, overflow, or when there is no memory.
  static Expected<Tensor> empty(DType dtype, Extents sizes,
                                MemoryPool &pool = MemoryPool::global());
  /// The same, filled with zeros.
  static Expected<Tensor> zeros(DType dtype, Extents sizes,
                                MemoryPool &pool = MemoryPool::global());
  /// A copy of `values`, whose count must be that of the sizes. T must be as
  /// large as the dtype's elements.
  template <typename T>
  static Expected<Tensor> copyOf(DType dtype, Extents sizes,
                                 std::span<const T> values);

  /// A view of `storage`, from `byteOffset` on. Fails when an element would be
  /// outside the storage.
  static Expected<Tensor> view(StorageRef storage, DType dtype, Extents sizes,
                               Extents strides, uint64_t byteOffset = 0);

  /// The same without any check, for callers that made the descriptor.
  static Tensor viewUnchecked(StorageRef storage, void *data, DType dtype,
                              Extents sizes, Extents strides);

  /// False for a default-constructed tensor.
  bool defined() const { return bool(storageRef); }
  DType dtype() const { return elementType; }
  int32_t rank() const { return rankValue; }
  Extents sizes() const { return {sizeValues.data(), size_t(rankValue)}; }
  Extents strides() const { return {strideValues.data(), size_t(rankValue)}; }
  int64_t size(int32_t dim) const { return sizeValues[size_t(dim)]; }
  int64_t elementCount() const;
  /// Bytes of the elements, without gaps.
  size_t byteCount() const {
    return size_t(elementCount()) * dtypeSize(elementType);
  }
  bool isContiguous() const {
    return runtime::isContiguous(sizes(), strides());
  }
  const StorageRef &storage() const { return storageRef; }
  /// Whether two elements are, or may be, one place in memory.
  bool hasOverlap() const;

  tc_device_kind deviceKind() const { return kind; }
  int32_t deviceIndex() const { return deviceNumber; }
  void setDevice(tc_device_kind deviceKind, int32_t index) {
    kind = deviceKind;
    deviceNumber = index;
  }

  void *data() const { return dataPointer; }
  template <typename T> T *dataAs() const {
    return static_cast<T *>(dataPointer);
  }
  /// The address of the element at a flat row-major index.
  void *elementAddress(int64_t flatIndex) const;

  /// This tensor if it is row-major, else a row-major copy from the pool. Host
  /// memory only.
  Expected<Tensor> contiguous() const;
  /// A row-major copy in memory of its own. Host memory only.
  Expected<Tensor> clone() const;

  /// The C descriptor. It borrows sizes and strides from this object.
  tc_tensor descriptor() const;

  /// "2x3xf32", or "f32" for a scalar.
  std::string typeString() const {
    return runtime::typeString(elementType, sizes());
  }

private:
  StorageRef storageRef;
  void *dataPointer = nullptr;
  DType elementType = DType::F32;
  int32_t rankValue = 0;
  tc_device_kind kind = TC_DEVICE_CPU;
  int32_t deviceNumber = 0;
  std::array<int64_t, TC_MAX_RANK> sizeValues;
  std::array<int64_t, TC_MAX_RANK> strideValues;
};

/// A tensor with its name in a file.
using NamedTensor = std::pair<std::string, Tensor>;

template <typename T>
Expected<Tensor> Tensor::copyOf(DType dtype, Extents sizes,
                                std::span<const T> values) {
  if (sizeof(T) != dtypeSize(dtype) ||
      countElements(sizes) != int64_t(values.size()))
    return Status(ErrorCode::InvalidArgument,
                  std::to_string(values.size()) + " values of " +
                      std::to_string(sizeof(T)) + " bytes cannot fill " +
                      runtime::typeString(dtype, sizes));
  Expected<Tensor> result = empty(dtype, sizes);
  if (result.ok() && !values.empty())
    std::memcpy(result->data(), values.data(), values.size_bytes());
  return result;
}

} // namespace tc::runtime

#endif // TC_RUNTIME_TENSOR_H
