//===- KernelProfile.cpp - What --profile and --trace give ----------------===//

#include "KernelProfile.h"
#include "DeviceProfile.h"
#include "KernelReport.h"
#include "TC/Runtime/Profiler.h"

using namespace tc;
using namespace tc::runner;

static std::string fixed(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

/// A row for each kernel, the one that takes longest first. Identical kernels
/// share their code and their row.
static void printSummary(const std::vector<runtime::KernelSummary> &kernels,
                         unsigned calls) {
  double total = 0;
  for (const runtime::KernelSummary &kernel : kernels)
    total += double(kernel.totalNanoseconds);
  std::vector<std::vector<std::string>> rows{
      {"kernel", "launches", "us a call", "share", "shortest us"}};
  for (const runtime::KernelSummary &kernel : kernels) {
    double time = double(kernel.totalNanoseconds);
    rows.push_back({kernel.kernel, std::to_string(kernel.runs / calls),
                    fixed("%.2f", time / 1e3 / calls),
                    fixed("%.1f%%", 100 * time / std::max(total, 1.0)),
                    fixed("%.2f", double(kernel.shortestNanoseconds) / 1e3)});
  }
  printTable(llvm::outs(), rows);
}

static constexpr unsigned kWarmups = 3, kCalls = 20;

/// The same with the times of a device, which events give.
static llvm::Error profileDevice(const CompiledModule &compiled,
                                 const std::string &function,
                                 const RunData &data,
                                 const RunOptions &options) {
  std::optional<DeviceProfile> profile;
  for (unsigned call = 0; call < kWarmups + kCalls; ++call) {
    if (call == kWarmups)
      profile.emplace();
    auto result = callCompiled(compiled, function, data);
    if (!result)
      return result.takeError();
  }
  auto events = profile->events();
  if (!events)
    return events.takeError();
  if (options.profile)
    printSummary(summarize(*events), kCalls);
  return options.trace.empty() ? llvm::Error::success()
                               : writeTrace(*events, options.trace);
}

llvm::Error runner::profile(const CompiledModule &compiled,
                            const std::string &function, const RunData &data,
                            const RunOptions &options) {
  if (data.device == TC_DEVICE_CUDA)
    return profileDevice(compiled, function, data, options);
  runtime::Profiler &profiler = runtime::Profiler::global();
  for (unsigned call = 0; call < kWarmups + kCalls; ++call) {
    if (call == kWarmups) {
      profiler.clear();
      profiler.start();
    }
    auto result = callCompiled(compiled, function, data);
    if (!result)
      return result.takeError();
  }
  profiler.stop();
  if (options.profile)
    printSummary(profiler.summary(), kCalls);
  if (options.trace.empty())
    return llvm::Error::success();
  runtime::Status status = profiler.writeChromeTrace(options.trace);
  return status.ok() ? llvm::Error::success() : toError(status);
}
