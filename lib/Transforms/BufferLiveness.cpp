//===- BufferLiveness.cpp - When a function's buffers are used ------------===//

#include "TC/Transforms/BufferLiveness.h"

using namespace mlir;
using namespace tc;

void tc::walkBufferUsers(Block &block,
                         llvm::function_ref<void(Operation &)> visit) {
  for (Operation &op : block) {
    if (isa<BufferReshapeOp, ArenaViewOp>(op))
      continue;
    visit(op);
    if (isa<IfOp>(op))
      for (Region &region : op.getRegions())
        walkBufferUsers(region.front(), visit);
  }
}

BufferLiveness::BufferLiveness(Block &block) {
  int64_t step = 0;
  walkBufferUsers(block, [&](Operation &op) {
    bool usesBuffers = false;
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
