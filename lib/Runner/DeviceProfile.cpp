//===- DeviceProfile.cpp - Times of the kernels of a GPU ------------------===//

#include "DeviceProfile.h"
#include "TC/Compiler/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace tc;
using namespace tc::runner;
using runtime::KernelSummary;
using runtime::ProfileEvent;
using runtime::Status;
using runtime::cuda::Event;
using runtime::cuda::LaunchInfo;

DeviceProfile::DeviceProfile()
    : before(runtime::cuda::setLaunchObserver(this)) {}

DeviceProfile::~DeviceProfile() { runtime::cuda::setLaunchObserver(before); }

runtime::Expected<Event> DeviceProfile::makeEvent(void *stream) {
  runtime::Expected<Event> event = Event::create(0);
  if (event.ok())
    if (Status status = event->record(stream); !status.ok())
      return status;
  return event;
}

void DeviceProfile::beforeLaunch(const LaunchInfo &launch) {
  std::lock_guard lock(mutex);
  auto event = makeEvent(launch.stream);
  if (!event.ok()) {
    failure = event.takeStatus();
    return;
  }
  launches.push_back(
      {launch.kernel, launch.stream, std::move(*event), Event()});
}

void DeviceProfile::afterLaunch(const LaunchInfo &launch) {
  std::lock_guard lock(mutex);
  if (!failure.ok())
    return;
  auto event = makeEvent(launch.stream);
  if (event.ok())
    launches.back().end = std::move(*event);
  else
    failure = event.takeStatus();
}

llvm::Expected<std::vector<ProfileEvent>> DeviceProfile::events() {
  std::lock_guard lock(mutex);
  if (!failure.ok())
    return toError(failure);
  std::map<void *, uint64_t> streams;
  std::vector<ProfileEvent> result;
  for (const Launch &launch : launches) {
    if (Status status = launch.end.synchronize(); !status.ok())
      return toError(status);
    auto begin = toExpected(launch.begin.secondsSince(launches.front().begin));
    if (!begin)
      return begin.takeError();
    auto length = toExpected(launch.end.secondsSince(launch.begin));
    if (!length)
      return length.takeError();
    const uint64_t stream =
        streams.try_emplace(launch.stream, streams.size()).first->second;
    const auto start = uint64_t(*begin * 1e9);
    result.push_back(
        {launch.kernel, start, start + uint64_t(*length * 1e9), stream});
  }
  return result;
}

std::vector<KernelSummary>
runner::summarize(const std::vector<ProfileEvent> &events) {
  llvm::StringMap<KernelSummary> rows;
  for (const ProfileEvent &event : events) {
    KernelSummary &row = rows[event.kernel];
    const uint64_t duration = event.end - event.begin;
    row.kernel = event.kernel;
    row.shortestNanoseconds =
        row.runs ? std::min(row.shortestNanoseconds, duration) : duration;
    row.totalNanoseconds += duration;
    ++row.runs;
  }
  std::vector<KernelSummary> result;
  for (const auto &row : rows)
    result.push_back(row.second);
  llvm::sort(result, [](const KernelSummary &a, const KernelSummary &b) {
    return std::tie(b.totalNanoseconds, a.kernel) <
           std::tie(a.totalNanoseconds, b.kernel);
  });
  return result;
}

llvm::Error runner::writeTrace(const std::vector<ProfileEvent> &events,
                               const std::string &path) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    llvm::json::OStream json(os);
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeArray("traceEvents", [&] {
        // Complete events; times are in microseconds.
        for (const ProfileEvent &event : events) {
          os << "\n";
          json.value(llvm::json::Object{
              {"name", event.kernel},
              {"cat", "kernel"},
              {"ph", "X"},
              {"pid", 0},
              {"tid", "stream " + std::to_string(event.thread)},
              {"ts", double(event.begin) / 1e3},
              {"dur", double(event.end - event.begin) / 1e3}});
        }
      });
    });
    os << "\n";
  });
}
