//===- ModuleEdits.cpp - What a person may do between phases --------------===//

#include "ModuleEdits.h"
#include "TC/Fuzz/RandomSchedules.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

OwningOpRef<ModuleOp> tc::fuzz::printAndParse(ModuleOp module, Random &random) {
  // Functions may stand in any order.
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  if (functions.size() > 1 && random.chance(50))
    functions.back()->moveBefore(&module.getBody()->front());
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (random.chance(30))
    flags.printGenericOpForm();
  if (random.chance(50))
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  module.print(os, flags);
  return parseSourceString<ModuleOp>(text, module.getContext());
}

void tc::fuzz::replaceSchedules(ModuleOp module, Random &random) {
  module.walk([&](KernelOp kernel) {
    if (kernel.getSchedule() && random.chance(70))
      kernel.setScheduleAttr(drawLegalSchedule(kernel, random));
  });
}
