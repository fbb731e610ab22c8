//===- Profiler.cpp - Which kernel ran when -------------------------------===//

#include "TC/Runtime/Profiler.h"
#include "Json.h"
#include "TC/Runtime/MappedFile.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <span>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>

using namespace tc::runtime;

Profiler &Profiler::global() {
  static Profiler *profiler = new Profiler();
  return *profiler;
}

uint64_t Profiler::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

void Profiler::end(std::string_view kernel, uint64_t beginTime) {
  if (beginTime == 0)
    return;
  const uint64_t endTime = now();
  const uint64_t thread = uint64_t(syscall(SYS_gettid));
  std::lock_guard lock(mutex);
  auto [entry, isNew] =
      nameNumbers.try_emplace(std::string(kernel), uint32_t(names.size()));
  if (isNew)
    names.emplace_back(kernel);
  records.push_back({entry->second, beginTime, endTime, thread});
}

std::vector<ProfileEvent> Profiler::events() const {
  std::lock_guard lock(mutex);
  std::vector<ProfileEvent> result;
  result.reserve(records.size());
  for (const Record &record : records)
    result.push_back(
        {names[record.name], record.begin, record.end, record.thread});
  return result;
}

std::vector<KernelSummary> Profiler::summary() const {
  std::lock_guard lock(mutex);
  std::vector<KernelSummary> rows(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    rows[i].kernel = names[i];
  for (const Record &record : records) {
    KernelSummary &row = rows[record.name];
    const uint64_t duration = record.end - record.begin;
    row.shortestNanoseconds =
        row.runs ? std::min(row.shortestNanoseconds, duration) : duration;
    row.totalNanoseconds += duration;
    ++row.runs;
  }
  std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return std::tie(b.totalNanoseconds, a.kernel) <
           std::tie(a.totalNanoseconds, b.kernel);
  });
  return rows;
}

void Profiler::clear() {
  std::lock_guard lock(mutex);
  records.clear();
  names.clear();
  nameNumbers.clear();
}

std::string Profiler::chromeTrace() const {
  const auto process = static_cast<long>(getpid());
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const char *separator = "\n";
  for (const ProfileEvent &event : events()) {
    text += separator;
    separator = ",\n";
    text += "{\"name\": ";
    appendJsonString(text, event.kernel);
    // Complete events; times are in microseconds.
    char rest[160];
    std::snprintf(rest, sizeof(rest),
                  ", \"cat\": \"kernel\", \"ph\": \"X\", \"pid\": %ld, "
                  "\"tid\": %llu, \"ts\": %.3f, \"dur\": %.3f}",
                  process, static_cast<unsigned long long>(event.thread),
                  double(event.begin) / 1e3,
                  double(event.end - event.begin) / 1e3);
    text += rest;
  }
  return text += "\n]}\n";
}

Status Profiler::writeChromeTrace(const std::string &path) const {
  const std::string text = chromeTrace();
  const std::span<const char> part(text);
  return writeFile(path, {&part, 1});
}
