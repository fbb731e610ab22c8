//===- Promotion.h - common types, converted numbers ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H
#define TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H

#include "AtenCall.h"

namespace tc::aten {

/// PyTorch's common type of two element types.
mlir::Type promoteTypes(mlir::Type a, mlir::Type b);

/// The number as an attribute of an element type, converted as PyTorch does.
mlir::TypedAttr convertNumber(mlir::Attribute number, mlir::Type element);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H
