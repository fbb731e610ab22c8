//===- Benchmark.h - Times of calls -----------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_BENCHMARK_H
#define TC_LIB_RUNNER_BENCHMARK_H

#include "MemoryReport.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"
#include <chrono>

namespace tc::runner {

/// The time from a module's text to its first result, in seconds. Making up
/// inputs, and the process's own start before it reads the text, are not
/// counted.
struct FirstResult {
  double read = 0;       ///< text or archive to a module
  double compile = 0;    ///< module to code that can be called
  double parameters = 0; ///< mapping weights, and preparing values from them
  double call = 0;       ///< the first call
  double total() const { return read + compile + parameters + call; }
};

/// Adds the time between its birth and its death to a sum of seconds.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds)
      : seconds(seconds), begin(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
  }

private:
  double &seconds;
  std::chrono::steady_clock::time_point begin;
};

/// Measures calls and prints or writes what was asked for.
llvm::Error benchmark(const CompiledModule &compiled,
                      const std::string &function, const RunData &data,
                      const MemoryReport &memory, const FirstResult &first,
                      const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_BENCHMARK_H
