//===- KernelWrites.cpp - Every write of a kernel -------------------------===//

#include "KernelWrites.h"

using namespace mlir;
using namespace tc;

/// Emits the reductions that do not depend on the loops to come, in the order
/// of the block, so that what one keeps in a buffer is there for the next.
static void emitOuterReductions(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ContractStageOp>(op) &&
        isComputedAhead(&op, frame.dims, scope.bound))
      emitter.emit(op.getResult(0), scope);
  }
}

/// Emits what several writes of a group read before the first is stored: it may
/// be in the memory that goes to. Without kept values the first write loads it
/// anyway.
static void emitSharedReads(PointEmitter &emitter, ArrayRef<WriteOp> group,
                            const DimSet &outer, Scope &inner) {
  if (group.size() < 2 || !emitter.kept.keepsValues())
    return;
  llvm::MapVector<Operation *, unsigned> uses;
  for (WriteOp write : group)
    for (Operation *op : getLoopValues(write, emitter.frame.dims, outer))
      if (isa<ReadOp>(op) &&
          !emitter.frame.dims.of(op->getResult(0)).test(inner.bound))
        ++uses[op];
  for (auto [read, count] : uses)
    if (count > 1)
      emitter.emit(read->getResult(0), inner);
}

void tc::emitWrites(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  emitter.kept.iteration = &scope;
  emitOuterReductions(emitter, scope);
  for (ArrayRef<WriteOp> group :
       getWriteGroups(frame.kernel, frame.dims, scope.bound)) {
    DimSet open = frame.dims.ofWrite(group.front());
    open.reset(scope.bound);
    SmallVector<Value> roots;
    for (WriteOp write : group)
      llvm::append_range(roots, write->getOperands());
    std::optional<unsigned> instead;
    if (open.count() == 1 && llvm::all_of(group, [](WriteOp write) {
          return write.getIndices().empty() &&
                 write.getCombine() == CombineKind::Replace;
        }))
      instead = emitter.kept.lanesInstead(scope, open.find_first(), roots);
    LanesAlong lanes(emitter, instead);
    emitter.stages.emitScanLoops(
        scope, emitter.loopOrder(open), roots, [&](Scope &inner) {
          emitSharedReads(emitter, group, scope.bound, inner);
          for (WriteOp write : group)
            emitter.access.emitWrite(write, inner);
        });
  }
}
