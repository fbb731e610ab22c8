//===- Convolutions.h - Convolutions that a library computes ----*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CONVOLUTIONS_H
#define TC_LIB_RUNTIME_CONVOLUTIONS_H

#include "CUDADevice.h"

namespace tc::runtime {

/// See tc_runtime_api::convolve. The first call with new sizes asks the library
/// for its algorithms and keeps the first that it can run; later ones, of any
/// program, find it and allocate nothing. Calls on one device take turns, as
/// the library's handle has one stream at a time. The device's context must be
/// the thread's.
Status convolve(CUDADevice &device, CUstream stream,
                const tc_convolution &convolution,
                const tc_convolution_operands &operands);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CONVOLUTIONS_H
