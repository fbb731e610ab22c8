//===- VerifySpecialize.cpp - tc-verify-specialize ------------------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYSPECIALIZEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Checks that whatever `dispatch` runs is a version of it.
static LogicalResult verifyDispatch(DispatchOp dispatch) {
  auto module = dispatch->getParentOfType<ModuleOp>();
  for (StringRef name : dispatch.getVersions()) {
    Operation *version = module.lookupSymbol(name);
    if (version && version->getAttr(kVersionOfAttr) ==
                       FlatSymbolRefAttr::get(dispatch.getSymNameAttr()))
      continue;
    InFlightDiagnostic error = dispatch.emitOpError("runs @")
                               << name << ", which is not marked tc.version_of "
                               << "@" << dispatch.getSymName();
    error.attachNote() << "tc-plan-dispatch marks versions";
    return error;
  }
  return verifyCases(dispatch);
}

static LogicalResult verifyVersion(func::FuncOp function,
                                   FlatSymbolRefAttr of) {
  auto module = function->getParentOfType<ModuleOp>();
  auto dispatch = module.lookupSymbol<DispatchOp>(of.getAttr());
  if (!dispatch ||
      !llvm::is_contained(dispatch.getVersions(), function.getName())) {
    InFlightDiagnostic error = function.emitOpError("is marked tc.version_of ")
                               << of << ", but no tc.dispatch of that name "
                               << "runs it";
    error.attachNote() << "tc-plan-dispatch makes dispatches";
    return error;
  }
  for (auto guard : function.getOps<GuardOp>()) {
    if (!llvm::all_of(guard.getInputs(), llvm::IsaPred<BlockArgument>))
      continue;
    InFlightDiagnostic error = guard.emitOpError("is left in a version of ")
                               << of;
    error.attachNote() << "tc-plan-dispatch moves guards to the dispatch";
    return error;
  }
  return success();
}

namespace {
class VerifySpecializePass
    : public tc::impl::TCVerifySpecializePassBase<VerifySpecializePass> {
public:
  using TCVerifySpecializePassBase::TCVerifySpecializePassBase;

  void runOnOperation() override {
    for (auto dispatch : getOperation().getOps<DispatchOp>())
      if (failed(verifyDispatch(dispatch)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kSpecializationsAttr)) {
        InFlightDiagnostic error =
            function.emitOpError("still has tc.specializations");
        error.attachNote() << "tc-specialize-sizes makes the versions";
        return signalPassFailure();
      }
      if (auto of = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr))
        if (failed(verifyVersion(function, of)))
          return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
