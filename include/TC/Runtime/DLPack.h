//===- DLPack.h - Exchanging tensors with other libraries -------*- C++ -*-===//
//
// The structs of DLPack's ABI, version 1 and the one before versions, and their
// conversion from and to Tensor without copying. The layout is DLPack's; the
// names are in TC's namespace, so that this header and dlpack.h get along.
// https://dmlc.github.io/dlpack/latest/c_api.html
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DLPACK_H
#define TC_RUNTIME_DLPACK_H

#include "TC/Runtime/Tensor.h"

#include <cstdint>
#include <span>

namespace tc::runtime {

struct DLDevice {
  int32_t type; ///< DLDeviceType
  int32_t index;
};

enum DLDeviceType : int32_t {
  DLDeviceCPU = 1,
  DLDeviceCUDA = 2,
  DLDeviceCUDAHost = 3,
  DLDeviceCUDAManaged = 13,
};

enum DLTypeCode : uint8_t {
  DLTypeInt = 0,
  DLTypeUInt = 1,
  DLTypeFloat = 2,
  DLTypeBFloat = 4,
  DLTypeComplex = 5,
  DLTypeBool = 6,
  DLTypeFloat8E4M3FN = 10,
  DLTypeFloat8E5M2 = 12,
};

struct DLDataType {
  uint8_t code; ///< DLTypeCode
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null means row-major
  uint64_t byteOffset;
};

/// The struct of a "dltensor" capsule.
struct DLManagedTensor {
  DLTensor tensor;
  void *managerContext;
  void (*deleter)(DLManagedTensor *self);
};

inline constexpr uint64_t DLFlagReadOnly = 1;
inline constexpr uint64_t DLFlagIsCopied = 2;

/// The struct of a "dltensor_versioned" capsule.
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void *managerContext;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor tensor;
};

/// Makes a DLPack tensor that holds the tensor's memory until its deleter runs.
DLManagedTensorVersioned *exportDLPack(const Tensor &tensor);
DLManagedTensor *exportDLPackUnversioned(const Tensor &tensor);

/// Describes a DLPack tensor without taking it over: the result borrows its
/// memory, sizes and strides. Those of a tensor without strides are written to
/// `rowMajor`. A failure names the cause.
Expected<tc_tensor> describeDLPack(const DLTensor &source,
                                   std::span<int64_t, TC_MAX_RANK> rowMajor);

/// Makes a tensor of a DLPack tensor, and takes it over: its deleter runs when
/// the last holder lets go. On failure, which names the cause, the DLPack
/// tensor stays the caller's.
Expected<Tensor> importDLPack(DLManagedTensorVersioned *managed);
Expected<Tensor> importDLPackUnversioned(DLManagedTensor *managed);

} // namespace tc::runtime

#endif // TC_RUNTIME_DLPACK_H
