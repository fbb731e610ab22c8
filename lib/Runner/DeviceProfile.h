//===- DeviceProfile.h - Times of the kernels of a GPU ----------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DEVICEPROFILE_H
#define TC_LIB_RUNNER_DEVICEPROFILE_H

#include "TC/Runner/Execution.h"
#include "TC/Runtime/CUDAMeasurement.h"
#include "TC/Runtime/Profiler.h"
#include <mutex>

namespace tc::runner {

/// Records an event before and after each launch while it exists: a kernel's
/// time is then that of the device, with the start of the kernel.
class DeviceProfile : public runtime::cuda::LaunchObserver {
public:
  DeviceProfile();
  ~DeviceProfile() override;
  void beforeLaunch(const runtime::cuda::LaunchInfo &launch) override;
  void afterLaunch(const runtime::cuda::LaunchInfo &launch) override;

  /// Waits for the device and reads the times. Times of events are those since
  /// the first launch, and their thread is the number of the stream.
  llvm::Expected<std::vector<runtime::ProfileEvent>> events();

private:
  struct Launch {
    std::string kernel;
    void *stream = nullptr;
    runtime::cuda::Event begin, end;
  };
  runtime::Expected<runtime::cuda::Event> makeEvent(void *stream);

  runtime::cuda::LaunchObserver *before;
  std::mutex mutex;
  std::vector<Launch> launches;
  runtime::Status failure = runtime::Status::success();
};

/// One row for each kernel, the largest total first.
std::vector<runtime::KernelSummary>
summarize(const std::vector<runtime::ProfileEvent> &events);

/// Writes events as Chrome trace JSON.
llvm::Error writeTrace(const std::vector<runtime::ProfileEvent> &events,
                       const std::string &path);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DEVICEPROFILE_H
