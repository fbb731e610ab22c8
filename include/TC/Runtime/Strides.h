//===- Strides.h - Tensors with given strides -------------------*- C++ -*-===//

#ifndef TC_RUNTIME_STRIDES_H
#define TC_RUNTIME_STRIDES_H

#include "TC/Runtime/Tensor.h"

namespace tc::runtime {

/// Whether elements are where `expected` puts them. Strides of sizes 0 and 1 do
/// not count, nor do those of a tensor without elements.
bool hasStrides(Extents sizes, Extents strides, Extents expected);

/// This tensor if it has the strides `expected`, which are not negative, else a
/// copy with them from the pool, whose memory ends with its last element. Host
/// memory only.
Expected<Tensor> withStrides(const Tensor &tensor, Extents expected);

/// Copies the elements of `source` to those of `target`, of the same type and
/// sizes, both in host memory.
void copyElements(const Tensor &target, const Tensor &source);

} // namespace tc::runtime

#endif // TC_RUNTIME_STRIDES_H
