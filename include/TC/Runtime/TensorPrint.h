//===- TensorPrint.h - Tensors as text --------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_TENSORPRINT_H
#define TC_RUNTIME_TENSORPRINT_H

#include "TC/Runtime/Tensor.h"
#include <string>

namespace tc::runtime {

/// The tensor in the input notation, "2x3xf32=[1 2 3][4 5 6]". Floating-point
/// numbers have as few digits as read back to the same bits. Behind
/// `largestCount` elements comes "...".
std::string printTensor(const Tensor &tensor, int64_t largestCount = 1024);

/// One element as text.
std::string printElement(DType dtype, const void *element);

} // namespace tc::runtime

#endif // TC_RUNTIME_TENSORPRINT_H
