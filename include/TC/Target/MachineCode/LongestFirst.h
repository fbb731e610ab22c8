//===- LongestFirst.h - The order of work for threads -----------*- C++ -*-===//

#ifndef TC_TARGET_MACHINECODE_LONGESTFIRST_H
#define TC_TARGET_MACHINECODE_LONGESTFIRST_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// The numbers of units that threads compile, whose work `works` has: the
/// longest first, which would leave the other threads idle if it was begun
/// last, and equal ones in their own order.
inline llvm::SmallVector<size_t>
orderLongestFirst(llvm::ArrayRef<size_t> works) {
  auto order = llvm::to_vector(llvm::seq(works.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(works[b], a) < std::pair(works[a], b);
  });
  return order;
}

} // namespace tc

#endif // TC_TARGET_MACHINECODE_LONGESTFIRST_H
