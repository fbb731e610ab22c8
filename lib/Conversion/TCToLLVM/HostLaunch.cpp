//===- HostLaunch.cpp - What the host does for a GPU ----------------------===//

#include "HostLaunch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

static SizeExpr countBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return getElementCount(getSizes(type), buffer.getContext())
      .mul(getElementBytes(type.getElementType()));
}

Value HostLaunches::bytesOf(Value buffer) {
  return sizes.of(countBytes(buffer));
}

void HostLaunches::copy(APIField direction, Value to, Value from, Value bytes) {
  host.checkStatus(
      host.callRuntime(direction, host.get().getI32Type(), {to, from, bytes}));
}

Value HostLaunches::read(Type type, Value pointer) {
  if (host.device() == TC_DEVICE_CPU)
    return host.load(type, pointer);
  Value slot = host.stackSlots(1);
  copy(APIField::CopyToHost, slot, pointer,
       host.i64(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)));
  return host.load(type, slot);
}

/// The buffer that `buffer` is a view of all of, or itself.
static Value getViewed(Value buffer) {
  while (
      isa_and_nonnull<BufferReshapeOp, InputStorageOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

void HostLaunches::alignInputs(func::FuncOp function) {
  llvm::BitVector wanted(function.getNumArguments());
  function.walk([&](LaunchOp launch) {
    if (!launch.getAlignedBuffers())
      return;
    for (Value buffer : launch.getBuffers())
      if (auto input = dyn_cast<BlockArgument>(getViewed(buffer)))
        wanted.set(input.getArgNumber());
  });
  if (wanted.none())
    return;
  ArrayRef<uintptr_t> words = wanted.getData();
  Value slots = host.stackSlots(int64_t(words.size()));
  for (auto [index, word] : llvm::enumerate(words))
    host.store(host.i64(int64_t(word)),
               host.element(host.get().getI64Type(), slots, int32_t(index)));
  host.checkStatus(host.callRuntime(APIField::AlignInputs,
                                    host.get().getI32Type(), {slots}));
}

void HostLaunches::allocate(LaunchOp launch) {
  auto isKnown = [&](Value buffer) {
    return sizes.canEvaluate(countBytes(buffer));
  };
  if (!launch.getOnHost() || buffers.contains(launch) ||
      !llvm::all_of(launch.getBuffers(), isKnown))
    return;
  SmallVector<Value> &made = buffers[launch];
  for (Value buffer : launch.getBuffers()) {
    Value memory = host.callRuntime(APIField::AllocateHost,
                                    LLVM::LLVMPointerType::get(host.context()),
                                    {bytesOf(buffer)});
    host.checkPointer(memory);
    made.push_back(memory);
  }
}

void HostLaunches::enter(LaunchOp launch, SmallVectorImpl<Value> &slots) {
  allocate(launch);
  ArrayRef<int64_t> counts = *launch.getOnHost();
  for (auto [index, memory] : llvm::enumerate(buffers.lookup(launch))) {
    // A write may leave elements of an output as they are.
    if (int64_t(index) < counts[0] + counts[1])
      copy(APIField::CopyToHost, memory, slots[index],
           bytesOf(launch.getBuffers()[index]));
    slots[index] = memory;
  }
  Value status = host.stackSlots(2);
  host.store(host.i64(0), status);
  if (launch.getCallsRoutines())
    host.store(host.runtimeFunction(APIField::RunRoutine),
               host.element(host.get().getI64Type(), status, int32_t(1)));
  slots.back() = status;
}

void HostLaunches::leave(LaunchOp launch, ArrayRef<Value> onDevice) {
  ArrayRef<int64_t> counts = *launch.getOnHost();
  SmallVector<Value> made = buffers.lookup(launch);
  for (int64_t index = counts[0]; index < counts[0] + counts[1]; ++index)
    copy(APIField::CopyToDevice, onDevice[index], made[index],
         bytesOf(launch.getBuffers()[index]));
}
