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
  /// Of a window: its places in a box, or 0 without one, and for each dimension
  /// of pixels the first place, the last one from the last pixel, and the step.
  uint16_t places;
  int16_t lower[3], upper[3];
  uint8_t steps[3];
  bool isF32; ///< whether elements are, which copies may be added to
};
static_assert(sizeof(TensorMap) <= 128);

} // namespace standin

#endif // TC_TEST_TARGET_CUDA_STANDIN_TENSORMAP_H
