//===- LibraryOps.cpp - Calls of libraries --------------------------------===//

#include "TC/Dialect/TC/IR/LibraryOps.h"

using namespace mlir;
using namespace tc;

SmallVector<SizeExprAttr, 13> LibraryCallOp::getSizeExpressions() {
  SmallVector<SizeExprAttr, 13> result{getBatches(), getRows(), getColumns(),
                                       getReduced()};
  for (MatrixAttr matrix : {getAMatrix(), getBMatrix(), getDMatrix()})
    llvm::append_values(result, matrix.getPitch(), matrix.getBatchStride(),
                        matrix.getOffset());
  return result;
}

LogicalResult LibraryCallOp::verify() {
  Type element = cast<MemRefType>(getA().getType()).getElementType(),
       result = cast<MemRefType>(getD().getType()).getElementType();
  Type other = cast<MemRefType>(getB().getType()).getElementType();
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (!isKnown || element != other || !(result == element || result.isF32()))
    return emitOpError("multiplies ")
           << element << " by " << other << " to " << result
           << "; expected f32, bf16 or f16, the same for both, and that or f32 "
              "as the result";
  LibraryScheduleAttr schedule = getSchedule();
  if (bool(getBias()) != (schedule.getBias() >= 0))
    return emitOpError("has ")
           << (getBias() ? "a" : "no") << " bias and a schedule with bias "
           << schedule.getBias()
           << "; expected a bias exactly where the schedule names an input";
  if (getBias() &&
      cast<MemRefType>(getBias().getType()).getElementType() != result)
    return emitOpError("has a bias of type ")
           << getBias().getType() << "; expected elements of type " << result
           << ", as the result has";
  if (bool(getWorkspace()) != (schedule.getWorkspace() > 0))
    return emitOpError("has ")
           << (getWorkspace() ? "a" : "no")
           << " workspace and a schedule with workspace "
           << schedule.getWorkspace()
           << "; expected one exactly where the schedule asks for bytes";
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/LibraryOps.cpp.inc"
