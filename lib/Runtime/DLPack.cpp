//===- DLPack.cpp - Exchanging tensors with other libraries ---------------===//

#include "TC/Runtime/DLPack.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace tc::runtime;

namespace {

DLDataType toDLPack(DType dtype) {
  const auto bits = uint8_t(dtypeSize(dtype) * 8);
  switch (dtype) {
  case DType::BF16:
    return {DLTypeBFloat, bits, 1};
  case DType::F8E4M3FN:
    return {DLTypeFloat8E4M3FN, bits, 1};
  case DType::F8E5M2:
    return {DLTypeFloat8E5M2, bits, 1};
  default:
    break;
  }
  switch (dtypeInfo(dtype).kind) {
  case DTypeKind::Float:
    return {DLTypeFloat, bits, 1};
  case DTypeKind::SignedInt:
    return {DLTypeInt, bits, 1};
  case DTypeKind::UnsignedInt:
    return {DLTypeUInt, bits, 1};
  case DTypeKind::Bool:
    return {DLTypeBool, bits, 1};
  case DTypeKind::Complex:
    return {DLTypeComplex, bits, 1};
  }
  return {};
}

std::optional<DType> fromDLPack(DLDataType type) {
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DLDataType candidate = toDLPack(DType(i));
    if (candidate.code == type.code && candidate.bits == type.bits &&
        candidate.lanes == type.lanes)
      return DType(i);
  }
  return std::nullopt;
}

/// An exported tensor together with what keeps its memory alive.
template <typename Managed> struct Export {
  Managed managed{};
  Tensor tensor;
};

template <typename Managed> Managed *exportAs(const Tensor &tensor) {
  auto *holder = new Export<Managed>();
  holder->tensor = tensor;
  holder->managed.managerContext = holder;
  holder->managed.deleter = [](Managed *self) {
    delete static_cast<Export<Managed> *>(self->managerContext);
  };
  const tc_tensor descriptor = holder->tensor.descriptor();
  DLTensor &result = holder->managed.tensor;
  result.data = descriptor.data;
  result.device.type =
      tensor.deviceKind() == TC_DEVICE_CPU ? DLDeviceCPU : DLDeviceCUDA;
  result.device.index = descriptor.device_index;
  result.ndim = descriptor.rank;
  result.dtype = toDLPack(tensor.dtype());
  result.shape = descriptor.sizes;
  result.strides = descriptor.strides;
  result.byteOffset = 0;
  return &holder->managed;
}

Status refuse(const std::string &reason) {
  return Status(ErrorCode::InvalidArgument,
                "cannot take a DLPack tensor " + reason);
}

template <typename Managed> Expected<Tensor> import(Managed *managed) {
  std::array<int64_t, TC_MAX_RANK> rowMajor;
  Expected<tc_tensor> described = describeDLPack(managed->tensor, rowMajor);
  if (!described.ok())
    return described.takeStatus();
  const DType dtype = *dtypeFromABI(described->dtype);
  const Extents sizes(described->sizes, size_t(described->rank));
  const Extents strides(described->strides, sizes.size());
  const ByteRange range = *byteRange(dtype, sizes, strides);
  char *data = static_cast<char *>(described->data);
  StorageRef storage = wrapForeignMemory(
      data + range.begin, size_t(range.end - range.begin),
      [](void *context) {
        auto *managed = static_cast<Managed *>(context);
        if (managed->deleter)
          managed->deleter(managed);
      },
      managed);
  Tensor result =
      Tensor::viewUnchecked(std::move(storage), data, dtype, sizes, strides);
  if (described->device_kind != TC_DEVICE_CPU)
    result.setDevice(TC_DEVICE_CUDA, described->device_index);
  return result;
}

} // namespace

Expected<tc_tensor>
tc::runtime::describeDLPack(const DLTensor &source,
                            std::span<int64_t, TC_MAX_RANK> rowMajor) {
  const bool onHost = source.device.type == DLDeviceCPU ||
                      source.device.type == DLDeviceCUDAHost;
  if (!onHost && source.device.type != DLDeviceCUDA &&
      source.device.type != DLDeviceCUDAManaged)
    return refuse("on a device of type " + std::to_string(source.device.type) +
                  ", expected CPU (1) or CUDA (2)");
  const std::optional<DType> dtype = fromDLPack(source.dtype);
  if (!dtype)
    return refuse("of type code " + std::to_string(source.dtype.code) + ", " +
                  std::to_string(source.dtype.bits) + " bits, " +
                  std::to_string(source.dtype.lanes) + " lanes");
  if (source.ndim < 0 || source.ndim > TC_MAX_RANK)
    return refuse("of rank " + std::to_string(source.ndim) +
                  ", expected 0 to " + std::to_string(TC_MAX_RANK));
  const Extents sizes(source.shape, size_t(source.ndim));
  // The text of a type is made for failures alone.
  auto typed = [&] { return "of type " + typeString(*dtype, sizes); };
  const std::optional<int64_t> count = countElements(sizes);
  if (!count)
    return refuse(typed() + ": its sizes are negative or too large");
  if (*count > 0 && !source.data)
    return refuse(typed() + " without data");
  int64_t *strides = source.strides;
  if (!strides) {
    fillContiguousStrides(sizes, rowMajor);
    strides = rowMajor.data();
  }
  if (!byteRange(*dtype, sizes, Extents(strides, sizes.size())))
    return refuse(typed() + ": its strides are too large");
  tc_tensor result = {};
  result.data = static_cast<char *>(source.data) + source.byteOffset;
  result.sizes = source.shape;
  result.strides = strides;
  result.rank = source.ndim;
  result.dtype = int32_t(*dtype);
  result.device_kind = onHost ? TC_DEVICE_CPU : TC_DEVICE_CUDA;
  result.device_index = onHost ? 0 : source.device.index;
  return result;
}

DLManagedTensorVersioned *tc::runtime::exportDLPack(const Tensor &tensor) {
  auto *managed = exportAs<DLManagedTensorVersioned>(tensor);
  managed->version = {1, 0};
  if (tensor.storage() && tensor.storage()->readOnly)
    managed->flags |= DLFlagReadOnly;
  return managed;
}

DLManagedTensor *tc::runtime::exportDLPackUnversioned(const Tensor &tensor) {
  return exportAs<DLManagedTensor>(tensor);
}

Expected<Tensor> tc::runtime::importDLPack(DLManagedTensorVersioned *managed) {
  if (managed->version.major != 1)
    return refuse("of DLPack version " +
                  std::to_string(managed->version.major) + ", expected 1");
  Expected<Tensor> result = import(managed);
  if (result.ok())
    result->storage()->readOnly = managed->flags & DLFlagReadOnly;
  return result;
}

Expected<Tensor>
tc::runtime::importDLPackUnversioned(DLManagedTensor *managed) {
  return import(managed);
}
