//===- Benchmark.cpp - Measuring calls ------------------------------------===//

#include "Benchmark.h"
#include "DeviceMeasurement.h"
#include "TC/Compiler/OutputFile.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/MemoryPool.h"
#include "TC/Runtime/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <sys/resource.h>

using namespace tc;
using namespace tc::runner;
using Clock = std::chrono::steady_clock;

namespace {
struct Measurements {
  std::vector<double> seconds; ///< one a call, sorted
  std::optional<DeviceTimes> onDevice;
  int64_t bytes = 0; ///< of inputs, parameters and results, once each
  double median() const { return seconds[seconds.size() / 2]; }
  double at(double fraction) const {
    return seconds[size_t(fraction * double(seconds.size() - 1))];
  }
};
} // namespace

static double middle(const std::vector<double> &sorted) {
  return sorted[sorted.size() / 2];
}

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Bytes of what a call reads: its inputs and parameters.
static int64_t countBytes(const RunData &data,
                          const runtime::ParameterValues &values) {
  int64_t bytes = 0;
  for (const Tensors *tensors :
       {&data.inputs, &values.parameters, &values.prepared})
    for (const runtime::Tensor &tensor : *tensors)
      bytes += tensor.data() ? int64_t(tensor.byteCount()) : 0;
  return bytes;
}

static llvm::Expected<Measurements> measure(const CompiledModule &compiled,
                                            const std::string &name,
                                            const RunData &data,
                                            const RunOptions &options) {
  const double wantedSeconds = options.benchmarkSeconds;
  const ManifestFunction &function = *compiled.manifest().find(name);
  tc_function code = compiled.function(name);
  auto parameters = toExpected(data.parameters->current());
  if (!parameters)
    return parameters.takeError();
  runtime::CallFrame frame;
  auto enqueue = [&]() -> llvm::Error {
    frame.clear();
    frame.setDevice(data.device, 0);
    frame.setGraphs(data.graphs.get());
    frame.setLaunchBlocking(options.launchBlocking);
    for (const runtime::Tensor &input : data.inputs)
      frame.addInput(input);
    frame.setParameters((*parameters)->addresses);
    frame.setOutputCount(int32_t(function.outputs.size()));
    runtime::Status status = frame.invoke(code);
    return status.ok() ? llvm::Error::success() : toError(status);
  };
  auto callOnce = [&]() -> llvm::Error {
    if (llvm::Error error = enqueue())
      return error;
    if (data.device != TC_DEVICE_CUDA)
      return llvm::Error::success();
    runtime::Status status = runtime::cuda::synchronize(0);
    return status.ok() ? llvm::Error::success() : toError(status);
  };
  // Memory and caches reach their steady state within a few calls.
  Clock::time_point begin = Clock::now();
  for (int call = 0; call < 3 || secondsSince(begin) < wantedSeconds / 10;
       ++call)
    if (llvm::Error error = callOnce())
      return std::move(error);
  Measurements measurements;
  begin = Clock::now();
  while (measurements.seconds.size() < 5 ||
         (secondsSince(begin) < wantedSeconds &&
          measurements.seconds.size() < 1000000)) {
    Clock::time_point callBegin = Clock::now();
    if (llvm::Error error = callOnce())
      return std::move(error);
    measurements.seconds.push_back(secondsSince(callBegin));
  }
  llvm::sort(measurements.seconds);
  measurements.bytes = countBytes(data, **parameters);
  // A check alone is not worth the kernels that device times need.
  if (data.device != TC_DEVICE_CUDA || !options.benchmark)
    return measurements;
  auto onDevice = measureOnDevice(enqueue, data.target, wantedSeconds);
  if (!onDevice)
    return onDevice.takeError();
  measurements.onDevice = std::move(*onDevice);
  return measurements;
}

/// The most memory this process has had, in bytes.
static uint64_t peakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return uint64_t(usage.ru_maxrss) * 1024;
}

