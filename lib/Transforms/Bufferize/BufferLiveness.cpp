//===- BufferLiveness.cpp - When a function's buffers are used ------------===//

#include "TC/Transforms/Bufferize/BufferLiveness.h"

using namespace mlir;
using namespace tc;

void tc::walkBufferUsers(Block &block,
                         llvm::function_ref<void(Operation &)> visit) {
  for (Operation &op : block) {
    if (isa<BufferReshapeOp, ArenaViewOp>(op))
      continue;
    visit(op);
    if (isa<IfOp, WhileOp>(op))
      for (Region &region : op.getRegions())
        walkBufferUsers(region.front(), visit);
  }
}

/// Whether the op is where an iteration of a loop ends.
static bool endsIteration(Operation &op) {
  auto loop = dyn_cast<WhileOp>(op.getParentOp());
  return loop && &op == loop.getBodyYield();
}

BufferLiveness::BufferLiveness(Block &block) {
  int64_t step = 0;
  bool hasLoops = false;
  walkBufferUsers(block, [&](Operation &op) {
    bool usesBuffers = isa<WhileOp>(op) || endsIteration(op);
    hasLoops |= usesBuffers;
    for (Value operand : op.getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      usesBuffers = true;
      SmallVector<Operation *> &known = users[getBufferRoot(operand)];
      if (known.empty() || known.back() != &op)
        known.push_back(&op);
    }
    if (usesBuffers)
      steps[&op] = step++;
  });
  if (hasLoops)
    for (Value root : llvm::make_first_range(users))
      extendThroughLoops(root);
}

/// Adds the loops that a buffer is live through to its users.
void BufferLiveness::extendThroughLoops(Value root) {
  SmallVector<Operation *> &known = users[root];
  llvm::MapVector<WhileOp, size_t> inside; // users in each loop
  for (Operation *user : known)
    for (auto loop = user->getParentOfType<WhileOp>(); loop;
         loop = loop->getParentOfType<WhileOp>())
      ++inside[loop];
  for (auto [loop, count] : inside) {
    if (count == known.size() && !root.getDefiningOp<OutputBufferOp>())
      continue;
    known.push_back(loop);
    known.push_back(WhileOp(loop).getBodyYield());
  }
  llvm::sort(known, [&](Operation *a, Operation *b) {
    return steps.lookup(a) < steps.lookup(b);
  });
}

ArrayRef<Operation *> BufferLiveness::getUsers(Value root) const {
  auto found = users.find(root);
  return found == users.end() ? ArrayRef<Operation *>()
                              : ArrayRef<Operation *>(found->second);
}

Operation *BufferLiveness::getFirstUser(Value root) const {
  ArrayRef<Operation *> all = getUsers(root);
  return all.empty() ? nullptr : all.front();
}

Operation *BufferLiveness::getLastUser(Value root) const {
  ArrayRef<Operation *> all = getUsers(root);
  return all.empty() ? nullptr : all.back();
}
