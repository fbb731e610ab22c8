//===- Overloads.h - The overloads that convert-aten-to-tc knows -*- C++
//-*-===//

#ifndef TC_CONVERSION_ATENTOTC_OVERLOADS_H
#define TC_CONVERSION_ATENTOTC_OVERLOADS_H

namespace llvm {
class raw_ostream;
}

namespace tc {

/// Prints a line "theme: overload" ("Contractions: addmm.default") for each
/// ATen overload that is converted, sorted; docs/generated/coverage.md is made
/// from it.
void printAtenOverloads(llvm::raw_ostream &os);

} // namespace tc

#endif // TC_CONVERSION_ATENTOTC_OVERLOADS_H
