//===- Dispatch.h - Dispatch functions in the C ABI -------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_DISPATCH_H
#define TC_LIB_CONVERSION_TCTOLLVM_DISPATCH_H

#include "HostBuilder.h"
#include "TC/Dialect/TC/IR/Dispatch.h"

namespace tc {

/// Replaces a dispatch by a function of the C ABI that runs the first version
/// whose guards hold. Its versions must have been replaced.
llvm::LogicalResult
emitDispatch(DispatchOp dispatch,
             const llvm::StringMap<int64_t> &parameterNumbers,
             StringTable &strings);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_DISPATCH_H
