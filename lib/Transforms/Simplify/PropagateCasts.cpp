//===- PropagateCasts.cpp - tc-propagate-casts
//------------------------------===//

#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPROPAGATECASTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The float that `value` is widened from, or null.
static Value getNarrow(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  auto from = cast ? dyn_cast<FloatType>(cast.getX().getType()) : nullptr;
  auto to = cast ? dyn_cast<FloatType>(value.getType()) : nullptr;
  return from && to && from.getWidth() < to.getWidth() ? cast.getX() : Value();
}

/// Whether a kernel that reads a result widens it as well as what stored it:
/// one that multiplies takes operands as they are in memory.
static bool mayWiden(OpOperand &use) {
  auto kernel = dyn_cast<KernelOp>(use.getOwner());
  return kernel && use.getOperandNumber() < kernel.getIns().size() &&
         !hasContraction(kernel) &&
         llvm::none_of(
             kernel.getBodyBlock(),
             [](Operation &op) { return isWholeStage(&op); });
}

/// The only write of result `number` of `kernel`, if it replaces elements.
static WriteOp getOnlyWrite(KernelOp kernel, unsigned number) {
  BlockArgument buffer = kernel.getOutArgument(number);
  auto write =
      buffer.hasOneUse() ? dyn_cast<WriteOp>(*buffer.user_begin()) : nullptr;
  return write && write.getCombine() == CombineKind::Replace ? write
                                                             : WriteOp();
}

/// Stores result `number` of `kernel` as the narrower floats that it is widened
/// from, where it is, and kernels alone read it. Whether it does.
static bool narrowResult(KernelOp kernel, unsigned number) {
  Value result = kernel->getResult(number);
  WriteOp write = getOnlyWrite(kernel, number);
  Value narrow = write ? getNarrow(write.getValue()) : Value();
  if (!narrow || result.use_empty() || !hasFreeOrder(result) ||
      !llvm::all_of(result.getUses(), mayWiden))
    return false;
  Type wide = write.getValue().getType();
  auto type = getTensorType(getSizes(cast<RankedTensorType>(result.getType())),
                            narrow.getType());
  OpBuilder builder(kernel);
  kernel->setOperand(unsigned(kernel.getIns().size()) + number,
                     EmptyOp::create(builder, kernel.getLoc(), type));
  kernel.getOutArgument(number).setType(type);
  write.getValueMutable().assign(narrow);
  result.setType(type);
  for (OpOperand &use : result.getUses()) {
    auto user = cast<KernelOp>(use.getOwner());
    BlockArgument buffer =
        user.getBodyBlock().getArgument(use.getOperandNumber());
    buffer.setType(type);
    for (Operation *access : buffer.getUsers()) {
      auto read = cast<ReadOp>(access);
      read.getResult().setType(narrow.getType());
      builder.setInsertionPointAfter(read);
      auto cast = CastOp::create(builder, read.getLoc(), wide, read.getResult(),
                                 /*rounds=*/false);
      read.getResult().replaceAllUsesExcept(cast.getResult(), cast);
    }
  }
  return true;
}

namespace {
class PropagateCastsPass
    : public tc::impl::TCPropagateCastsPassBase<PropagateCastsPass> {
public:
  void runOnOperation() override {
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      bool changed = false;
      for (unsigned number = 0; number < kernel->getNumResults(); ++number)
        if (narrowResult(kernel, number)) {
          ++numNarrowed;
          changed = true;
        }
      if (changed) {
        for (Operation *user : kernel->getUsers())
          if (auto reader = dyn_cast<KernelOp>(user))
            simplifyKernel(reader);
        simplifyKernel(kernel);
      }
    }
  }
};
} // namespace
