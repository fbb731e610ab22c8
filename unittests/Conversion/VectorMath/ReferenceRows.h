//===- ReferenceRows.h - The reference side of the table --------*- C++ -*-===//

#ifndef TC_UNITTESTS_CONVERSION_VECTORMATH_REFERENCEROWS_H
#define TC_UNITTESTS_CONVERSION_VECTORMATH_REFERENCEROWS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

namespace tc::test {

/// Evaluates a row's reference expression on n elements. Operands are arrays
/// of T; the result is an array of long double for T = double (evaluated in
/// long double), of T otherwise.
using ReferenceFunction = void(const void *const *operands, void *result,
                               size_t n);

/// Whether this thread's functions on double compute in long double (else in
/// double, for operations that are rounded once).
extern thread_local bool computeInLongDouble;

/// Null where the op takes no operands of that kind.
struct ReferenceFunctions {
  ReferenceFunction *onDouble, *onFloat, *onSigned, *onUnsigned, *onBool;
};

/// By the op's name, such as "tc.exp".
ReferenceFunctions findReference(llvm::StringRef op);

} // namespace tc::test

#endif // TC_UNITTESTS_CONVERSION_VECTORMATH_REFERENCEROWS_H
