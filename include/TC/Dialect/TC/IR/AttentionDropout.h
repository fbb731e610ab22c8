//===- AttentionDropout.h - Which weights are kept --------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_ATTENTIONDROPOUT_H
#define TC_DIALECT_TC_IR_ATTENTIONDROPOUT_H

#include "llvm/ADT/APFloat.h"
#include <cmath>

namespace tc {

/// Rows of the matrix of `tc.dropout_bits` that each batch point of attention
/// has begin at multiples of this.
inline constexpr int64_t kDropoutRows = 16;

/// Below how many of the 2^16 values of its bits an element is kept.
inline int64_t countKeptBits(const llvm::APFloat &dropout) {
  return std::llround((1 - dropout.convertToDouble()) * 65536);
}

/// What a kept element is multiplied by.
inline double getKeptFactor(const llvm::APFloat &dropout) {
  double kept = 1 - dropout.convertToDouble();
  return kept > 0 ? 1 / kept : 0;
}

} // namespace tc

#endif // TC_DIALECT_TC_IR_ATTENTIONDROPOUT_H
