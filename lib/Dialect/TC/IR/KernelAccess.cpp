//===- KernelAccess.cpp - What a kernel reads and writes ------------------===//

#include "TC/Dialect/TC/IR/KernelAccess.h"

using namespace mlir;
using namespace tc;

std::optional<KernelAccess> tc::getAccess(Operation &op) {
  if (auto read = dyn_cast<ReadOp>(op))
    return KernelAccess{cast<BlockArgument>(read.getSource()), read.getMap(),
                        read.getIndices(), read.getWithin()};
  if (auto write = dyn_cast<WriteOp>(op))
    return KernelAccess{cast<BlockArgument>(write.getDestination()),
                        write.getMap(), write.getIndices(), write.getWithin()};
  return std::nullopt;
}
