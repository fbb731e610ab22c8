//===- DeviceMeasurement.h - Times of calls on a GPU ------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DEVICEMEASUREMENT_H
#define TC_LIB_RUNNER_DEVICEMEASUREMENT_H

#include "TC/Runner/Execution.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::runner {

/// Seconds that calls take on the device, between two events of the stream.
struct DeviceTimes {
  /// Each after a kernel that reads memory of four times the second-level
  /// cache, which leaves nothing of the call's data there.
  std::vector<double> cold;
  std::vector<double> warm; ///< each right after the same call
  /// Bytes a second that a kernel reads and writes which negates values, cold.
  double copyRate = 0;
  double host = 0;         ///< of the host for a call that does not wait
  double driverLaunch = 0; ///< of the host for a launch of an empty kernel
};

/// Times `call`, which enqueues one call on the first device's default stream
/// and does not wait; times are sorted.
llvm::Expected<DeviceTimes>
measureOnDevice(llvm::function_ref<llvm::Error()> call,
                const std::string &target, double wantedSeconds);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DEVICEMEASUREMENT_H
