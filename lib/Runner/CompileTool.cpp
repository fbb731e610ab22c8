//===- CompileTool.cpp - tc-compile ---------------------------------------===//

#include "TC/Runner/CompileTool.h"
#include "HeaderText.h"
#include "ProgramLog.h"
#include "TC/Compiler/CompileArtefact.h"
#include "TC/Compiler/OutputFile.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/ModuleFile.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
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
      "target", cl::CommaSeparated, cl::value_desc("cpu[:NAME]|cuda:CHIP,..."),
      cl::cat(category),
      cl::desc("CPUs and GPUs to have code for; without it this machine's "
               "CPU")};
  cl::opt<std::string> header{
      "header", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("C header to write, with the program's functions")};
  cl::opt<std::string> prepared{
      "prepared", cl::value_desc("FILE"), cl::cat(category),
      cl::desc("file to write what is computed from the weights, which are "
               "where the module says, so that loading need not; for each "
               "target after the first with its number behind the name")};
  cl::opt<std::string> libraries{
      "libraries", cl::value_desc("none|cublaslt,cudnn"), cl::cat(category),
      cl::desc("libraries that code for a GPU may call")};
  cl::opt<std::string> schedules{"schedules", cl::value_desc("FILE"),
                                 cl::cat(category),
                                 cl::desc("module with schedules of kernels")};
  cl::list<std::string> specialize{
      "specialize", cl::value_desc("FUNCTION:SYMBOL=VALUE"), cl::cat(category),
      cl::desc("version of a function to make; as often as there are some")};
};
} // namespace

/// "main(4xf32) -> (4xf32), step(...) for cpu:x86-64"
static std::string describe(const Manifest &manifest,
                            const std::string &target) {
  std::string text;
  for (const ManifestFunction &function : manifest.functions)
    text += (text.empty() ? "" : ", ") + function.signature();
  return text + " for " + target;
}

/// Has what is compiled for each target logged and dumped.
static void addLog(ProgramLog &log, const CommandLine &line, ModuleOp module,
                   CompileOptions &options, ArtefactOutput &output) {
  log.addTo(options.objectCode);
  options.afterPhase = [&log](const PhaseInfo &phase, ModuleOp at) {
    log.afterPhase(phase, at);
  };
  output.beforeTarget = [&log, &line, module](const std::string &target) {
    DumpedSource source{line.file, " --target=" + target, ""};
    if (!line.libraries.empty())
      source.options += " --libraries=" + line.libraries;
    if (!line.schedules.empty())
      source.more += " --schedules=" + line.schedules;
    for (const std::string &version : line.specialize)
      source.more += " --specialize=" + version;
    return log.begin(source, module);
  };
  output.afterTarget = [&log](const std::string &target,
                              const CompiledModule &compiled) {
    return log.finish(describe(compiled.manifest(), target),
                      compiled.statistics().timings, &compiled,
                      CUDATarget::isCUDA(target));
  };
}

static llvm::Error writeArtefact(const CommandLine &line) {
  auto request = readLogEnvironment();
  if (!request)
    return request.takeError();
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
  options.libraries = line.libraries;
  options.specialize.assign(line.specialize.begin(), line.specialize.end());
  std::vector<std::string> targets(line.targets.begin(), line.targets.end());
  if (targets.empty())
    targets.push_back("cpu");
  ArtefactOutput output{line.output, line.prepared,
                        llvm::sys::path::parent_path(line.file).str()};
  ProgramLog log(*request, context);
  addLog(log, line, **module, options, output);
  auto manifest = compileArtefact(**module, targets, options, output);
  if (!manifest)
    return manifest.takeError();
  if (line.header.empty())
    return llvm::Error::success();
  return writeFile(line.header, [&](llvm::raw_ostream &os) {
    os << makeHeader(*manifest, llvm::sys::path::stem(line.output));
  });
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
