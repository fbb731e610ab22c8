//===- RunTarget.h - What code is run, and where ----------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_RUNTARGET_H
#define TC_LIB_RUNNER_RUNTARGET_H

#include "TC/Runner/Runner.h"

namespace tc::runner {

/// The target of the code: --target, or the GPU at hand when it only says
/// "cpu" and the code is to run there.
std::string getTarget(const RunOptions &options);

/// Whether code for the target can run on the device.
llvm::Error checkDevice(const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_RUNTARGET_H
