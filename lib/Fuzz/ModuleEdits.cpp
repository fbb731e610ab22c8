//===- ModuleEdits.cpp - What a person may do between phases --------------===//

#include "ModuleEdits.h"
#include "TC/Fuzz/RandomSchedules.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

OwningOpRef<ModuleOp> tc::fuzz::printAndParse(ModuleOp module, Random &random) {
  // Functions may be in any order.
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

std::vector<std::string>
tc::fuzz::replaceSchedules(ModuleOp module, Random &random, int64_t percent) {
  std::vector<std::string> nameless;
  auto addRefusal = [&](StringRef error) {
    static constexpr StringLiteral names[] = {"#tc.", "vector_width", "unroll"};
    if (llvm::none_of(names,
                      [&](StringRef name) { return error.contains(name); }))
      nameless.push_back(error.str());
  };
  module.walk([&](KernelOp kernel) {
    if (kernel.getSchedule() && random.chance(percent))
      kernel.setScheduleAttr(drawLegalSchedule(kernel, random, addRefusal));
  });
  return nameless;
}
