//===- Support.h - Parts of the runner --------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_SUPPORT_H
#define TC_LIB_RUNNER_SUPPORT_H

#include "MemoryReport.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"
#include "TC/Runtime/Compare.h"
#include <chrono>

namespace tc::runner {

/// The inputs that the options ask for. Their number and element types are
/// checked here, their sizes by the function.
llvm::Expected<Tensors> makeInputs(const Entry &entry,
                                   const RunOptions &options);

/// The tolerance that --tolerance asks for; none for an empty text.
llvm::Expected<std::optional<runtime::Tolerance>>
parseTolerance(const std::string &text);

/// Writes and compares outputs as the options say. False when one differs from
/// what was expected; that has been printed.
llvm::Expected<bool> handleOutputs(const RunResult &result,
                                   const RunOptions &options);

/// Writes each object to `directory`/NAME.o, where NAME is its first function;
/// nothing where the directory is empty.
llvm::Error writeObjectFiles(llvm::ArrayRef<ObjectCode> objects,
                             llvm::StringRef directory);

/// Interprets the function that a run was of.
using Interpret =
    llvm::function_ref<llvm::Expected<RunResult>(reference::Precision)>;

/// Compares a run with the interpreter's and prints the largest differences.
/// An output is close when it is within its type's tolerance, or as near to
/// the result in f64 as sums in f32 are: its root mean square error is at most
/// 1.1 times theirs and 0.1 units in the last place. False when one is not.
llvm::Expected<bool> compareWithReference(const RunResult &actual,
                                          Interpret interpret,
                                          const RunOptions &options);

/// Prints rows, the first of them titles, in columns.
void printTable(llvm::raw_ostream &os,
                llvm::ArrayRef<std::vector<std::string>> rows);

/// Times the kernels of some calls; prints a table or writes a trace, as the
/// options say.
llvm::Error profile(const CompiledModule &compiled, const std::string &function,
                    const RunData &data, const RunOptions &options);

/// What lies between a module's text and its first result, in seconds. Making
/// up inputs and what the process does once, before it reads, are no part of
/// it.
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

#endif // TC_LIB_RUNNER_SUPPORT_H
