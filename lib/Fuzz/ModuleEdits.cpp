//===- ModuleEdits.cpp - What a person may do between phases --------------===//

#include "ModuleEdits.h"
#include "TC/Analysis/ScheduleVerification.h"
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

/// Null for one that the attribute refuses.
static ScheduleAttr drawSchedule(KernelOp kernel, ScheduleAttr schedule,
                                 Random &random) {
  int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 32};
  int64_t unrolls[] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t vectorDim = schedule.getVectorDim(),
          vectorWidth = schedule.getVectorWidth(),
          unroll = schedule.getUnroll(), grain = schedule.getGrain();
  bool nontemporal = schedule.getNontemporal();
  SmallVector<int64_t> tile(schedule.getTile()), fewTile(schedule.getFewTile());
  int64_t fewBelow = schedule.getFewBelow();
  if (random.chance(30))
    vectorDim = random.between(-1, int64_t(kernel.getNumDims()) - 1);
  if (random.chance(50))
    vectorWidth = vectorDim < 0 ? 1 : random.pick<int64_t>(widths);
  if (random.chance(60))
    unroll = random.pick<int64_t>(unrolls);
  if (random.chance(50))
    grain = random.between(1, 64);
  if (random.chance(30))
    nontemporal = !nontemporal;
  for (int64_t &size : tile)
    if (random.chance(40))
      size = random.chance(50) ? random.between(1, 24) : size * 2;
  // A contraction's second tile, for calls that write few bytes.
  if (tile.size() == 5 && random.chance(30)) {
    fewBelow = random.between(1, 4096);
    fewTile = tile;
    for (int64_t &size : fewTile)
      if (random.chance(40))
        size = random.between(1, 24);
  }
  if (random.chance(10)) {
    tile.clear();
    fewTile.clear();
    fewBelow = 0;
  }
  if (failed(ScheduleAttr::verify(
          [&] { return kernel.emitError(); }, vectorDim, vectorWidth, unroll,
          grain, schedule.getThreads(), tile, nontemporal, fewBelow, fewTile)))
    return nullptr;
  return ScheduleAttr::get(kernel.getContext(), vectorDim, vectorWidth, unroll,
                           grain, schedule.getThreads(), tile, nontemporal,
                           fewBelow, fewTile);
}

void tc::fuzz::replaceSchedules(ModuleOp module, Random &random) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  module.walk([&](KernelOp kernel) {
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule || !random.chance(70))
      return;
    // One that a field makes illegal is drawn again.
    for (int tries = 0; tries < 4; ++tries) {
      ScheduleAttr drawn = drawSchedule(kernel, schedule, random);
      if (!drawn || failed(verifySchedule(kernel, drawn)))
        continue;
      kernel.setScheduleAttr(drawn);
      return;
    }
  });
}
