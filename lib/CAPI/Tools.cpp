//===- Tools.cpp - The command-line tools as functions --------------------===//

#include "tc-c/Tools.h"
#include "TC/Conversion/AtenToTC/Overloads.h"
#include "TC/Fuzz/Campaign.h"
#include "TC/Pipelines/Phases.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runner/Runner.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static int printAtenOverloads() {
  llvm::Error error = tc::printAtenOverloads(llvm::outs());
  if (!error)
    return EXIT_SUCCESS;
  llvm::WithColor::error(llvm::errs(), "tc-opt")
      << llvm::toString(std::move(error)) << "\n";
  return EXIT_FAILURE;
}

/// Prints the table that an option asks for; tables print without an input.
/// The exit status, or nothing for other options.
static std::optional<int> printTable(llvm::StringRef option) {
  if (option == "--list-phases")
    for (const tc::PhaseInfo &info : tc::getPhases())
      llvm::outs() << info.name << ": " << info.description << "\n";
  else if (option == "--list-aten-overloads")
    return printAtenOverloads();
  else
    return std::nullopt;
  return EXIT_SUCCESS;
}

int tc_tool_opt(int argc, char **argv) {
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
  tc::registerPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "TC module optimizer driver\n", registry));
}

int tc_tool_run(int argc, char **argv) {
  return tc::runner::run(tc::runner::parseCommandLine(argc, argv));
}

int tc_tool_fuzz(int argc, char **argv) {
  return tc::fuzz::runTool(argc, argv);
}

int tc_tool_lsp_server(int argc, char **argv) {
  DialectRegistry registry;
  tc::registerDialects(registry);
  return failed(MlirLspServerMain(argc, argv, registry));
}
