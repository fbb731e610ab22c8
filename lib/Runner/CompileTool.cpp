//===- CompileTool.cpp - tc-compile ---------------------------------------===//

#include "TC/Runner/CompileTool.h"
#include "TC/Compiler/CompileArtefact.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/ModuleFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;
namespace cl = llvm::cl;

namespace {
/// Options are made when they are parsed, as those of other tools are.
struct CommandLine {
  cl::OptionCategory category{"tc-compile options"};
  cl::opt<std::string> file{
      cl::Positional, cl::Required, cl::cat(category),
      cl::desc("<MLIR text or bytecode, or .pt2; - for standard input>")};
  cl::opt<std::string> output{"o", cl::value_desc("FILE"), cl::Required,
                              cl::cat(category),
                              cl::desc("artefact to write: m.tca")};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::value_desc("cpu[:NAME],..."),
      cl::cat(category),
      cl::desc("CPUs to have code for; without it this machine's")};
  cl::opt<std::string> schedules{"schedules", cl::value_desc("FILE"),
                                 cl::cat(category),
                                 cl::desc("module with schedules of kernels")};
  cl::list<std::string> specialize{
      "specialize", cl::value_desc("FUNCTION:SYMBOL=VALUE"), cl::cat(category),
      cl::desc("version of a function to make; as often as there are some")};
};
} // namespace

static llvm::Error writeArtefact(const CommandLine &line) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = readModuleFile(line.file, sources, context);
  if (!module)
    return module.takeError();
  CompileOptions options;
  options.schedules = line.schedules;
  options.specialize = line.specialize;
  std::vector<std::string> targets = line.targets;
  if (targets.empty())
    targets.push_back("cpu");
  return compileArtefact(**module, targets, options, line.output);
}

int runner::runCompileTool(int argc, char **argv) {
  cl::ResetCommandLineParser(); // of options that LLVM's libraries register
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a tensor program to an artefact that the runtime "
      "alone loads and runs.\n");
  llvm::Error error = writeArtefact(line);
  if (!error)
    return 0;
  llvm::WithColor::error(llvm::errs(), "tc-compile")
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}
