//===- CPUFrame.cpp - The func.func a kernel becomes ----------------------===//

#include "CPUFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

CPUFrame::CPUFrame(KernelOp kernel, StringRef name, ModuleOp module,
                   vectormath::VectorMathOptions options)
    : KernelFrame(kernel, options) {
  Type pointerType = LLVM::LLVMPointerType::get(builder.getContext()),
       i64 = builder.getI64Type();
  builder.setInsertionPointToEnd(module.getBody());
  auto made = func::FuncOp::create(
      builder, loc, name, builder.getFunctionType({pointerType, i64, i64}, {}));
  made.setPrivate();
  function = made;
  Block *entry = made.addEntryBlock();
  begin = entry->getArgument(1);
  end = entry->getArgument(2);
  builder.setInsertionPointToEnd(entry);
  builder.setInsertionPoint(func::ReturnOp::create(builder, loc));
  // The context is an array of the slots.
  SmallVector<Value> slots;
  for (int32_t slot = 0, count = numSlots(); slot < count; ++slot) {
    bool isSymbol =
        slot >= count - 1 - int32_t(contextSizes().size()) && slot < count - 1;
    Value address = LLVM::GEPOp::create(builder, loc, pointerType, i64,
                                        entry->getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{slot});
    auto value = LLVM::LoadOp::create(builder, loc,
                                      isSymbol ? i64 : pointerType, address);
    value.setInvariant(true);
    slots.push_back(value);
  }
  startBody(slots);
}

Value CPUFrame::subtractRounded(Value x, Value y, unsigned rounded) {
  Value operands[] = {x, y};
  if (builder.options.hasFMA)
    operands[rounded] =
        LLVM::CallIntrinsicOp::create(
            builder, loc, x.getType(),
            builder.getStringAttr("llvm.arithmetic.fence"), operands[rounded])
            .getResult(0);
  return arith::SubFOp::create(builder, loc, operands[0], operands[1]);
}

Value CPUFrame::callRoutine(RoutineKind kind, ValueRange sizes, Value data) {
  usesRoutines = true;
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()),
       i64 = builder.getI64Type(), i32 = builder.getI32Type();
  // The host keeps the routine's address after the status.
  Value address = LLVM::GEPOp::create(builder, loc, pointer, i64, status,
                                      ArrayRef<LLVM::GEPArg>{1});
  SmallVector<Value> operands{
      LLVM::LoadOp::create(builder, loc, pointer, address),
      arith::ConstantIntOp::create(builder, loc, int64_t(kind), 32)};
  llvm::append_range(operands, sizes);
  operands.push_back(data);
  auto type = LLVM::LLVMFunctionType::get(i64, {i32, i64, i64, i64, pointer});
  return LLVM::CallOp::create(builder, loc, type, operands).getResult();
}
