//===- RandomOps.cpp - Random numbers with an explicit state --------------===//

#include "TC/Dialect/TC/IR/TCOps.h"

using namespace mlir;
using namespace tc;

LogicalResult RandomOp::verify() {
  if (!getEachIteration() || (*this)->getParentOfType<WhileOp>())
    return success();
  return emitOpError("has 'each_iteration' outside of a loop; expected it in a "
                     "tc.while");
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/RandomOps.cpp.inc"
