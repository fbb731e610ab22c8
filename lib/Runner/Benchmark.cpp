//===- Benchmark.cpp - Measuring calls ------------------------------------===//

#include "Benchmark.h"
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
  double median() const { return seconds[seconds.size() / 2]; }
  double at(double fraction) const {
    return seconds[size_t(fraction * double(seconds.size() - 1))];
  }
};
} // namespace

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

static llvm::Expected<Measurements> measure(const CompiledModule &compiled,
                                            const std::string &name,
                                            const RunData &data,
                                            double wantedSeconds) {
  const ManifestFunction &function = *compiled.manifest().find(name);
  tc_function code = compiled.function(name);
  auto parameters = toExpected(data.parameters->current());
  if (!parameters)
    return parameters.takeError();
  runtime::CallFrame frame;
  auto callOnce = [&]() -> llvm::Error {
    frame.clear();
    frame.setDevice(data.device, 0);
    for (const runtime::Tensor &input : data.inputs)
      frame.addInput(input);
    frame.setParameters((*parameters)->addresses);
    frame.setOutputCount(int32_t(function.outputs.size()));
    runtime::Status status = frame.invoke(code);
    if (status.ok() && data.device == TC_DEVICE_CUDA)
      status = runtime::cuda::synchronize(0);
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

static llvm::json::Value
toJSON(const CompiledModule &compiled, const std::string &name,
       const Measurements &measurements,
       const runtime::PreparationStatistics &preparation,
       const MemoryReport &memory, const FirstResult &first) {
  const CompileStatistics &statistics = compiled.statistics();
  llvm::json::Object compile;
  for (const PhaseTiming &timing : statistics.timings)
    compile[timing.name] = timing.seconds;
  auto known = [&](int64_t bytes) -> llvm::json::Value {
    return memory.isKnown() ? llvm::json::Value(bytes) : nullptr;
  };
  auto row = [&](const std::string &aggregate, double seconds) {
    return llvm::json::Object{
        {"name", name + "_" + aggregate},
        {"run_name", name},
        {"run_type", "aggregate"},
        {"aggregate_name", aggregate},
        {"threads", int64_t(runtime::ThreadPool::global().threadCount())},
        {"iterations", int64_t(measurements.seconds.size())},
        {"real_time", seconds * 1e9},
        {"cpu_time", seconds * 1e9},
        {"time_unit", "ns"}};
  };
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
           {"op_by_op_peak_bytes", memory.opByOpPeak()},
           {"op_by_op_intermediate_peak_bytes",
            memory.opByOpIntermediatePeak()},
           {"peak_memory_bytes", int64_t(peakMemory())}}},
      {"benchmarks", llvm::json::Array{row("median", measurements.median()),
                                       row("min", measurements.seconds.front()),
                                       row("p90", measurements.at(0.9))}}};
}

static void printText(const CompiledModule &compiled, const std::string &name,
                      const Measurements &measurements,
                      const runtime::PreparationStatistics &preparation,
                      const MemoryReport &memory, const FirstResult &first) {
  llvm::raw_ostream &os = llvm::outs();
  const CompileStatistics &statistics = compiled.statistics();
  double median = measurements.median();
  double spread = (measurements.at(0.9) - measurements.at(0.1)) / median;
  os << name << ": median " << formatSeconds(median) << ", min "
     << formatSeconds(measurements.seconds.front()) << ", spread (10% to 90%) "
     << llvm::format("%.1f%%", spread * 100) << ", "
     << measurements.seconds.size() << " calls, "
     << runtime::ThreadPool::global().threadCount() << " threads\n";
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
  auto measurements =
      measure(compiled, function, data, options.benchmarkSeconds);
  if (!measurements)
    return measurements.takeError();
  runtime::PreparationStatistics preparation = data.parameters->statistics();
  llvm::json::Value json =
      toJSON(compiled, function, *measurements, preparation, memory, first);
  if (options.benchmarkFormat == "json")
    llvm::outs() << llvm::formatv("{0:2}", json) << "\n";
  else
    printText(compiled, function, *measurements, preparation, memory, first);
  if (options.benchmarkOut.empty())
    return llvm::Error::success();
  return writeFile(options.benchmarkOut, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", json) << "\n";
  });
}
