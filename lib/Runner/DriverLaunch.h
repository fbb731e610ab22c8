//===- DriverLaunch.h - What the driver's own launch costs ------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DRIVERLAUNCH_H
#define TC_LIB_RUNNER_DRIVERLAUNCH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tc::runner {

/// Seconds of the host for one of `calls` that do not wait for the device: the
/// median of some batches, which are short enough not to fill the queue of the
/// driver; the device is idle before each.
llvm::Expected<double> timeOnHost(llvm::function_ref<llvm::Error()> call);

/// The same for the driver's cuLaunchKernel with a kernel of one argument that
/// does nothing, on the first device: nothing else is between the clock and the
/// driver.
llvm::Expected<double> timeDriverLaunch();

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DRIVERLAUNCH_H
