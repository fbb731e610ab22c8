//===- PreparationOps.cpp - Values prepared ahead of the calls ------------===//

#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

LogicalResult PreparedOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("expects a tensor type of constant sizes, but it is ")
           << getType();
  if (static_cast<int64_t>(getResult()) < 0)
    return emitOpError("expects 'result' of at least 0, but it is ")
           << static_cast<int64_t>(getResult());
  return success();
}

/// The tensor types that `function` returns, also after bufferize.
static SmallVector<Type> getOutputTypes(func::FuncOp function) {
  auto known = function->getAttrOfType<ArrayAttr>(kResultTypesAttr);
  if (!known)
    return llvm::to_vector(function.getResultTypes());
  return llvm::map_to_vector(known.getAsRange<TypeAttr>(),
                             [](TypeAttr type) { return type.getValue(); });
}

LogicalResult PreparedOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto name = FlatSymbolRefAttr::get(getContext(), kPrepareFunction);
  Operation *found = symbolTable.lookupNearestSymbolFrom(*this, name);
  if (!found)
    return emitOpError("expects a function ") << name << " in the module";
  // Emitted functions have other types; the manifest has their results.
  auto function = dyn_cast<func::FuncOp>(found);
  if (!function)
    return success();
  SmallVector<Type> types = getOutputTypes(function);
  if (getResult() < types.size() && types[getResult()] == getType())
    return success();
  InFlightDiagnostic error = emitOpError("expects result ");
  error << static_cast<int64_t>(getResult()) << " of " << name << " to be "
        << getType() << ", but ";
  if (getResult() < types.size())
    error << "it is " << types[getResult()];
  else
    error << "it has " << types.size() << " results";
  error.attachNote(function.getLoc()) << "the function is here";
  return error;
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/PreparationOps.cpp.inc"
