//===- VerifySimplify.cpp - tc-verify-simplify ----------------------------===//

#include "TC/Analysis/TensorCoreAttention.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYSIMPLIFYPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether the op stays next to kernels, or is one.
static bool staysInFuse(Operation *op) {
  return isa<KernelOp, ReshapeOp, InputStorageOp, ParameterOp, ConstantOp,
             EmptyOp, IfOp, WhileOp, YieldOp, GuardOp, SizeFromOp, SizeGuardOp,
             func::ReturnOp, func::CallOp>(op);
}

/// Whether convert-tc-to-kernel has a pattern for the op.
static bool becomesKernel(Operation *op) {
  if (auto pad = dyn_cast<PadOp>(op))
    return pad.getMode() == PadMode::Constant;
  if (auto attention = dyn_cast<AttentionBackwardOp>(op))
    return mayUseTensorCores(attention);
  if (auto attention = dyn_cast<AttentionOp>(op))
    return !attention.getDropout() || mayUseTensorCores(attention);
  return isa<ElementwiseOpInterface, FullOp, SizeValueOp, IotaOp, BroadcastOp,
             TransposeOp, SliceOp, ConcatOp, ReduceOp, ArgReduceOp, ScanOp,
             SortOp, TopKOp, GatherOp, IndexOp, ScatterOp, IndexPutOp,
             ContractOp, ConvolutionOp, MaxPoolOp, AvgPoolOp, SoftmaxOp,
             LayerNormOp, RmsNormOp, RoutineOp>(op);
}

/// The pass that should have replaced the op.
static StringRef getReplacingPass(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](AtenOp) { return "convert-aten-to-tc"; })
      .Case([](AdaptiveAvgPoolOp) { return "tc-decompose-adaptive-avg-pool"; })
      .Case([](AttentionOp) { return "tc-decompose-attention"; })
      .Case(
          [](AttentionBackwardOp) { return "tc-decompose-attention-backward"; })
      .Case([](BatchNormOp) { return "tc-decompose-batch-norm"; })
      .Case([](GroupNormOp) { return "tc-decompose-group-norm"; })
      .Case([](LogSoftmaxOp) { return "tc-decompose-log-softmax"; })
      .Case([](NonzeroOp) { return "tc-decompose-nonzero"; })
      .Case([](PadOp) { return "tc-decompose-pad-modes"; })
      .Case([](RandomOp) { return "tc-decompose-random"; })
      .Case([](ResampleOp) { return "tc-decompose-resample"; })
      .Case([](VarianceOp) { return "tc-decompose-variance"; })
      .Default([](Operation *) { return StringRef(); });
}

static LogicalResult verifyOp(Operation *op) {
  if (!staysInFuse(op) && !becomesKernel(op)) {
    InFlightDiagnostic error = op->emitOpError(
        "is left after phase simplify; expected ops that convert-tc-to-kernel "
        "converts to kernels, parameters, constants and control flow");
    if (StringRef pass = getReplacingPass(op); !pass.empty())
      error.attachNote() << pass << " should have replaced it";
    return error;
  }
  for (Type type : op->getResultTypes())
    if (!isa<RankedTensorType>(type))
      return op->emitOpError("has a result of type ")
             << type << " after phase simplify; expected a tensor";
  return success();
}

namespace {
class VerifySimplifyPass
    : public tc::impl::TCVerifySimplifyPassBase<VerifySimplifyPass> {
public:
  using TCVerifySimplifyPassBase::TCVerifySimplifyPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      WalkResult result =
          function.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
            if (failed(verifyOp(op)))
              return WalkResult::interrupt();
            return isa<KernelOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
          });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
