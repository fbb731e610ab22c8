//===- LogRequest.h - What tools log and dump -------------------*- C++ -*-===//
//
// The names and the meaning are those of the Python package: docs/explain.md.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_LOGREQUEST_H
#define TC_RUNNER_LOGREQUEST_H

#include "llvm/Support/Error.h"
#include <bitset>
#include <string>

namespace tc::runner {

/// What can be logged of a program that is compiled, in the order of its names.
enum class Log { Guards, Recompiles, Fusion, Kernels, Phases, Perf };

struct LogRequest {
  std::bitset<6> logs;
  std::string dumpDirectory; ///< empty for no dumps

  bool has(Log log) const { return logs.test(size_t(log)); }
  /// Whether what the phases do has to be looked at.
  bool needsReport() const;
};

/// "kernels".
llvm::StringRef getName(Log log);

/// Reads names with commas between. Fails for another name, with those that
/// there are.
llvm::Expected<std::bitset<6>> parseLogs(llvm::StringRef text);

/// What TC_LOGS and TC_DUMP of the environment ask a tool for; only the reading
/// of its command line calls this.
llvm::Expected<LogRequest> readLogEnvironment();

} // namespace tc::runner

#endif // TC_RUNNER_LOGREQUEST_H