static std::string formatSeconds(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 1e-3)
    os << llvm::format("%.2f us", seconds * 1e6);
  else if (seconds < 1)
    os << llvm::format("%.3f ms", seconds * 1e3);
  else
    os << llvm::format("%.3f s", seconds);
  return text;
}

static llvm::json::Value toJSON(const CompiledModule &compiled,
                                const std::string &name,
                                const Measurements &measurements,
                                const RunData &data, const MemoryReport &memory,
                                const FirstResult &first) {
  const runtime::PreparationStatistics preparation =
      data.parameters->statistics();
  const CompileStatistics &statistics = compiled.statistics();
  llvm::json::Object compile;
  for (const PhaseTiming &timing : statistics.timings)
    compile[timing.name] = timing.seconds;
  auto known = [&](int64_t bytes) -> llvm::json::Value {
    return memory.isKnown() ? llvm::json::Value(bytes) : nullptr;
  };
  llvm::json::Array rows;
  auto row = [&](const std::string &aggregate, double seconds) {
    rows.push_back(llvm::json::Object{
        {"name", name + "_" + aggregate},
        {"run_name", name},
        {"run_type", "aggregate"},
        {"aggregate_name", aggregate},
        {"threads", int64_t(runtime::ThreadPool::global().threadCount())},
        {"iterations", int64_t(measurements.seconds.size())},
        {"real_time", seconds * 1e9},
        {"cpu_time", seconds * 1e9},
        {"time_unit", "ns"}});
  };
  row("median", measurements.median());
  row("min", measurements.seconds.front());
  row("p90", measurements.at(0.9));
  llvm::json::Value copyRate = nullptr, driverLaunch = nullptr;
  if (const auto &onDevice = measurements.onDevice) {
    row("device_cold_median", middle(onDevice->cold));
    row("device_cold_min", onDevice->cold.front());
    row("device_warm_median", middle(onDevice->warm));
    row("host_median", onDevice->host);
    copyRate = onDevice->copyRate;
    driverLaunch = onDevice->driverLaunch * 1e9;
  }
  return llvm::json::Object{
      {"context",
       llvm::json::Object{
           {"executable", "tc-run"},
           {"num_cpus", int64_t(runtime::ThreadPool::global().threadCount())},
           {"compile_seconds", std::move(compile)},
           {"compile_seconds_total", statistics.totalSeconds()},
           {"first_result_seconds",
            llvm::json::Object{{"read", first.read},
                               {"compile", first.compile},
                               {"parameters", first.parameters},
                               {"call", first.call}}},
           {"first_result_seconds_total", first.total()},
           {"kernels", statistics.kernels},
           {"launches", statistics.launches},
           {"code_bytes", int64_t(statistics.codeBytes)},
           {"prepare_seconds", preparation.seconds},
           {"prepared_bytes", int64_t(preparation.bytes)},
           {"arena_bytes", known(memory.arena())},
           {"workspace_bytes", known(memory.workspaces())},
           {"result_bytes", known(memory.results())},
           {"compulsory_bytes", known(measurements.bytes)},
           {"operations", data.operations},
           {"device_copy_bytes_per_second", std::move(copyRate)},
           {"driver_launch_ns", std::move(driverLaunch)},
           {"op_by_op_peak_bytes", memory.opByOpPeak()},
           {"op_by_op_intermediate_peak_bytes",
            memory.opByOpIntermediatePeak()},
           {"peak_memory_bytes", int64_t(peakMemory())}}},
      {"benchmarks", std::move(rows)}};
}

