//===- Tools.cpp - The command-line tools as functions --------------------===//

#include "tc-c/Tools.h"
#include "TC/Compiler/OutputFile.h"
#include "TC/Conversion/AtenToTC/AtenToTC.h"
#include "TC/Frontend/Text/ModuleText.h"
#include "TC/Fuzz/CommandLine.h"
#include "TC/Pipelines/Phases.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/CompileTool.h"
#include "TC/Runner/Runner.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "tc-opt")
      << llvm::toString(std::move(error)) << "\n";
  return EXIT_FAILURE;
}

static int printAtenOverloads() {
  llvm::Error error = tc::printAtenOverloads(llvm::outs());
  return error ? fail(std::move(error)) : EXIT_SUCCESS;
}

/// Prints the table that an option asks for; tables print without an input.
/// The exit status, or nothing for other options.
static std::optional<int> printTable(llvm::StringRef option) {
  if (option == "--list-phases")
    for (const tc::PhaseInfo &info : tc::getPhases())
      llvm::outs() << info.name() << ": " << info.description << "\n";
  else if (option == "--list-aten-overloads")
    return printAtenOverloads();
  else
    return std::nullopt;
  return EXIT_SUCCESS;
}

/// The work of mlir-opt on its input, with checks of the input and of the
/// output.
static int runOpt(llvm::StringRef inputName, llvm::StringRef outputName,
                  DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(inputName);
  if (!file)
    return fail(llvm::createStringError("cannot read '" + inputName +
                                        "': " + file.getError().message()));
  auto input = tc::checkModuleText(std::move(*file));
  if (!input)
    return fail(llvm::createStringError("'" + inputName + "' " +
                                        llvm::toString(input.takeError())));
  std::string output;
  llvm::raw_string_ostream os(output);
  LogicalResult result = MlirOptMain(os, std::move(*input), registry, config);
  if (tc::isBytecode(output))
    output = tc::sealBytecode(output);
  // A failed run may have printed something; a file is made by success alone.
  if (succeeded(result) || outputName == "-")
    if (llvm::Error error = tc::writeFile(
            outputName, [&](llvm::raw_ostream &to) { to << output; }))
      return fail(std::move(error));
  return asMainReturnCode(result);
}

int tc_tool_opt(int argc, char **argv) {
  tc::checkOutputAtExit("tc-opt");
  for (int i = 1; i < argc; ++i)
    if (std::optional<int> status = printTable(argv[i]))
      return *status;
  // For --help; printTable has acted on them.
  llvm::cl::opt<bool> listPhases(
      "list-phases", llvm::cl::desc("print the table of phases and exit"));
  llvm::cl::opt<bool> listAtenOverloads(
      "list-aten-overloads",
      llvm::cl::desc("print the ATen overloads that are converted and exit"));
  DialectRegistry registry;
  tc::registerDialects(registry);
  std::string target = llvm::sys::Process::GetEnv("TC_TARGET").value_or("");
  tc::registerPasses(target.empty() ? "cpu" : target);
  llvm::InitLLVM init(argc, argv);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "TC module optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // These need no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return runOpt(input, output, registry);
}

int tc_tool_run(int argc, char **argv) {
  tc::checkOutputAtExit("tc-run");
  return tc::runner::run(tc::runner::parseCommandLine(argc, argv));
}

int tc_tool_compile(int argc, char **argv) {
  tc::checkOutputAtExit("tc-compile");
  return tc::runner::runCompileTool(argc, argv);
}

int tc_tool_fuzz(int argc, char **argv) {
  tc::checkOutputAtExit("tc-fuzz");
  return tc::fuzz::runTool(argc, argv);
}

int tc_tool_lsp_server(int argc, char **argv) {
  tc::checkOutputAtExit("tc-lsp-server");
  DialectRegistry registry;
  tc::registerDialects(registry);
  return failed(MlirLspServerMain(argc, argv, registry));
}
