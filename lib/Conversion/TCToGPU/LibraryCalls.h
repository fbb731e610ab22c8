//===- LibraryCalls.h - Kernels become calls of libraries -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_LIBRARYCALLS_H
#define TC_LIB_CONVERSION_TCTOGPU_LIBRARYCALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace tc {

/// Puts a `tc.library_call` in the place of every kernel that has a
/// #tc.library_schedule. Fails, with a diagnostic, where one does not fit its
/// schedule.
mlir::LogicalResult replaceByLibraryCalls(mlir::ModuleOp module);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_LIBRARYCALLS_H
