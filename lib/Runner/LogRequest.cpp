//===- LogRequest.cpp - What tools log and dump ---------------------------===//

#include "TC/Runner/LogRequest.h"
#include "TC/Compiler/NearestName.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace tc::runner;
using llvm::StringRef;

static constexpr StringRef kNames[] = {"guards",  "recompiles", "fusion",
                                       "kernels", "phases",     "perf"};

StringRef tc::runner::getName(Log log) { return kNames[size_t(log)]; }

bool LogRequest::needsReport() const {
  return has(Log::Guards) || has(Log::Fusion) || has(Log::Kernels) ||
         has(Log::Perf);
}

llvm::Expected<std::bitset<6>> tc::runner::parseLogs(StringRef text) {
  std::bitset<6> logs;
  llvm::SmallVector<StringRef> wanted;
  text.split(wanted, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : wanted) {
    name = name.trim();
    if (name.empty())
      continue;
    const auto *found = llvm::find(kNames, name);
    if (found == std::end(kNames))
      return llvm::createStringError("there is no log '" + name +
                                     "', expected some of " +
                                     llvm::join(llvm::ArrayRef(kNames), ", ") +
                                     tc::suggestName(name, kNames));
    logs.set(size_t(found - kNames));
  }
  return logs;
}

llvm::Expected<LogRequest> tc::runner::readLogEnvironment() {
  using llvm::sys::Process;
  LogRequest request;
  request.dumpDirectory = Process::GetEnv("TC_DUMP").value_or("");
  auto logs = parseLogs(Process::GetEnv("TC_LOGS").value_or(""));
  if (!logs)
    return llvm::createStringError("the environment variable TC_LOGS: " +
                                   llvm::toString(logs.takeError()));
  request.logs = *logs;
  return request;
}
