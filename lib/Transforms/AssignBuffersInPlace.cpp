//===- AssignBuffersInPlace.cpp - tc-assign-buffers-in-place --------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/BufferLiveness.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNBUFFERSINPLACEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether every point of the domain goes to an element of its own: the map's
/// results are the domain's dimensions, each once, and constants.
static bool isOneElementAPoint(AffineMap map, unsigned rank) {
  if (map.getNumDims() != rank)
    return false; // dynamic indices
  llvm::SmallBitVector seen(rank);
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return seen.all();
}

/// The map of the one plain write to an output, or nothing.
static std::optional<AffineMap> getWriteMap(BlockArgument out) {
  if (!out.hasOneUse())
    return std::nullopt;
  auto write = dyn_cast<WriteOp>(*out.user_begin());
  if (!write || write.getWithin() || !write.getIndices().empty() ||
      write.getCombine() != CombineKind::Replace)
    return std::nullopt;
  return write.getMap();
}

/// Whether every value of the body depends on its own point alone.
static bool isPointwise(KernelOp kernel) {
  return llvm::none_of(kernel.getBodyBlock(), [](Operation &op) {
    return isa<ReduceStageOp, ContractStageOp, ScanStageOp, SortStageOp>(op);
  });
}

/// Whether output `outIndex` may be written over input `inIndex`: each element
/// is read only at the point that writes it.
static bool mayOverwrite(KernelOp kernel, unsigned inIndex, unsigned outIndex) {
  if (kernel.getIns()[inIndex].getType() !=
      kernel.getOuts()[outIndex].getType())
    return false;
  std::optional<AffineMap> map = getWriteMap(kernel.getOutArgument(outIndex));
  if (!map || !isOneElementAPoint(*map, kernel.getNumDims()))
    return false;
  return llvm::all_of(
      kernel.getInArgument(inIndex).getUsers(), [&](Operation *user) {
        auto read = dyn_cast<ReadOp>(user);
        return read && read.getMap() == *map && !read.getWithin();
      });
}

namespace {
/// One function: which buffer takes over which.
class InPlaceAssignment {
public:
  explicit InPlaceAssignment(func::FuncOp function)
      : function(function), liveness(function.front()) {}

  int64_t run();

private:
  bool takeOver(KernelOp kernel, unsigned outIndex);
  bool canTake(KernelOp kernel, unsigned outIndex, Value input);
  Operation *getFirstUser(Value root);
  void merge(BufferOp input, Value output);

  func::FuncOp function;
  BufferLiveness liveness;
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

/// Whether `input` dies in `kernel` and all of its reads there are where the
/// output writes.
bool InPlaceAssignment::canTake(KernelOp kernel, unsigned outIndex,
                                Value input) {
  Operation *last = lastUsers.lookup(input);
  if ((last ? last : liveness.getLastUser(input)) != kernel)
    return false;
  for (Value out : kernel.getOuts())
    if (getBufferRoot(out) == input)
      return false;
  for (auto [index, in] : llvm::enumerate(kernel.getIns()))
    if (getBufferRoot(in) == input && !mayOverwrite(kernel, index, outIndex))
      return false;
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
  if (llvm::count_if(kernel.getOperands(), isOutput) != 1)
    return false;
  for (Value in : kernel.getIns())
    if (auto input = getBufferRoot(in).getDefiningOp<BufferOp>())
      if (canTake(kernel, outIndex, input.getResult())) {
        merge(input, output);
        return true;
      }
  return false;
}

int64_t InPlaceAssignment::run() {
  int64_t count = 0;
  walkBufferUsers(function.front(), [&](Operation &op) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || !isPointwise(kernel))
      return;
    for (unsigned index = 0; index < kernel.getOuts().size(); ++index)
      count += takeOver(kernel, index);
  });
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
