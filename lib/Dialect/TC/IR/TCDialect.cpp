//===- TCDialect.cpp - Registration of the tc dialect ---------------------===//

#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tc;

#include "TC/Dialect/TC/IR/TCDialect.cpp.inc"
#include "TC/Dialect/TC/IR/TCInterfaces.cpp.inc"

void TCDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ContractionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/DispatchOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ElementwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/IndexOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/InputOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/KernelOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/LibraryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ModuleOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/NNOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/PoolOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/PreparationOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/RandomOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ReductionOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/RoutineOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/ShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TC/Dialect/TC/IR/SortScanOps.cpp.inc"
      >();
}

Operation *TCDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (isa<RankedTensorType>(type)) {
    if (auto elements = dyn_cast<ElementsAttr>(value))
      return ConstantOp::create(builder, loc, type, elements);
    return nullptr;
  }
  if (auto typed = dyn_cast<TypedAttr>(value); typed && typed.getType() == type)
    return ScalarOp::create(builder, loc, type, typed);
  return nullptr;
}
