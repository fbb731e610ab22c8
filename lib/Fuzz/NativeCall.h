//===- NativeCall.h - Calls of compiled functions ---------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_NATIVECALL_H
#define TC_LIB_FUZZ_NATIVECALL_H

#include "TC/Compiler/Compiler.h"
#include "TC/Fuzz/Check.h"
#include "TC/Runtime/Status.h"
#include "TC/Runtime/Tensor.h"

namespace tc::fuzz {

/// Calls `name` of a compiled module with inputs, outputs and the arena in
/// guarded memory and checks that the inputs are unchanged. `seed` chooses the
/// ends that are guarded and, with options.strides, the strides of the inputs.
/// Returns the results, or the error of the call.
runtime::Expected<std::vector<runtime::Tensor>>
callGuarded(const CompiledModule &compiled, const std::string &name,
            const SampledInputs &inputs, uint64_t seed,
            const CheckOptions &options);

/// The same elements for the interpreter.
reference::Tensor toReference(const runtime::Tensor &tensor, mlir::Type element,
                              mlir::MLIRContext *context);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_NATIVECALL_H
