//===- tc-opt.cpp - Run passes and phases on a module ---------------------===//

#include "TC/Pipelines/Phases.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool>
    listPhases("list-phases",
               llvm::cl::desc("print the table of phases and exit"));

int main(int argc, char **argv) {
  // The table has to print without an input file.
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef(argv[i]) == "--list-phases") {
      for (const tc::PhaseInfo &info : tc::getPhases())
        llvm::outs() << info.name << ": " << info.description << "\n";
      return 0;
    }
  mlir::DialectRegistry registry;
  tc::registerDialects(registry);
  tc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TC module optimizer driver\n", registry));
}
