//===- Tensor.cpp - Tensors that own or share their memory ----------------===//

#include "TC/Runtime/Strides.h"

#include <algorithm>
#include <vector>

using namespace tc::runtime;

std::optional<int64_t> tc::runtime::countElements(Extents sizes) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return std::nullopt;
    // Go on after an overflow: a later size 0 makes the tensor empty, but no
    // strides could be written for it, so it is refused all the same.
    overflow |=
        __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count);
  }
  if (overflow)
    return std::nullopt;
  return std::find(sizes.begin(), sizes.end(), 0) == sizes.end() ? count : 0;
}

void tc::runtime::fillContiguousStrides(Extents sizes,
                                        std::span<int64_t> strides) {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
}

bool tc::runtime::isContiguous(Extents sizes, Extents strides) {
  int64_t expected = 1;
  bool rowMajor = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0)
      return true; // no elements, whatever the strides
    rowMajor &= sizes[i] == 1 || strides[i] == expected;
    expected *= sizes[i];
  }
  return rowMajor;
}

std::optional<ByteRange> tc::runtime::byteRange(DType dtype, Extents sizes,
                                                Extents strides) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    return ByteRange{0, 0};
  // Offsets of the lowest and of the highest element, in elements.
  int64_t lowest = 0, highest = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t reach;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(reach < 0 ? lowest : highest, reach,
                               reach < 0 ? &lowest : &highest))
      return std::nullopt;
  }
  const auto bytes = int64_t(dtypeSize(dtype));
  ByteRange range;
  if (__builtin_mul_overflow(lowest, bytes, &range.begin) ||
      __builtin_mul_overflow(highest, bytes, &range.end) ||
      __builtin_add_overflow(range.end, bytes, &range.end))
    return std::nullopt;
  return range;
}

std::string tc::runtime::typeString(DType dtype, Extents sizes) {
  std::string result;
  for (int64_t size : sizes)
    result += std::to_string(size) + "x";
  return result += dtypeName(dtype);
}

Tensor &Tensor::operator=(const Tensor &other) {
  if (this == &other)
    return *this;
  storageRef = other.storageRef;
  dataPointer = other.dataPointer;
  elementType = other.elementType;
  rankValue = other.rankValue;
  kind = other.kind;
  deviceNumber = other.deviceNumber;
  std::copy_n(other.sizeValues.data(), rankValue, sizeValues.data());
  std::copy_n(other.strideValues.data(), rankValue, strideValues.data());
  return *this;
}

Tensor &Tensor::operator=(Tensor &&other) noexcept {
  if (this == &other)
    return *this;
  storageRef = std::move(other.storageRef);
  dataPointer = std::exchange(other.dataPointer, nullptr);
  elementType = other.elementType;
  rankValue = std::exchange(other.rankValue, 0);
  kind = other.kind;
  deviceNumber = other.deviceNumber;
  std::copy_n(other.sizeValues.data(), rankValue, sizeValues.data());
  std::copy_n(other.strideValues.data(), rankValue, strideValues.data());
  return *this;
}

Expected<Tensor> Tensor::empty(DType dtype, Extents sizes, MemoryPool &pool) {
  if (sizes.size() > TC_MAX_RANK)
    return Status(ErrorCode::InvalidArgument,
                  "a tensor of rank " + std::to_string(sizes.size()) +
                      " exceeds the largest rank, " +
                      std::to_string(TC_MAX_RANK));
  std::optional<int64_t> count = countElements(sizes);
  int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t(dtypeSize(dtype)), &bytes))
    return Status(ErrorCode::InvalidArgument,
                  "the sizes of " + runtime::typeString(dtype, sizes) +
                      " are negative or too large");
  StorageRef storage = pool.allocate(size_t(bytes));
  if (!storage)
    return Status(ErrorCode::OutOfMemory,
                  "no memory for " + runtime::typeString(dtype, sizes) + ", " +
                      std::to_string(bytes) + " bytes");
  Tensor result;
  result.dataPointer = storage->data;
  result.storageRef = std::move(storage);
  result.elementType = dtype;
  result.rankValue = int32_t(sizes.size());
  std::copy(sizes.begin(), sizes.end(), result.sizeValues.begin());
  fillContiguousStrides(sizes, {result.strideValues.data(), sizes.size()});
  return result;
}

Expected<Tensor> Tensor::zeros(DType dtype, Extents sizes, MemoryPool &pool) {
  Expected<Tensor> result = empty(dtype, sizes, pool);
  if (result.ok() && result->byteCount() > 0)
    std::memset(result->data(), 0, result->byteCount());
  return result;
}

