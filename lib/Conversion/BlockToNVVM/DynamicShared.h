//===- DynamicShared.h - Shared memory whose size a launch says -*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_BLOCKTONVVM_DYNAMICSHARED_H
#define TC_LIB_CONVERSION_BLOCKTONVVM_DYNAMICSHARED_H

#include "Patterns.h"

namespace tc::block {

/// The address (i32) of the block's dynamic shared memory, a global of the
/// module of `op`, which is made where it is missing.
mlir::Value getDynamicShared(Instructions &code, mlir::Operation *op);

} // namespace tc::block

#endif // TC_LIB_CONVERSION_BLOCKTONVVM_DYNAMICSHARED_H
