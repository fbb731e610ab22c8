//===- PlanMemory.cpp - tc-plan-memory ------------------------------------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"
#include "TC/Transforms/Bufferize/SymbolicMemoryPlan.h"
#include "TC/Transforms/Passes.h"
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

namespace {
/// The buffers whose sizes are known at the same time, and their arena.
struct EpochPlan {
  SmallVector<BufferOp> buffers;
  std::vector<SymbolicBlock> blocks;
  SymbolicMemoryPlan plan;
};
} // namespace

/// What the plans come to, at the largest sizes: an attribute that a person
/// reads and a test checks.
static DictionaryAttr describePlans(ArrayRef<EpochPlan> epochs,
                                    const SizeBounds &bounds,
                                    MLIRContext *context) {
  Builder builder(context);
  unsigned largest = bounds.getSamples().size() - 1;
  std::vector<SymbolicBlock> blocks;
  SizeExpr bytes = SizeExpr::constant(context, 0);
  for (const EpochPlan &epoch : epochs) {
    llvm::append_range(blocks, epoch.blocks);
    bytes = bytes.add(epoch.plan.bytes);
  }
  NamedAttrList entries;
  entries.set("buffers", builder.getI64IntegerAttr(blocks.size()));
  entries.set("planned", builder.getI64IntegerAttr(
                             bounds.evaluate(bytes, largest).value_or(0)));
  entries.set("peak", builder.getI64IntegerAttr(
                          getPeakBytes(getBlocksAt(blocks, bounds, largest))));
  NamedAttrList at;
  if (!bytes.isConstant())
    bytes.walkSymbols([&](StringRef name) {
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

/// The intermediates that are used, by the epoch in which their sizes are
/// known; erases the others.
static SmallVector<EpochPlan> collectBuffers(func::FuncOp function) {
  BufferLiveness liveness(function.front());
  SizeEpochs sizes(function.front());
  SmallVector<EpochPlan> epochs(sizes.count());
  for (auto buffer :
       llvm::make_early_inc_range(function.front().getOps<BufferOp>())) {
    Operation *first = liveness.getFirstUser(buffer);
    if (!first) {
      buffer.erase();
      continue;
    }
    auto type = cast<MemRefType>(buffer.getType());
    EpochPlan &epoch = epochs[sizes.of(type)];
    epoch.buffers.push_back(buffer);
    epoch.blocks.push_back({getAlignedBytes(type), liveness.getStep(first),
                            liveness.getStep(liveness.getLastUser(buffer))});
  }
  llvm::erase_if(epochs,
                 [](const EpochPlan &epoch) { return epoch.buffers.empty(); });
  return epochs;
}

namespace {
class PlanMemoryPass : public tc::impl::TCPlanMemoryPassBase<PlanMemoryPass> {
public:
  using TCPlanMemoryPassBase::TCPlanMemoryPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    for (auto buffer : function.front().getOps<BufferOp>()) {
      SizeExpr bytes = getAlignedBytes(cast<MemRefType>(buffer.getType()));
      if (bytes.isConstant() && bytes.getValue() > kLargestBytes) {
        buffer.emitOpError("has type ")
            << buffer.getType() << ", of more bytes than memory can have";
        return signalPassFailure();
      }
    }
    SmallVector<EpochPlan> epochs = collectBuffers(function);
    if (epochs.empty())
      return;
    SizeBounds bounds(function);
    SizeExpr bytes = SizeExpr::constant(&getContext(), 0);
    for (EpochPlan &epoch : epochs) {
      epoch.plan = planSymbolicMemory(epoch.blocks, bounds, &getContext());
      bytes = bytes.add(epoch.plan.bytes);
    }
    DictionaryAttr summary = describePlans(epochs, bounds, &getContext());
    function->setAttr(kMemoryPlanAttr, summary);
    remark::analysis(function.getLoc(), remark::RemarkOpts::name("arena")
                                            .category("tc-plan-memory")
                                            .function(function.getName()))
        << remark::metric("Arena", bytes.str())
        << remark::metric("Plan", Attribute(summary));
    for (const EpochPlan &epoch : epochs)
      placeBuffers(function, epoch.buffers, epoch.plan);
  }
};
} // namespace
