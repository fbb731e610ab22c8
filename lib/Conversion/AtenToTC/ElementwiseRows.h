//===- ElementwiseRows.h - rows of the elementwise table --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISEROWS_H
#define TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISEROWS_H

#include "AtenTable.h"

namespace tc::aten {

/// Converts a call whose overload is a row of the elementwise table: casts and
/// broadcasts of its operands, and its op.
llvm::LogicalResult convertRow(AtenCall &call);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISEROWS_H
