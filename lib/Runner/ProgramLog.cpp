//===- ProgramLog.cpp - What tools log of a program -----------------------===//

#include "ProgramLog.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;
namespace json = llvm::json;

llvm::Error ProgramLog::begin(const DumpedSource &source, ModuleOp module) {
  report.reset(); // one at a time
  if (request.needsReport()) {
    report = std::make_unique<ProgramReport>(context, takeRemark);
    report->addSource(module);
  }
  dump.reset();
  if (request.dumpDirectory.empty())
    return llvm::Error::success();
  auto made = Dump::start(request.dumpDirectory);
  if (!made)
    return made.takeError();
  dump.emplace(std::move(*made));
  return dump->addSource(source, module);
}

void ProgramLog::afterPhase(const PhaseInfo &phase, ModuleOp module) {
  if (report)
    report->afterPhase(phase, module);
  if (dump && dumpError.empty())
    if (llvm::Error error = dump->addPhase(phase, module))
      dumpError = llvm::toString(std::move(error));
}

void ProgramLog::addTo(ObjectCodeOptions &options) const {
  if (request.dumpDirectory.empty())
    return;
  options.keepLLVMIR = true;
  options.keepAssembly = true;
}

void ProgramLog::write(Log log, const std::string &title,
                       ArrayRef<std::string> lines) const {
  if (!request.has(log))
    return;
  std::string text = ("[tc." + getName(log) + "] " + title + "\n").str();
  for (const std::string &line : lines)
    text += "  " + line + "\n";
  llvm::errs() << text;
}

/// A field of a report's entry as text.
static std::string get(const json::Value &entry, StringRef field) {
  const json::Object &object = *entry.getAsObject();
  if (std::optional<StringRef> text = object.getString(field))
    return text->str();
  return std::to_string(object.getInteger(field).value_or(0));
}

static std::string inMilliseconds(double seconds, const char *format) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(format, seconds * 1e3) << " ms";
  return text;
}

void ProgramLog::writePerformance(const std::string &title,
                                  ArrayRef<PhaseTiming> timings,
                                  const json::Object &all) const {
  double seconds = 0;
  for (const PhaseTiming &timing : timings)
    seconds += timing.seconds;
  const json::Array &kernels = *all.getArray("kernels");
  std::vector<std::string> lines{"compiled in " +
                                 inMilliseconds(seconds, "%.1f") + " to " +
                                 std::to_string(kernels.size()) + " kernels"};
  for (const json::Value &graph : *all.getArray("graphs"))
    lines.push_back("'" + get(graph, "function") + "' reads " +
                    get(graph, "bytes_read") + " bytes and writes " +
                    get(graph, "bytes_written") + " in " + get(graph, "calls") +
                    " calls; its kernels:");
  for (const json::Value &kernel : kernels)
    lines.push_back("  " + get(kernel, "name") + ": reads " +
                    get(kernel, "bytes_read") + " bytes, writes " +
                    get(kernel, "bytes_written") + ", " +
                    get(kernel, "operations") + " operations");
  write(Log::Perf, title, lines);
}

llvm::Error ProgramLog::finish(const std::string &title,
                               ArrayRef<PhaseTiming> timings,
                               const CompiledModule *compiled, bool isForGPU) {
  std::vector<std::string> fusion, kernels, guards, phases;
  for (const PhaseTiming &timing : timings)
    phases.push_back(timing.name + ": " +
                     inMilliseconds(timing.seconds, "%.2f"));
  if (report) {
    const json::Object all = report->object();
    for (const json::Value &kernel : *all.getArray("kernels"))
      kernels.push_back(StringRef(get(kernel, "name") + ": " +
                                  get(kernel, "class") + " " +
                                  get(kernel, "schedule"))
                            .rtrim()
                            .str());
    for (const json::Value &remark : *all.getArray("remarks"))
      if (StringRef(get(remark, "pass")).starts_with("tc-fuse") &&
          (get(remark, "kind") == "passed" || get(remark, "kind") == "missed"))
        fusion.push_back(get(remark, "text") + " (" + get(remark, "file") +
                         ":" + get(remark, "line") + ")");
    for (const json::Value &guard : *all.getArray("guards"))
      guards.push_back(guard.getAsString()->str());
    write(Log::Kernels, title, kernels);
    write(Log::Fusion, title, fusion);
    write(Log::Guards, title, guards);
    writePerformance(title, timings, all);
  }
  write(Log::Phases, title, phases);
  if (dump && compiled && dumpError.empty())
    if (llvm::Error error = dump->addCode(*compiled, isForGPU))
      return error;
  return dumpError.empty() ? llvm::Error::success()
                           : llvm::createStringError(dumpError);
}
