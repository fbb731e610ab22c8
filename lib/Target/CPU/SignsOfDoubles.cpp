//===- SignsOfDoubles.cpp - copysign by bits ------------------------------===//

#include "SignsOfDoubles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool roundsDouble(const Instruction &instruction) {
  return isa<FPTruncInst>(instruction) && instruction.getType()->isFloatTy();
}

static bool isCopySignOfFloats(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::copysign &&
         call->getType()->getScalarType()->isFloatTy();
}

static Value *createCopySign(IRBuilder<> &b, Value *magnitude, Value *sign) {
  Type *type = magnitude->getType();
  Type *integer = type->getWithNewType(b.getInt32Ty());
  auto mask = [&](Value *value, uint32_t bits) {
    return b.CreateAnd(b.CreateBitCast(value, integer),
                       ConstantInt::get(integer, bits));
  };
  constexpr uint32_t kSignBit = 0x80000000;
  return b.CreateBitCast(
      b.CreateOr(mask(magnitude, ~kSignBit), mask(sign, kSignBit)), type);
}

void tc::expandCopySignOfDoubles(Module &module) {
  for (Function &function : module) {
    if (none_of(instructions(function), roundsDouble))
      continue;
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (!isCopySignOfFloats(instruction))
        continue;
      IRBuilder<> b(&instruction);
      instruction.replaceAllUsesWith(createCopySign(
          b, instruction.getOperand(0), instruction.getOperand(1)));
      instruction.eraseFromParent();
    }
  }
}
