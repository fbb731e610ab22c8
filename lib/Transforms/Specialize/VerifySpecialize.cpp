//===- VerifySpecialize.cpp - tc-verify-specialize ------------------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYSPECIALIZEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// A version reads inputs as its dispatch checks them.
static LogicalResult verifyStrides(DispatchOp dispatch, func::FuncOp version) {
  for (unsigned index = 0;
       index < dispatch.getNumArguments() && index < version.getNumArguments();
       ++index) {
    bool isStrided = getInputStrides(dispatch, index).has_value();
    if (getInputStrides(version, index).has_value() == isStrided)
      continue;
    InFlightDiagnostic error =
        version.emitOpError("has ")
        << (isStrided ? "no " : "") << "tc.strides on argument " << index
        << ", but its dispatch has " << (isStrided ? "some" : "none")
        << "; expected the same memory of both";
    error.attachNote(dispatch.getLoc()) << "the dispatch is here";
    return error;
  }
  return success();
}

/// Checks that whatever `dispatch` runs is a version of it.
static LogicalResult verifyDispatch(DispatchOp dispatch) {
  auto module = dispatch->getParentOfType<ModuleOp>();
  for (StringRef name : dispatch.getVersions()) {
    Operation *version = module.lookupSymbol(name);
    if (version && version->getAttr(kVersionOfAttr) ==
                       FlatSymbolRefAttr::get(dispatch.getSymNameAttr())) {
      auto function = dyn_cast<func::FuncOp>(version);
      if (function && failed(verifyStrides(dispatch, function)))
        return failure();
      continue;
    }
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

/// A version checks no guard itself: only its dispatch may run it.
static LogicalResult verifyCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  auto of = callee ? callee->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr)
                   : FlatSymbolRefAttr();
  if (!of)
    return success();
  return call.emitOpError("calls @")
         << call.getCallee() << ", a version of " << of
         << "; expected a call of the dispatch, which checks the guards";
}

/// What is at the strides of an argument is known to its memory only.
static LogicalResult verifyStridedInputs(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    if (!getInputStrides(function, argument.getArgNumber()))
      continue;
    for (Operation *user : argument.getUsers()) {
      if (isa<InputStorageOp, GuardOp>(user))
        continue;
      InFlightDiagnostic error =
          user->emitOpError("uses argument ")
          << argument.getArgNumber() << " of @" << function.getName()
          << ", which has tc.strides; expected tc.input_storage";
      error.attachNote() << "tc-decompose-strided-inputs makes it";
      return error;
    }
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
      if (!function.isDeclaration() && failed(verifyStridedInputs(function)))
        return signalPassFailure();
      for (auto call : function.getOps<func::CallOp>())
        if (failed(verifyCall(call)))
          return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
