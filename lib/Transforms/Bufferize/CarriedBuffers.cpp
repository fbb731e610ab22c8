//===- CarriedBuffers.cpp - Values that share one buffer ------------------===//

#include "CarriedBuffers.h"
#include "TC/Analysis/InPlaceWrites.h"

using namespace mlir;
using namespace tc;

Value tc::getShownValue(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

/// The value that `value` is, through reshapes, if each of them, and it, has
/// one use; else null.
static Value getUsedOnce(Value value) {
  while (value.hasOneUse()) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (!reshape)
      return value;
    value = reshape.getX();
  }
  return nullptr;
}

bool tc::takesOver(KernelOp kernel, unsigned index) {
  Value made = getUsedOnce(kernel.getOuts()[index]);
  return made && made.getDefiningOp<KernelOp>() &&
         made.getParentBlock() == kernel->getBlock();
}

bool tc::isMadeIn(Block &block, Value value) {
  Operation *maker = value.getDefiningOp();
  return isa_and_nonnull<KernelOp, IfOp, WhileOp>(maker) &&
         maker->getBlock() == &block;
}

bool tc::takesOverInitial(WhileOp loop, unsigned index) {
  Value made = getUsedOnce(loop.getInitial()[index]);
  return made && isMadeIn(*loop->getBlock(), made);
}

/// The first of the values that are made one over the other until `value` is.
static OpResult getFirstMade(OpResult value) {
  while (true) {
    unsigned index = value.getResultNumber();
    auto kernel = dyn_cast<KernelOp>(value.getOwner());
    auto loop = dyn_cast<WhileOp>(value.getOwner());
    if (kernel && takesOver(kernel, index))
      value = cast<OpResult>(getShownValue(kernel.getOuts()[index]));
    else if (loop && takesOverInitial(loop, index))
      value = cast<OpResult>(getShownValue(loop.getInitial()[index]));
    else
      return value;
  }
}

/// Whether the op that makes `made` reads the operand before it writes over it.
static bool isReadFirst(OpOperand &use, OpResult made) {
  unsigned operand = use.getOperandNumber(), result = made.getResultNumber();
  if (auto kernel = dyn_cast<KernelOp>(made.getOwner()))
    // A destination with elements is copied in front of the kernel.
    return operand >= kernel.getIns().size() ||
           mayWriteOver(kernel, operand, result);
  // A loop that goes on with the value.
  return isa<WhileOp>(made.getOwner()) && operand == result;
}

/// Whether nothing reads `value` once `made` is being made over it.
static bool isDeadWhenMade(Value value, OpResult made) {
  Operation *maker = made.getOwner();
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto reshape = dyn_cast<ReshapeOp>(user))
      return isDeadWhenMade(reshape.getResult(), made);
    Operation *inBlock = maker->getBlock()->findAncestorOpInBlock(*user);
    return inBlock->isBeforeInBlock(maker) ||
           (user == maker && isReadFirst(use, made));
  });
}

bool tc::takesOverCarried(WhileOp loop, unsigned index) {
  Block &body = loop.getBodyBlock();
  Value next = getShownValue(loop.getBodyYield().getOperand(index));
  return isMadeIn(body, next) &&
         isDeadWhenMade(body.getArgument(index),
                        getFirstMade(cast<OpResult>(next)));
}
