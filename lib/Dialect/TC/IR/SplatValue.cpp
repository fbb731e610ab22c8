//===- SplatValue.cpp - Tensors of one value ------------------------------===//

#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;

TypedAttr tc::getSplatValue(Value value) {
  // Views repeat or leave out elements, and a tensor of one value stays one.
  while (Operation *view = value.getDefiningOp()) {
    if (!isa<BroadcastOp, TransposeOp, ReshapeOp, SliceOp>(view))
      break;
    value = view->getOperand(0);
  }
  if (auto full = value.getDefiningOp<FullOp>())
    return cast<TypedAttr>(full.getValue());
  if (auto scalar = value.getDefiningOp<ScalarOp>())
    return cast<TypedAttr>(scalar.getValue());
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return {};
}

TypedAttr tc::getZero(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return complex::NumberAttr::get(complex, 0.0, 0.0);
  return Builder(elementType.getContext()).getZeroAttr(elementType);
}

std::optional<double> tc::getSplatFloat(Value value) {
  auto splat = dyn_cast_or_null<FloatAttr>(getSplatValue(value));
  if (!splat)
    return std::nullopt;
  return splat.getValueAsDouble();
}

std::optional<int64_t> tc::getSplatInteger(Value value) {
  auto splat = dyn_cast_or_null<IntegerAttr>(getSplatValue(value));
  if (!splat)
    return std::nullopt;
  bool zeroExtend =
      splat.getType().isInteger(1) || splat.getType().isUnsignedInteger();
  return zeroExtend ? static_cast<int64_t>(splat.getValue().getZExtValue())
                    : splat.getValue().getSExtValue();
}
