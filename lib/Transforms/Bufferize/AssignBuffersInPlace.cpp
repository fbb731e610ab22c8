//===- AssignBuffersInPlace.cpp - tc-assign-buffers-in-place --------------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNBUFFERSINPLACEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// One function: which buffer takes over which.
class InPlaceAssignment {
public:
  explicit InPlaceAssignment(func::FuncOp function)
      : function(function), liveness(function.front()),
        epochs(function.front()) {}

  int64_t run();

private:
  bool takeOver(KernelOp kernel, unsigned outIndex);
  bool takeArgument(KernelOp kernel, unsigned outIndex, OutputBufferOp output);
  bool canTake(KernelOp kernel, unsigned outIndex, Value input);
  Operation *getFirstUser(Value root);
  void merge(BufferOp input, Value output);

  func::FuncOp function;
  BufferLiveness liveness;
  SizeEpochs epochs;
  /// The first user of a buffer that has taken over others.
  llvm::DenseMap<Value, Operation *> firstUsers;
  llvm::DenseMap<Value, Operation *> lastUsers;
};
} // namespace

Operation *InPlaceAssignment::getFirstUser(Value root) {
  if (Operation *known = firstUsers.lookup(root))
    return known;
  return liveness.getFirstUser(root);
}

/// Whether `input` dies in `kernel`, and the output may be written over it.
bool InPlaceAssignment::canTake(KernelOp kernel, unsigned outIndex,
                                Value input) {
  Operation *last = lastUsers.lookup(input);
  if ((last ? last : liveness.getLastUser(input)) != kernel)
    return false;
  for (Value out : kernel.getOuts())
    if (getBufferRoot(out) == input)
      return false;
  for (auto [index, in] : llvm::enumerate(kernel.getIns()))
    if (getBufferRoot(in) == input && !mayWriteOver(kernel, index, outIndex))
      return false;
  return true;
}

/// Whether nothing but kernels and guards uses a buffer or what shows it.
static bool isOfKernelsAlone(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    auto reshape = dyn_cast<BufferReshapeOp>(user);
    return reshape ? isOfKernelsAlone(reshape)
                   : isa<KernelOp, GuardOp, SizeGuardOp>(user);
  });
}

/// Makes an output that `kernel` is the first to write the memory of the
/// argument that it may overwrite, if no later op reads that.
bool InPlaceAssignment::takeArgument(KernelOp kernel, unsigned outIndex,
                                     OutputBufferOp output) {
  std::optional<int64_t> number = output.getMayOverwrite();
  if (!number || kernel->getParentOp() != function)
    return false;
  Value argument = function.getArgument(*number);
  if (argument.getType() != output.getType() ||
      function.getArgAttr(*number, kStridesAttr) || !isOfKernelsAlone(argument))
    return false;
  Operation *last = liveness.getLastUser(argument);
  if (last && liveness.getStep(last) >= liveness.getStep(kernel) &&
      !canTake(kernel, outIndex, argument))
    return false;
  output.getOverMutable().assign(argument);
  return true;
}

/// Makes the two one buffer: the output's storage if the caller owns it.
void InPlaceAssignment::merge(BufferOp input, Value output) {
  OpBuilder builder(function.getContext());
  auto asType = [&](Value buffer, Type type) -> Value {
    if (buffer.getType() == type)
      return buffer;
    builder.setInsertionPointAfterValue(buffer);
    return BufferReshapeOp::create(builder, buffer.getLoc(), type, buffer);
  };
  Operation *first = getFirstUser(input.getResult());
  Operation *last = lastUsers.lookup(output);
  last = last ? last : liveness.getLastUser(output);
  auto other = output.getDefiningOp<BufferOp>();
  if (!other) {
    input.getResult().replaceAllUsesWith(
        asType(output, input.getResult().getType()));
    input.erase();
    firstUsers[output] = first;
    return;
  }
  if (other->isBeforeInBlock(input))
    input->moveBefore(other);
  output.replaceAllUsesWith(asType(input.getResult(), output.getType()));
  other.erase();
  firstUsers[input.getResult()] = first;
  lastUsers[input.getResult()] = last;
}

bool InPlaceAssignment::takeOver(KernelOp kernel, unsigned outIndex) {
  Value output = getBufferRoot(kernel.getOuts()[outIndex]);
  if (!output.getDefiningOp<BufferOp>() &&
      !output.getDefiningOp<OutputBufferOp>())
    return false;
  if (getFirstUser(output) != kernel)
    return false;
  auto isOutput = [&](Value operand) {
    return getBufferRoot(operand) == output;
  };
  auto epochOf = [&](Value buffer) {
    return epochs.of(cast<MemRefType>(buffer.getType()));
  };
  if (llvm::count_if(kernel.getOperands(), isOutput) != 1)
    return false;
  if (auto own = output.getDefiningOp<OutputBufferOp>();
      own && takeArgument(kernel, outIndex, own))
    return true;
  for (Value in : kernel.getIns())
    if (auto input = getBufferRoot(in).getDefiningOp<BufferOp>())
      // What is known at one time is allocated at one time.
      if (epochOf(input.getResult()) == epochOf(output) &&
          canTake(kernel, outIndex, input.getResult())) {
        merge(input, output);
        return true;
      }
  return false;
}

/// Whether every output of the kernel is written over an input.
static bool hasNoOtherOutput(KernelOp kernel) {
  return llvm::all_of(kernel.getOuts(), [&](Value out) {
    return llvm::any_of(kernel.getIns(), [&](Value in) {
      return getBufferRoot(in) == getBufferRoot(out);
    });
  });
}

/// Stores through the caches, which hold what was just read from there.
static void storeThroughCaches(KernelOp kernel) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (auto loops = dyn_cast_or_null<LoopScheduleAttr>(schedule))
    kernel.setScheduleAttr(loops.withNontemporal(false));
  else if (auto squares = dyn_cast_or_null<TransposeScheduleAttr>(schedule))
    kernel.setScheduleAttr(squares.withNontemporal(false));
}

int64_t InPlaceAssignment::run() {
  int64_t count = 0;
  walkBufferUsers(function.front(), [&](Operation &op) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel)
      return;
    for (unsigned index = 0; index < kernel.getOuts().size(); ++index)
      count += takeOver(kernel, index);
    if (hasNoOtherOutput(kernel))
      storeThroughCaches(kernel);
  });
  for (auto output : function.front().getOps<OutputBufferOp>())
    output.removeMayOverwriteAttr(); // the permission has been used or not
  return count;
}

namespace {
class AssignBuffersInPlacePass
    : public tc::impl::TCAssignBuffersInPlacePassBase<
          AssignBuffersInPlacePass> {
public:
  using TCAssignBuffersInPlacePassBase::TCAssignBuffersInPlacePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    if (int64_t count = InPlaceAssignment(function).run())
      remark::passed(function.getLoc(),
                     remark::RemarkOpts::name("in place")
                         .category("tc-assign-buffers-in-place")
                         .function(function.getName()))
          << remark::metric("Outputs", count);
  }
};
} // namespace
