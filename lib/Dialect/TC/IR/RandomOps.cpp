//===- RandomOps.cpp - Random numbers with an explicit state --------------===//

#include "TC/Dialect/TC/IR/TCOps.h"

using namespace mlir;
using namespace tc;

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/RandomOps.cpp.inc"
