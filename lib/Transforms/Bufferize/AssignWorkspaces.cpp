//===- AssignWorkspaces.cpp - tc-assign-workspaces ------------------------===//

#include "TC/Analysis/TaskPlan.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNWORKSPACESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class AssignWorkspacesPass
    : public tc::impl::TCAssignWorkspacesPassBase<AssignWorkspacesPass> {
public:
  using TCAssignWorkspacesPassBase::TCAssignWorkspacesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    function.walk([&](KernelOp kernel) {
      if (!kernel.hasBufferSemantics() || kernel.getWorkspace())
        return;
      std::optional<SizeExpr> bytes = getWorkspaceBytes(kernel);
      if (!bytes)
        return;
      // Where the memory plan sees it, also for a kernel in a region.
      OpBuilder builder(function.front().findAncestorOpInBlock(*kernel));
      kernel.addWorkspace(
          BufferOp::create(builder, kernel.getLoc(),
                           getMemRefType(*bytes, builder.getI8Type())));
    });
  }
};
} // namespace
