//===- HostFunction.h - Host functions in the C ABI -------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_HOSTFUNCTION_H
#define TC_LIB_CONVERSION_TCTOLLVM_HOSTFUNCTION_H

#include "HostBuilder.h"

namespace tc {

/// Replaces a host function by its form in the C ABI. `parameterNumbers` has
/// the index in tc_call::parameters of every parameter of the module.
llvm::LogicalResult
emitHostFunction(mlir::func::FuncOp function,
                 const llvm::StringMap<int64_t> &parameterNumbers,
                 StringTable &strings);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_HOSTFUNCTION_H
