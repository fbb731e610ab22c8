//===- PlanMemory.cpp - tc-plan-memory ------------------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/BufferLiveness.h"
#include "TC/Transforms/Passes.h"
#include "TC/Transforms/SymbolicMemoryPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPLANMEMORYPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// More than any machine addresses; the sums of a plan stay far below 64 bits.
static constexpr int64_t kLargestBytes = int64_t(1) << 48;

/// What the plan comes to, at the largest sizes: an attribute that a person
/// reads and a test checks.
static DictionaryAttr describePlan(ArrayRef<SymbolicBlock> blocks,
                                   const SymbolicMemoryPlan &plan,
                                   const SizeBounds &bounds,
                                   MLIRContext *context) {
  Builder builder(context);
  unsigned largest = bounds.getSamples().size() - 1;
  NamedAttrList entries;
  entries.set("buffers", builder.getI64IntegerAttr(blocks.size()));
  entries.set("planned", builder.getI64IntegerAttr(
                             bounds.evaluate(plan.bytes, largest).value_or(0)));
  entries.set("peak", builder.getI64IntegerAttr(
                          getPeakBytes(getBlocksAt(blocks, bounds, largest))));
  NamedAttrList at;
  if (!plan.bytes.isConstant())
    plan.bytes.walkSymbols([&](StringRef name) {
      at.set(name, builder.getI64IntegerAttr(
                       bounds.getSamples()[largest].lookup(name)));
    });
  if (!at.empty())
    entries.set("at", builder.getDictionaryAttr(at));
  return builder.getDictionaryAttr(entries);
}

/// Replaces every `tc.buffer` by its part of the arena.
static void placeBuffers(func::FuncOp function, ArrayRef<BufferOp> buffers,
                         const SymbolicMemoryPlan &plan) {
  BufferOp first = buffers.front();
  OpBuilder builder(first);
  int64_t bytes = plan.bytes.getConstant().value_or(ShapedType::kDynamic);
  auto arena = ArenaOp::create(builder, function.getLoc(),
                               MemRefType::get({bytes}, builder.getI8Type()),
                               plan.bytes);
  for (auto [unplaced, offset] : llvm::zip_equal(buffers, plan.offsets)) {
    BufferOp buffer = unplaced;
    builder.setInsertionPoint(buffer);
    auto view = ArenaViewOp::create(builder, buffer.getLoc(), buffer.getType(),
                                    arena, offset);
    buffer.getResult().replaceAllUsesWith(view.getResult());
    buffer.erase();
  }
}

namespace {
class PlanMemoryPass : public tc::impl::TCPlanMemoryPassBase<PlanMemoryPass> {
public:
  using TCPlanMemoryPassBase::TCPlanMemoryPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    BufferLiveness liveness(function.front());
    SmallVector<BufferOp> buffers;
    SmallVector<SymbolicBlock> blocks;
    for (auto buffer :
         llvm::make_early_inc_range(function.front().getOps<BufferOp>())) {
      SizeExpr bytes = getAlignedBytes(cast<MemRefType>(buffer.getType()));
      if (bytes.isConstant() && bytes.getValue() > kLargestBytes) {
        buffer.emitOpError("has type ")
            << buffer.getType() << ", of more bytes than memory can have";
        return signalPassFailure();
      }
      Operation *first = liveness.getFirstUser(buffer);
      if (!first) {
        buffer.erase();
        continue;
      }
      buffers.push_back(buffer);
      blocks.push_back({getAlignedBytes(cast<MemRefType>(buffer.getType())),
                        liveness.getStep(first),
                        liveness.getStep(liveness.getLastUser(buffer))});
    }
    if (buffers.empty())
      return;
    SizeBounds bounds(function);
    SymbolicMemoryPlan plan = planSymbolicMemory(blocks, bounds, &getContext());
    DictionaryAttr summary = describePlan(blocks, plan, bounds, &getContext());
    function->setAttr(kMemoryPlanAttr, summary);
    remark::analysis(function.getLoc(), remark::RemarkOpts::name("arena")
                                            .category("tc-plan-memory")
                                            .function(function.getName()))
        << remark::metric("Arena", plan.bytes.str())
        << remark::metric("Plan", Attribute(summary));
    placeBuffers(function, buffers, plan);
  }
};
} // namespace
