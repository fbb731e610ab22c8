//===- RealignedViews.h - Aligned copies for tensor maps --------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_REALIGNEDVIEWS_H
#define TC_LIB_RUNTIME_REALIGNEDVIEWS_H

#include "CUDADevice.h"

#include <vector>

namespace tc::runtime {

/// Copies of the tensors of a launch's tensor maps whose addresses or strides
/// are no multiples of 16 bytes, which the copy engine does not take, from the
/// call of begin() to that of end(). Memory is taken and given back in the
/// order of the stream.
class RealignedViews {
public:
  /// Whether any tensor map of `kernel` has such an address or stride.
  static bool areNeeded(const tc_kernel &kernel, const void *arguments);

  RealignedViews(CUDADevice &device, CUstream stream, const tc_kernel &kernel,
                 void *arguments)
      : device(device), stream(stream), kernel(kernel),
        arguments(static_cast<char *>(arguments)) {}

  /// Makes the copies, and has the arguments' tensor maps be of them.
  Status begin();
  /// After the launch: copies back what the kernel has written, frees the
  /// copies, and has the arguments as they were.
  Status end();

private:
  static constexpr int32_t mostDims = 5;

  /// The address of a tensor and its strides from the innermost dimension on,
  /// in bytes.
  struct Place {
    CUdeviceptr address;
    uint64_t strides[mostDims];
  };
  struct View {
    const tc_tensor_map *map;
    Place own, copy;
    size_t bytes; ///< of the copy
    /// Whether both have the same strides, and the copy all between its first
    /// element and its last one.
    bool isWhole;
  };
  View describe(const tc_tensor_map &map) const;
  void setPlace(const View &view, const Place &place);
  Status copy(const View &view, const Place &to, const Place &from);

  CUDADevice &device;
  CUstream stream;
  const tc_kernel &kernel;
  char *arguments;
  std::vector<View> views;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_REALIGNEDVIEWS_H
