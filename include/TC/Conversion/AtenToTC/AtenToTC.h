//===- AtenToTC.h - The overloads that are converted ------------*- C++ -*-===//

#ifndef TC_CONVERSION_ATENTOTC_ATENTOTC_H
#define TC_CONVERSION_ATENTOTC_ATENTOTC_H

#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace tc {

/// Prints a line "theme: overload" ("Contractions: addmm.default") for each
/// ATen overload that is converted, sorted; docs/generated/coverage.md is made
/// from it. An overload that two themes convert is an error.
llvm::Error printAtenOverloads(llvm::raw_ostream &os);

/// Whether calls of an ATen overload ("addmm.default") are converted; some of
/// them may be refused for their arguments.
bool convertsAtenOverload(llvm::StringRef overload);

} // namespace tc

#endif // TC_CONVERSION_ATENTOTC_ATENTOTC_H
