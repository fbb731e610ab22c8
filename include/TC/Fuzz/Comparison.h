//===- Comparison.h - Whether a result is right -----------------*- C++ -*-===//

#ifndef TC_FUZZ_COMPARISON_H
#define TC_FUZZ_COMPARISON_H

#include "TC/Fuzz/ErrorBounds.h"

namespace tc::fuzz {

/// Describes the elements that are further off than their bounds, if there are
/// any: how many, the first of them, and the first ones of both tensors.
std::optional<std::string> compare(const reference::Tensor &actual,
                                   const Bounded &expected);

} // namespace tc::fuzz

#endif // TC_FUZZ_COMPARISON_H
