//===- InputOps.cpp - The memory of inputs --------------------------------===//

#include "TC/Dialect/TC/IR/InputOps.h"

using namespace mlir;
using namespace tc;

std::optional<Sizes> tc::getInputStrides(FunctionOpInterface function,
                                         unsigned argument) {
  auto strides = function.getArgAttrOfType<ArrayAttr>(argument, kStridesAttr);
  if (!strides)
    return std::nullopt;
  return Sizes(strides.getAsRange<SizeExpr>());
}

LogicalResult tc::verifyInputStrides(FunctionOpInterface function,
                                     unsigned argument, Attribute strides) {
  auto fail = [&]() -> InFlightDiagnostic {
    return function->emitError() << "argument " << argument << " has "
                                 << kStridesAttr << " = " << strides;
  };
  auto list = dyn_cast<ArrayAttr>(strides);
  if (!list || !llvm::all_of(list, llvm::IsaPred<SizeExpr>))
    return fail() << "; expected an array of #tc.expr";
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasRank())
    return fail() << " and type " << function.getArgumentTypes()[argument]
                  << "; expected a ranked tensor";
  if (int64_t(list.size()) != type.getRank())
    return fail() << ", " << list.size() << " strides; expected "
                  << type.getRank() << ", one for each dimension of " << type;
  for (auto [dim, stride] : llvm::enumerate(list.getAsRange<SizeExpr>()))
    if (stride.getConstant().value_or(0) < 0)
      return fail() << ", a negative stride of dimension " << dim
                    << "; expected at least 0";
  return success();
}

//===----------------------------------------------------------------------===//
// InputStorageOp
//===----------------------------------------------------------------------===//

/// The function whose argument the op is about; null for another operand.
static FunctionOpInterface getFunction(InputStorageOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getX());
  auto function = argument ? dyn_cast_or_null<FunctionOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : FunctionOpInterface();
  return function && argument.getOwner()->isEntryBlock()
             ? function
             : FunctionOpInterface();
}

Sizes InputStorageOp::getInputStrides() {
  return *tc::getInputStrides(getFunction(*this),
                              cast<BlockArgument>(getX()).getArgNumber());
}

LogicalResult InputStorageOp::verify() {
  FunctionOpInterface function = getFunction(*this);
  if (!function || !tc::getInputStrides(
                       function, cast<BlockArgument>(getX()).getArgNumber()))
    return emitOpError("is of a value that is no argument with ")
           << kStridesAttr << "; expected an argument of the function that has "
           << "it";
  auto input = cast<ShapedType>(getX().getType()),
       storage = cast<ShapedType>(getType());
  if (input.getElementType() != storage.getElementType() ||
      isa<MemRefType>(input) != isa<MemRefType>(storage))
    return emitOpError("shows ")
           << input << " as " << storage
           << "; expected the same kind of type and of element";
  SizeExpr last = SizeExpr::constant(getContext(), 0);
  for (auto [size, stride] :
       llvm::zip_equal(getSizes(input), getInputStrides()))
    last = last.add(size.add(-1).mul(stride));
  SizeExpr room = getElementCount(getSizes(storage), getContext());
  bool isEmpty = llvm::any_of(getSizes(input),
                              [](SizeExpr size) { return size.isConstant(0); });
  if (isEmpty || room.sub(last).getConstant().value_or(1) >= 1)
    return success();
  return emitOpError("has a result of ")
         << room.str() << " elements; expected more than " << last.str()
         << ", the position of the input's last one";
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/InputOps.cpp.inc"
