//===- TensorMap.h - The stand-in's tensor maps -----------------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_TENSORMAP_H
#define TC_TEST_TARGET_CUDA_STANDIN_TENSORMAP_H

#include <cstdint>

namespace standin {

/// What the 128 bytes of a CUtensorMap are here. Dimensions are numbered from
/// the innermost.
struct TensorMap {
  static constexpr uint32_t mark = 0x7e45f0a9;

  uint64_t address;
  uint64_t strides[5]; ///< in bytes
  uint32_t sizes[5], box[5];
  uint32_t rank, elementBytes, swizzleBytes;
  uint32_t isMap; ///< `mark`
};
static_assert(sizeof(TensorMap) <= 128);

} // namespace standin

#endif // TC_TEST_TARGET_CUDA_STANDIN_TENSORMAP_H