Expected<Tensor> Tensor::view(StorageRef storage, DType dtype, Extents sizes,
                              Extents strides, uint64_t byteOffset) {
  // The text of a type is made for failures alone.
  auto type = [&] { return runtime::typeString(dtype, sizes); };
  if (!storage || sizes.size() > TC_MAX_RANK || sizes.size() != strides.size())
    return Status(ErrorCode::InvalidArgument,
                  "a view of type " + type() +
                      " needs storage, a rank of at most " +
                      std::to_string(TC_MAX_RANK) + " and a stride per size");
  bool inside = countElements(sizes) && byteOffset <= storage->bytes;
  if (inside) {
    std::optional<ByteRange> range = byteRange(dtype, sizes, strides);
    inside = range && -range->begin <= int64_t(byteOffset) &&
             range->end <= int64_t(storage->bytes - byteOffset);
  }
  if (!inside)
    return Status(ErrorCode::InvalidArgument,
                  "a view of type " + type() + " at byte " +
                      std::to_string(byteOffset) + " reaches beyond the " +
                      std::to_string(storage->bytes) + " bytes of its storage");
  void *data = static_cast<char *>(storage->data) + byteOffset;
  return viewUnchecked(std::move(storage), data, dtype, sizes, strides);
}

Tensor Tensor::viewUnchecked(StorageRef storage, void *data, DType dtype,
                             Extents sizes, Extents strides) {
  Tensor result;
  result.storageRef = std::move(storage);
  result.dataPointer = data;
  result.elementType = dtype;
  result.rankValue = int32_t(sizes.size());
  std::copy(sizes.begin(), sizes.end(), result.sizeValues.begin());
  std::copy(strides.begin(), strides.end(), result.strideValues.begin());
  return result;
}

int64_t Tensor::elementCount() const {
  int64_t count = 1;
  for (int64_t size : sizes())
    count *= size;
  return count;
}

bool Tensor::hasOverlap() const {
  if (isContiguous())
    return false;
  // From the smallest stride up, each stride exceeds the range of those below.
  std::array<std::pair<int64_t, int64_t>, TC_MAX_RANK> steps;
  size_t count = 0;
  for (size_t dim = 0; dim < size_t(rankValue); ++dim)
    if (sizeValues[dim] > 1)
      steps[count++] = {std::abs(strideValues[dim]), sizeValues[dim]};
  std::sort(steps.begin(), steps.begin() + count);
  bool nests = true;
  int64_t reach = 0;
  for (size_t i = 0; i < count; ++i) {
    nests &= steps[i].first > reach;
    reach += steps[i].first * (steps[i].second - 1);
  }
  constexpr int64_t kMostMarks = int64_t(1) << 26;
  if (nests || steps[0].first == 0 || reach >= kMostMarks)
    return !nests;
  // Rows that interleave in memory: mark each place.
  std::vector<bool> taken(size_t(reach) + 1);
  for (int64_t index = 0, end = elementCount(); index < end; ++index) {
    int64_t place = 0, rest = index;
    for (size_t i = 0; i < count; rest /= steps[i++].second)
      place += rest % steps[i].second * steps[i].first;
    if (taken[size_t(place)])
      return true;
    taken[size_t(place)] = true;
  }
  return false;
}

void *Tensor::elementAddress(int64_t flatIndex) const {
  int64_t offset = 0;
  for (int32_t i = rankValue; i-- > 0;) {
    offset += flatIndex % sizeValues[size_t(i)] * strideValues[size_t(i)];
    flatIndex /= sizeValues[size_t(i)];
  }
  return static_cast<char *>(dataPointer) +
         offset * int64_t(dtypeSize(elementType));
}

Expected<Tensor> Tensor::contiguous() const {
  if (isContiguous())
    return *this;
  return clone();
}

Expected<Tensor> Tensor::clone() const {
  if (kind != TC_DEVICE_CPU)
    return Status(ErrorCode::Unsupported,
                  "cannot copy a tensor that is not in host memory");
  Expected<Tensor> result = empty(elementType, sizes());
  if (!result.ok())
    return result;
  copyElements(*result, *this);
  return result;
}

tc_tensor Tensor::descriptor() const {
  tc_tensor result;
  result.data = dataPointer;
  result.sizes = const_cast<int64_t *>(sizeValues.data());
  result.strides = const_cast<int64_t *>(strideValues.data());
  result.rank = rankValue;
  result.dtype = int32_t(elementType);
  result.device_kind = kind;
  result.device_index = deviceNumber;
  return result;
}
