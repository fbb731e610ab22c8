//===- AllAttributes.td - Every attribute of the dialect -------*- tablegen -*-===//
//
// What the parser of the dialect knows, and its documentation has.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALLATTRIBUTES
#define TC_ALLATTRIBUTES

include "TC/Dialect/TC/IR/LibraryScheduleAttributes.td"
include "TC/Dialect/TC/IR/TCAttributes.td"

#endif // TC_ALLATTRIBUTES
