//===- KernelProfile.h - Times of kernels -----------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_KERNELPROFILE_H
#define TC_LIB_RUNNER_KERNELPROFILE_H

#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"

namespace tc::runner {

/// Times the kernels of some calls; prints a table or writes a trace, as the
/// options say.
llvm::Error profile(const CompiledModule &compiled, const std::string &function,
                    const RunData &data, const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_KERNELPROFILE_H
