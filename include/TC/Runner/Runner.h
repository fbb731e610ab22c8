//===- Runner.h - Compiling and running a file ------------------*- C++ -*-===//
//
// The work of tc-run as a library.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_RUNNER_H
#define TC_RUNNER_RUNNER_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runner/LogRequest.h"
#include <optional>
#include <string>
#include <vector>

namespace tc::runner {

/// The request: a file and what to do with it. Fields are named as the options.
struct RunOptions {
  /// MLIR text or bytecode, .pt2 or .tca; "-" for standard input.
  std::string file;
  std::string function; ///< empty: the module's only public function, or main
  std::string device = "cpu"; ///< cpu, cuda or reference
  std::string target = "cpu";
  std::string mode = "default"; ///< see parseMode
  bool launchBlocking = false;  ///< of calls that are measured
  std::string libraries;        ///< see CompileOptions
  std::vector<std::string> inputs, outputs, expectedOutputs;
  std::vector<std::string> parameters;  ///< [SCOPE=]FILE
  std::vector<std::string> sizes;       ///< SYMBOL=VALUE, for random inputs
  std::optional<uint64_t> randomInputs; ///< seed
  std::string tolerance;                ///< RELATIVE[,ABSOLUTE]
  unsigned threads = 0;
  std::string schedules;               ///< a file
  std::vector<std::string> specialize; ///< FUNCTION:SYMBOL=VALUE
  std::string compileTo;
  std::string dumpPhases;
  bool printKernels = false, explain = false, printMutations = false;
  bool check = false, printTimings = false;
  bool benchmark = false;
  std::string benchmarkFormat = "text";
  std::string benchmarkOut;
  double benchmarkSeconds = 1.0;
  bool profile = false;
  std::string trace; ///< a file
  bool timesKernels() const { return profile || !trace.empty(); }
  bool listDevices = false;
  bool printLLVM = false, printAssembly = false;
  /// Whether the request needs a call of the function.
  bool needsCall() const {
    return explain || check || benchmark || timesKernels() || printTimings ||
           printMutations || !outputs.empty() || !expectedOutputs.empty();
  }
  std::string objectFiles; ///< a directory
  LogRequest log;          ///< of the environment
  /// Whether the code is looked at instead of run.
  bool showsCode() const {
    return printLLVM || printAssembly || !objectFiles.empty();
  }
};

/// Reads tc-run's command line. Prints help, or what is wrong, and ends the
/// process as LLVM's tools do.
RunOptions parseCommandLine(int argc, char **argv);

/// Does what the options ask. Results go to standard output, a failure's
/// message to standard error. Returns the exit status.
int run(const RunOptions &options);

} // namespace tc::runner

#endif // TC_RUNNER_RUNNER_H
