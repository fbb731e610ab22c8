//===- Support.h - Parts of the runner --------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_SUPPORT_H
#define TC_LIB_RUNNER_SUPPORT_H

#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"
#include "TC/Runtime/Compare.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tc::runner {

/// The inputs that the options ask for. Their number and element types are
/// checked here, their sizes by the function.
llvm::Expected<Tensors> makeInputs(const Entry &entry,
                                   const RunOptions &options);

/// The tolerance of --tolerance; none for an empty text.
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

/// Collects what --print-kernels and --explain print while phases run.
class KernelReport {
public:
  explicit KernelReport(const RunOptions &options) : options(options) {}
  /// Takes the remarks of what is compiled in `context` from now on.
  void collectRemarks(mlir::MLIRContext &context);
  /// Reads the module after a phase.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  void print(llvm::raw_ostream &os) const;

private:
  void addKernels(mlir::ModuleOp module);
  void addMemoryPlan(mlir::ModuleOp module);
  void addGuards(mlir::ModuleOp module);

  const RunOptions &options;
  std::vector<std::vector<std::string>> kernels; ///< rows of the table
  std::vector<std::string> remarks, plan, guards;
};

/// The bytes that a call of a compiled function allocates, and those that the
/// same call would take op by op.
class MemoryReport {
public:
  /// Takes the graph before it is compiled, and the sizes of a call's inputs.
  void setCall(mlir::ModuleOp module, const Entry &entry,
               const Tensors &inputs);
  /// Reads the module after phase generate.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);

  /// Whether arena, results and workspaces are known: not of a module that has
  /// run phase emit.
  bool isKnown() const { return isPlanKnown; }
  /// Of the call's intermediates. Of the versions of a function, the largest.
  int64_t arena() const { return arenaBytes; }
  /// Of its outputs.
  int64_t results() const { return resultBytes; }
  /// Most bytes that one launch's threads take of their stacks for packed
  /// operands and values they keep.
  int64_t workspaces() const { return workspaceBytes; }
  /// Most bytes live, results among them, when the captured graph runs op by
  /// op; nothing for a module that came with kernels made already.
  std::optional<int64_t> opByOpPeak() const { return opByOpBytes; }
  /// The same without the results.
  std::optional<int64_t> opByOpIntermediatePeak() const {
    return opByOpIntermediateBytes;
  }
  /// "arena 12 KB, workspaces 3.4 KB, results 1.0 MB; op by op 4.2 MB,
  /// without results 3.1 MB"
  std::string str() const;

private:
  std::optional<int64_t> getSymbol(llvm::StringRef name) const;
  int64_t evaluate(SizeExpr expr) const;
  int64_t getStackBytes(mlir::func::FuncOp kernel) const;
  void addVersions(mlir::ModuleOp module);
  void addFunction(mlir::ModuleOp module, mlir::func::FuncOp version);

  std::string function;
  llvm::StringMap<int64_t> symbols;
  std::optional<int64_t> opByOpBytes, opByOpIntermediateBytes;
  bool isPlanKnown = false;
  int64_t arenaBytes = 0, resultBytes = 0, workspaceBytes = 0;
};

/// Prints rows, the first of them titles, in columns.
void printTable(llvm::raw_ostream &os,
                llvm::ArrayRef<std::vector<std::string>> rows);

/// Times the kernels of some calls; prints a table or writes a trace, as the
/// options say.
llvm::Error profile(const CompiledModule &compiled, const std::string &function,
                    const RunData &data, const RunOptions &options);

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

/// A line on the terminal that says what is being done, for work that lasts
/// over two seconds. Nothing is written when standard error is no terminal.
class Progress {
public:
  Progress();
  ~Progress();
  void setActivity(const std::string &text);

private:
  void work();
  std::mutex mutex;
  std::condition_variable wake;
  std::string activity;
  bool done = false;
  std::thread thread;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_SUPPORT_H
