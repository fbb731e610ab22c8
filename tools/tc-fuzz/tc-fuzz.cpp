//===- tc-fuzz.cpp - Random modules through every phase -------------------===//

#include "TC/Fuzz/Campaign.h"
#include "TC/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace tc;
namespace cl = llvm::cl;

static cl::opt<uint64_t> firstSeed("seed", cl::desc("seed of the first module"),
                                   cl::init(1));
static cl::opt<uint64_t>
    moduleCount("count",
                cl::desc("how many modules, at most (default 100, or no end "
                         "with --duration)"),
                cl::init(0));
static cl::opt<uint64_t>
    duration("duration", cl::desc("seconds after which no module is begun"),
             cl::init(0));
static cl::opt<unsigned> jobs("jobs", cl::desc("processes at a time"),
                              cl::init(1));
static cl::opt<unsigned>
    timeLimit("time-limit", cl::desc("seconds that one module may take"),
              cl::init(300));
static cl::opt<int64_t> opCount("ops", cl::desc("ops of a module, at most"),
                                cl::init(8));
static cl::list<std::string> only("only", cl::CommaSeparated,
                                  cl::desc("ops to choose from, as tc.add"));
static cl::list<std::string>
    targets("targets", cl::CommaSeparated,
            cl::desc("what code is generated for, one of them for a module: "
                     "cpu, or cpu:NAME"));
static cl::list<unsigned>
    threads("thread-counts", cl::CommaSeparated,
            cl::desc("numbers of threads to run every module with"));
static cl::opt<bool>
    printOnly("print", cl::desc("print the modules instead of checking them"));

static void printModules(const fuzz::CampaignOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (uint64_t i = 0; i < options.count; ++i)
    llvm::outs() << *fuzz::generateModule(&context, options.firstSeed + i,
                                          options.generate)
                         .module
                 << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(
      argc, argv,
      "runs random modules through every phase, in the interpreter and as "
      "native code, and compares the results\n");
  fuzz::CampaignOptions options;
  options.firstSeed = firstSeed;
  options.count = moduleCount ? moduleCount : duration ? UINT64_MAX / 2 : 100;
  options.duration = duration;
  options.jobs = jobs;
  options.timeLimit = timeLimit;
  options.generate.ops = opCount;
  options.generate.only = {only.begin(), only.end()};
  if (!targets.empty())
    options.generate.targets = {targets.begin(), targets.end()};
  if (!threads.empty())
    options.generate.threads = {threads.begin(), threads.end()};
  if (printOnly) {
    printModules(options);
    return 0;
  }
  fuzz::CampaignResult result = fuzz::runCampaign(options);
  llvm::outs() << result.modules << " modules, " << result.failures
               << " failures\n";
  return result.failures == 0 ? 0 : 1;
}
