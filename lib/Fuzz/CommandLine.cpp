//===- CommandLine.cpp - What tc-fuzz does --------------------------------===//

#include "TC/Fuzz/CommandLine.h"

#include "TC/Fuzz/Campaign.h"
#include "TC/Fuzz/SchedulePrograms.h"
#include "TC/Pipelines/Registration.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
namespace cl = llvm::cl;

namespace {
/// Options are made when they are parsed: they are the process's, and other
/// tools of libTCCompiler have theirs.
struct CommandLine {
  cl::opt<uint64_t> firstSeed{"seed", cl::desc("seed of the first module"),
                              cl::init(1)};
  cl::opt<uint64_t> moduleCount{
      "count",
      cl::desc("how many modules, at most (default 100, or no end with "
               "--duration)"),
      cl::init(0)};
  cl::opt<uint64_t> duration{"duration",
                             cl::desc("seconds after which no module is begun"),
                             cl::init(0)};
  cl::opt<unsigned> jobs{"jobs", cl::desc("processes at a time"), cl::init(1)};
  cl::opt<unsigned> timeLimit{"time-limit",
                              cl::desc("seconds that one module may take"),
                              cl::init(300)};
  cl::opt<int64_t> opCount{"ops", cl::desc("ops of a module, at most"),
                           cl::init(8)};
  cl::list<std::string> only{"only", cl::CommaSeparated,
                             cl::desc("ops to choose from, as tc.add")};
  cl::opt<std::string> onlySchedules{
      "only-schedules",
      cl::desc(
          "instead of random modules, random schedules for programs of one "
          "kind: pointwise, row_reduction, column_reduction, transpose, "
          "contraction, attention, scan, scatter, sort or routine")};
  cl::list<std::string> targets{
      "targets", cl::CommaSeparated,
      cl::desc("what code is generated for, one of them for a module: cpu, or "
               "cpu:NAME; without it TC_TARGET of the environment")};
  cl::list<unsigned> threadCounts{
      "thread-counts", cl::CommaSeparated,
      cl::desc("numbers of threads to run every module with")};
  cl::opt<bool> printOnly{
      "print", cl::desc("print the modules instead of checking them")};
};
} // namespace

static void printModules(const CampaignOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (uint64_t i = 0; i < options.count; ++i)
    llvm::outs() << *generateModule(&context, options.firstSeed + i,
                                    options.generate)
                         .module
                 << "\n";
}

/// Whether there are programs of `kind`, or none is asked for; prints an error
/// otherwise.
static bool isKnown(StringRef kind) {
  if (kind.empty() ||
      llvm::any_of(getSchedulePrograms(), [&](const ScheduleProgram &program) {
        return program.kind == kind;
      }))
    return true;
  llvm::SetVector<StringRef> kinds;
  for (const ScheduleProgram &program : getSchedulePrograms())
    kinds.insert(program.kind);
  llvm::errs() << "tc-fuzz: error: --only-schedules=" << kind
               << " is no kind of kernel; expected one of "
               << llvm::join(kinds, ", ") << "\n";
  return false;
}

int tc::fuzz::runTool(int argc, char **argv) {
  CommandLine given;
  cl::ParseCommandLineOptions(
      argc, argv,
      "runs random modules through every phase, in the interpreter and as "
      "native code, and compares the results\n");
  CampaignOptions options;
  options.firstSeed = given.firstSeed;
  options.count = given.moduleCount ? uint64_t(given.moduleCount)
                  : given.duration  ? UINT64_MAX / 2
                                    : 100;
  options.duration = given.duration;
  options.jobs = given.jobs;
  options.timeLimit = given.timeLimit;
  options.generate.ops = given.opCount;
  options.generate.only = {given.only.begin(), given.only.end()};
  options.generate.onlySchedules = given.onlySchedules;
  if (!isKnown(options.generate.onlySchedules))
    return 1;
  if (!given.targets.empty())
    options.generate.targets = {given.targets.begin(), given.targets.end()};
  else if (auto target = llvm::sys::Process::GetEnv("TC_TARGET");
           target && !target->empty())
    options.generate.targets = {*target};
  if (!given.threadCounts.empty())
    options.generate.threads = {given.threadCounts.begin(),
                                given.threadCounts.end()};
  if (given.printOnly) {
    printModules(options);
    return 0;
  }
  CampaignResult result = runCampaign(options);
  llvm::outs() << result.modules << " modules, " << result.failures
               << " failures\n";
  return result.failures == 0 ? 0 : 1;
}