/// The device's times, and its rates next to that of a copy.
static void printDevice(llvm::raw_ostream &os, const Measurements &measurements,
                        const RunData &data, const MemoryReport &memory) {
  const DeviceTimes &times = *measurements.onDevice;
  const double cold = middle(times.cold);
  os << "device: cold median " << formatSeconds(cold) << ", min "
     << formatSeconds(times.cold.front()) << ", warm median "
     << formatSeconds(middle(times.warm)) << ", " << times.cold.size()
     << " cold calls\n";
  os << "host: " << formatSeconds(times.host)
     << " for a call that does not wait, "
     << llvm::format("%.2f", times.host / times.driverLaunch)
     << " launches of an empty kernel by the driver ("
     << formatSeconds(times.driverLaunch) << ")\n";
  const double rate = double(measurements.bytes) / cold;
  os << "rate, cold: "
     << llvm::format("%.1f GB/s of %.1f MB read and written, %.3f of a copy "
                     "(%.1f GB/s)",
                     rate / 1e9, double(measurements.bytes) / 1e6,
                     rate / times.copyRate, times.copyRate / 1e9);
  if (!memory.isKnown())
    os << ", results not counted";
  if (data.operations > 0)
    os << llvm::format("; %.3f TFLOP/s", double(data.operations) / cold / 1e12);
  os << "\n";
}

static void printText(const CompiledModule &compiled, const std::string &name,
                      const Measurements &measurements, const RunData &data,
                      const MemoryReport &memory, const FirstResult &first) {
  const runtime::PreparationStatistics preparation =
      data.parameters->statistics();
  llvm::raw_ostream &os = llvm::outs();
  const CompileStatistics &statistics = compiled.statistics();
  double median = measurements.median();
  double spread = (measurements.at(0.9) - measurements.at(0.1)) / median;
  os << name << ": median " << formatSeconds(median) << ", min "
     << formatSeconds(measurements.seconds.front()) << ", spread (10% to 90%) "
     << llvm::format("%.1f%%", spread * 100) << ", "
     << measurements.seconds.size() << " calls, "
     << runtime::ThreadPool::global().threadCount() << " threads\n";
  if (measurements.onDevice)
    printDevice(os, measurements, data, memory);
  os << "compile: " << formatSeconds(statistics.totalSeconds()) << " (";
  llvm::interleaveComma(statistics.timings, os, [&](const PhaseTiming &timing) {
    os << timing.name << " " << formatSeconds(timing.seconds);
  });
  os << "); as long as "
     << llvm::format("%.0f", statistics.totalSeconds() / median) << " calls\n";
  os << "first result: " << formatSeconds(first.total())
     << " after the text (read " << formatSeconds(first.read) << ", compile "
     << formatSeconds(first.compile) << ", parameters "
     << formatSeconds(first.parameters) << ", first call "
     << formatSeconds(first.call) << ")\n";
  os << "kernels: " << statistics.kernels << " for " << statistics.launches
     << " launches, " << statistics.codeBytes << " bytes of code\n";
  if (preparation.runs > 0)
    os << "prepare: " << formatSeconds(preparation.seconds) << " once, "
       << llvm::format("%.1f MB", double(preparation.bytes) / 1e6)
       << " prepared, "
       << llvm::format("%.1f MB", double(preparation.released) / 1e6)
       << " of parameters that no call reads\n";
  os << "memory of a call: " << memory.str() << "\n";
  runtime::MemoryPoolStatistics pool =
      runtime::MemoryPool::global().statistics();
  os << "memory: " << llvm::format("%.1f MB", double(peakMemory()) / 1e6)
     << " at most, of it "
     << llvm::format("%.1f MB", double(pool.bytesPeak) / 1e6)
     << " tensors and arena\n";
}

llvm::Error runner::benchmark(const CompiledModule &compiled,
                              const std::string &function, const RunData &data,
                              const MemoryReport &memory,
                              const FirstResult &first,
                              const RunOptions &options) {
  auto measurements = measure(compiled, function, data, options);
  if (!measurements)
    return measurements.takeError();
  measurements->bytes += memory.isKnown() ? memory.results() : 0;
  llvm::json::Value json =
      toJSON(compiled, function, *measurements, data, memory, first);
  if (options.benchmarkFormat == "json")
    llvm::outs() << llvm::formatv("{0:2}", json) << "\n";
  else
    printText(compiled, function, *measurements, data, memory, first);
  if (options.benchmarkOut.empty())
    return llvm::Error::success();
  return writeFile(options.benchmarkOut, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", json) << "\n";
  });
}
