//===- tc-fuzz.cpp - Random modules through every phase -------------------===//

#include "TC/Compiler/OutputFile.h"
#include "TC/Fuzz/Generator.h"
#include "TC/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace tc;
namespace cl = llvm::cl;

static cl::opt<uint64_t> firstSeed("seed", cl::desc("seed of the first module"),
                                   cl::init(1));
static cl::opt<uint64_t> moduleCount("count", cl::desc("how many modules"),
                                     cl::init(100));
static cl::opt<int64_t> opCount("ops", cl::desc("ops of a module, at most"),
                                cl::init(8));
static cl::list<std::string> only("only", cl::CommaSeparated,
                                  cl::desc("ops to choose from, as tc.add"));
static cl::opt<bool>
    printOnly("print", cl::desc("print the modules instead of checking them"));

/// Prints the smallest module of `seed` that fails, and how to come back to it.
static void report(MLIRContext &context, uint64_t seed,
                   const fuzz::GenerateOptions &options) {
  fuzz::GenerateOptions fewest = fuzz::minimize(&context, seed, options);
  fuzz::SampledFunction function;
  auto module = fuzz::generateModule(&context, seed, fewest, function);
  llvm::outs() << "\nseed " << seed << " fails:\n" << *module << "\n";
  for (const fuzz::Finding &finding : fuzz::checkSeed(&context, seed, fewest))
    llvm::outs() << finding.message << "\n";
  llvm::outs() << "reproduce: tc-fuzz --seed=" << seed
               << " --count=1 --ops=" << fewest.ops;
  for (const std::string &name : fewest.only)
    llvm::outs() << " --only=" << name;
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  checkOutputAtExit("tc-fuzz");
  cl::ParseCommandLineOptions(
      argc, argv,
      "runs random modules through every phase, in the interpreter and as "
      "native code, and compares the results\n");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  fuzz::GenerateOptions options{opCount, {only.begin(), only.end()}};
  uint64_t failures = 0;
  for (uint64_t seed = firstSeed; seed < firstSeed + moduleCount; ++seed) {
    if (printOnly) {
      fuzz::SampledFunction function;
      llvm::outs() << *fuzz::generateModule(&context, seed, options, function)
                   << "\n";
      continue;
    }
    if (fuzz::checkSeed(&context, seed, options).empty())
      continue;
    ++failures;
    report(context, seed, options);
    llvm::outs().flush();
  }
  if (!printOnly)
    llvm::outs() << moduleCount << " modules, " << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
