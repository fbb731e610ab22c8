//===- TCOps.h - All ops of the tc dialect ----------------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_TCOPS_H
#define TC_DIALECT_TC_IR_TCOPS_H

#include "TC/Dialect/TC/IR/DataDependentSymbols.h"
#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "TC/Dialect/TC/IR/TCInterfaces.h.inc"

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ContractionOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/IndexOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/KernelOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ModuleOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/NNOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/PoolOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/RandomOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ReductionOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/RoutineOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/SortScanOps.h.inc"

#endif // TC_DIALECT_TC_IR_TCOPS_H
