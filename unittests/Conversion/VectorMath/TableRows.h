//===- TableRows.h - Rows of the elementwise table --------------*- C++ -*-===//

#ifndef TC_UNITTESTS_CONVERSION_VECTORMATH_TABLEROWS_H
#define TC_UNITTESTS_CONVERSION_VECTORMATH_TABLEROWS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tc::test {

struct Row {
  std::string name;
  unsigned operandCount;
  bool isPredicate;
  std::vector<std::string> kinds;
  double low, high, ulp;
  bool accepts(llvm::StringRef kind) const {
    return llvm::is_contained(kinds, kind);
  }
};

/// The rows that have an emitted form; those of TC_TEST_ONLY if it is set.
std::vector<Row> readRows();

} // namespace tc::test

#endif // TC_UNITTESTS_CONVERSION_VECTORMATH_TABLEROWS_H
