//===- AssignSchedules.cpp - tc-assign-schedules --------------------------===//

#include "ModelSchedule.h"
#include "ScheduleKey.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Frontend/Text/ModuleText.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNSCHEDULESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

using ScheduleLibrary = llvm::StringMap<ScheduleAttrInterface>;

namespace {
class AssignSchedulesPass
    : public tc::impl::TCAssignSchedulesPassBase<AssignSchedulesPass> {
public:
  using TCAssignSchedulesPassBase::TCAssignSchedulesPassBase;

  void runOnOperation() override {
    ScheduleLibrary library;
    if (failed(readLibrary(library)))
      return signalPassFailure();
    MachineModel machine = MachineModel::get(getOperation());
    PreparedValues prepared(getOperation());
    StringRef targetName = getTargetKind(getOperation());
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      if (failed(assign(kernel, library, machine, prepared, targetName)))
        return signalPassFailure();
  }

private:
  /// The attribute on the kernel, else the library's, else the model's.
  LogicalResult assign(KernelOp kernel, const ScheduleLibrary &library,
                       const MachineModel &machine, PreparedValues &prepared,
                       StringRef target) {
    StringRef source = "attribute";
    if (!kernel.getSchedule()) {
      ScheduleAttrInterface found;
      if (!library.empty())
        found = library.lookup(getScheduleKey(kernel, target));
      source = found ? "library" : "model";
      if (!found)
        found = getModelSchedule(kernel, machine, prepared);
      kernel.setScheduleAttr(found);
    }
    if (auto remark = remark::analysis(
            kernel.getLoc(), remark::RemarkOpts::name("tc-assign-schedules")
                                 .category(kFusionCategory)))
      remark << "schedule of '" << kernel.getName() << "' from the " << source
             << ", its key " << getScheduleKey(kernel, target);
    return verifySchedule(kernel, *kernel.getSchedule());
  }

  /// A module whose `tc.schedules` maps keys to schedules.
  LogicalResult readLibrary(ScheduleLibrary &library) {
    if (schedules.empty())
      return success();
    auto file = llvm::MemoryBuffer::getFile(schedules);
    if (!file)
      return getOperation()->emitError()
             << "cannot read the schedules of '" << schedules
             << "': " << file.getError().message();
    llvm::SourceMgr sources;
    OwningOpRef<ModuleOp> module =
        parseModule(std::move(*file), sources, ParserConfig(&getContext()));
    if (!module)
      return getOperation()->emitError()
             << "cannot read the schedules of '" << schedules << "'";
    auto entries = (*module)->getAttrOfType<DictionaryAttr>(kSchedulesAttr);
    if (!entries)
      return getOperation()->emitError()
             << "'" << schedules << "' has no module attribute '"
             << kSchedulesAttr << "'";
    for (NamedAttribute entry : entries)
      library[entry.getName().getValue()] =
          cast<ScheduleAttrInterface>(entry.getValue());
    return success();
  }
};
} // namespace
