//===- AttributeParser.td - Every attribute of the dialect -----*- tablegen -*-===//
//
// What the parser of the dialect knows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ATTRIBUTEPARSER
#define TC_ATTRIBUTEPARSER

include "TC/Dialect/TC/IR/LibraryScheduleAttributes.td"
include "TC/Dialect/TC/IR/TCAttributes.td"

#endif // TC_ATTRIBUTEPARSER
