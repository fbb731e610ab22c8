//===- Comparison.h - Whether a result is right -----------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_COMPARISON_H
#define TC_LIB_FUZZ_COMPARISON_H

#include "TC/Reference/Tensor.h"
#include <optional>
#include <string>

namespace tc::fuzz {

/// What is right: the result without rounding, and with the rounding of each
/// op, whose distance says how much rounding matters.
struct Expected {
  reference::Tensor exact, rounded;
};

/// Describes the first wrong element, if there is one. `looseness` is that of
/// CheckOptions; `lowest` is the least precise float type that takes part.
std::optional<std::string> compare(const reference::Tensor &actual,
                                   const Expected &expected, mlir::Type lowest,
                                   double looseness);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_COMPARISON_H
