//===- TCToKernel.cpp - convert-tc-to-kernel ------------------------------===//

#include "Patterns.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Conversion/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOKERNELPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// Keeps why a pattern did not apply.
struct FailureListener : public RewriterBase::Listener {
  void
  notifyMatchFailure(Location,
                     function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic diagnostic(UnknownLoc::get(context), DiagnosticSeverity::Note);
    reasonCallback(diagnostic);
    reason = diagnostic.str();
  }

  explicit FailureListener(MLIRContext *context) : context(context) {}
  MLIRContext *context;
  std::string reason;
};

class ConvertTCToKernelPass
    : public tc::impl::ConvertTCToKernelPassBase<ConvertTCToKernelPass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateAttentionBackwardToKernelPatterns(set);
    populateAttentionToKernelPatterns(set);
    populateContractionToKernelPatterns(set);
    populateElementwiseToKernelPatterns(set);
    populateIndexToKernelPatterns(set);
    populateNormalizationToKernelPatterns(set);
    populatePoolToKernelPatterns(set);
    populateReductionToKernelPatterns(set);
    populateShapeToKernelPatterns(set);
    populateRoutineToKernelPatterns(set);
    populateSortScanToKernelPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      ops.push_back(op);
      return WalkResult::advance();
    });
    PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    FailureListener failures(&getContext());
    PatternRewriter rewriter(&getContext());
    rewriter.setListener(&failures);
    // Users first: an operand that is a splat is then still seen as one.
    for (Operation *op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op)) {
        rewriter.eraseOp(op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      failures.reason.clear();
      if (succeeded(applicator.matchAndRewrite(op, rewriter)) ||
          failures.reason.empty())
        continue;
      op->emitOpError("cannot become a kernel, as it ") << failures.reason;
      return signalPassFailure();
    }
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      kernel.setKernelClass(classifyKernel(kernel));
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
