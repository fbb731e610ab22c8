//===- Strides.cpp - Tensors with given strides ---------------------------===//

#include "TC/Runtime/Strides.h"

using namespace tc::runtime;

bool tc::runtime::hasStrides(Extents sizes, Extents strides, Extents expected) {
  bool matches = true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return true;
    matches &= sizes[i] == 1 || strides[i] == expected[i];
  }
  return matches;
}

void tc::runtime::copyElements(const Tensor &target, const Tensor &source) {
  const int64_t count = target.elementCount();
  if (count == 0)
    return;
  const size_t bytes = dtypeSize(target.dtype());
  if (target.isContiguous() && source.isContiguous()) {
    std::memmove(target.data(), source.data(), size_t(count) * bytes);
    return;
  }
  // Row by row: only the index of a row's first element is split by dimension.
  const auto last = size_t(target.rank() - 1);
  const int64_t rowLength = target.sizes()[last];
  const int64_t from = source.strides()[last] * int64_t(bytes);
  const int64_t to = target.strides()[last] * int64_t(bytes);
  for (int64_t row = 0; row < count; row += rowLength) {
    auto *targetRow = static_cast<char *>(target.elementAddress(row));
    const auto *sourceRow =
        static_cast<const char *>(source.elementAddress(row));
    if (from == int64_t(bytes) && to == int64_t(bytes)) {
      std::memcpy(targetRow, sourceRow, size_t(rowLength) * bytes);
      continue;
    }
    for (int64_t i = 0; i < rowLength; ++i)
      std::memcpy(targetRow + i * to, sourceRow + i * from, bytes);
  }
}

Expected<Tensor> tc::runtime::withStrides(const Tensor &tensor,
                                          Extents expected) {
  if (hasStrides(tensor.sizes(), tensor.strides(), expected))
    return tensor;
  if (tensor.deviceKind() != TC_DEVICE_CPU)
    return Status(ErrorCode::Unsupported,
                  "cannot copy a tensor that is not in host memory");
  const DType dtype = tensor.dtype();
  const std::optional<ByteRange> range =
      byteRange(dtype, tensor.sizes(), expected);
  if (!range)
    return Status(ErrorCode::InvalidArgument,
                  "a copy of " + tensor.typeString() +
                      " with the strides that are expected is too large");
  const int64_t elements = range->end / int64_t(dtypeSize(dtype));
  Expected<Tensor> memory = Tensor::empty(dtype, Extents(&elements, 1));
  if (!memory.ok())
    return memory;
  Tensor result = Tensor::viewUnchecked(memory->storage(), memory->data(),
                                        dtype, tensor.sizes(), expected);
  copyElements(result, tensor);
  return result;
}
