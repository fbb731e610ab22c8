//===- tc-opt.cpp - Run passes and phases on a module ---------------------===//

#include "TC/Conversion/AtenToTC/Overloads.h"
#include "TC/Pipelines/Phases.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool>
    listPhases("list-phases",
               llvm::cl::desc("print the table of phases and exit"));
static llvm::cl::opt<bool> listAtenOverloads(
    "list-aten-overloads",
    llvm::cl::desc("print the ATen overloads that are converted and exit"));

/// Prints the table that an option asks for; tables print without an input.
static bool printTable(llvm::StringRef option) {
  if (option == "--list-phases")
    for (const tc::PhaseInfo &info : tc::getPhases())
      llvm::outs() << info.name << ": " << info.description << "\n";
  else if (option == "--list-aten-overloads")
    tc::printAtenOverloads(llvm::outs());
  else
    return false;
  return true;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (printTable(argv[i]))
      return 0;
  mlir::DialectRegistry registry;
  tc::registerDialects(registry);
  tc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TC module optimizer driver\n", registry));
}
