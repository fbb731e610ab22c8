//===- Comparison.h - Whether a result is right -----------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_COMPARISON_H
#define TC_LIB_FUZZ_COMPARISON_H

#include "ErrorBounds.h"
#include <optional>
#include <string>

namespace tc::fuzz {

/// Describes the first element that is further off than its bound, if there is
/// one.
std::optional<std::string> compare(const reference::Tensor &actual,
                                   const Bounded &expected);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_COMPARISON_H
