//===- RandomSeed.cpp - The seed that a caller gives ----------------------===//

#include "TC/Dialect/TC/IR/RandomSeed.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tc;

Value tc::findRandomSeed(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kRandomSeedAttr))
      return argument;
  return Value();
}

LogicalResult tc::verifyRandomSeed(FunctionOpInterface function,
                                   unsigned argument, Attribute attribute) {
  auto fail = [&]() -> InFlightDiagnostic {
    return function->emitError()
           << "argument " << argument << " has " << kRandomSeedAttr;
  };
  if (!isa<UnitAttr>(attribute))
    return fail() << " = " << attribute << "; expected no value";
  Type type = function.getArgumentTypes()[argument];
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.getRank() != 0 ||
      !shaped.getElementType().isInteger(64))
    return fail() << " and type " << type << "; expected tensor<i64>";
  for (unsigned before = 0; before < argument; ++before)
    if (function.getArgAttr(before, kRandomSeedAttr))
      return fail() << ", as argument " << before << " has; expected one seed";
  return success();
}
