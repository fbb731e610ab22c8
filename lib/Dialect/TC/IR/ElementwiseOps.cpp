//===- ElementwiseOps.cpp - Elementwise ops -------------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

/// The type of `shapeLike` (tensor or scalar) with element type i1.
static Type getBoolLike(Type shapeLike) {
  Type boolean = IntegerType::get(shapeLike.getContext(), 1);
  if (auto tensor = dyn_cast<RankedTensorType>(shapeLike))
    return withElementType(tensor, boolean);
  return boolean;
}

/// Result type of a predicate: the first operand's shape, of i1.
static LogicalResult inferPredicate(ValueRange operands,
                                    SmallVectorImpl<Type> &results) {
  if (operands.empty())
    return failure();
  results.push_back(getBoolLike(operands.front().getType()));
  return success();
}

#define TC_PREDICATE(OP)                                                       \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     ValueRange operands, DictionaryAttr,      \
                                     OpaqueProperties, RegionRange,            \
                                     SmallVectorImpl<Type> &results) {         \
    return inferPredicate(operands, results);                                  \
  }
TC_PREDICATE(IsNanOp)
TC_PREDICATE(IsInfOp)
TC_PREDICATE(IsFiniteOp)
TC_PREDICATE(SignbitOp)
TC_PREDICATE(EqOp)
TC_PREDICATE(NeOp)
TC_PREDICATE(LtOp)
TC_PREDICATE(LeOp)
TC_PREDICATE(GtOp)
TC_PREDICATE(GeOp)
#undef TC_PREDICATE

/// Tensors of equal sizes, or two scalars.
static bool haveSameShape(Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a),
       second = dyn_cast<RankedTensorType>(b);
  if (!first || !second)
    return !first && !second;
  return getSizes(first) == getSizes(second);
}

LogicalResult SelectOp::verify() {
  if (haveSameShape(getCondition().getType(), getResult().getType()))
    return success();
  return emitOpError("has a condition of type ")
         << getCondition().getType() << " and values of type "
         << getResult().getType()
         << "; expected the same sizes (broadcast with tc.broadcast)";
}

LogicalResult CastOp::verify() {
  if (haveSameShape(getX().getType(), getResult().getType()))
    return success();
  return emitOpError("casts ")
         << getX().getType() << " to " << getResult().getType()
         << "; expected the same sizes";
}

//===----------------------------------------------------------------------===//
// Parts of complex numbers
//===----------------------------------------------------------------------===//

/// `type` with `change` applied to its element type, or to itself.
static Type changeElement(Type type, function_ref<Type(Type)> change) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return withElementType(tensor, change(tensor.getElementType()));
  return change(type);
}

/// The type of the parts of operand 0.
static LogicalResult inferPart(ValueRange operands,
                               SmallVectorImpl<Type> &results) {
  if (operands.size() != 1)
    return failure();
  Type type = operands[0].getType();
  if (!isa<ComplexType>(getElementTypeOrSelf(type)))
    return failure();
  results.push_back(changeElement(type, [](Type element) {
    return cast<ComplexType>(element).getElementType();
  }));
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferPart(operands, results);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferPart(operands, results);
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &results) {
  if (operands.size() != 2 ||
      !isa<FloatType>(getElementTypeOrSelf(operands[0].getType())))
    return failure();
  results.push_back(changeElement(operands[0].getType(), [](Type element) {
    return ComplexType::get(element);
  }));
  return success();
}

OpFoldResult RealOp::fold(FoldAdaptor) {
  auto joined = getX().getDefiningOp<ComplexOp>();
  return joined ? joined.getReal() : OpFoldResult();
}

OpFoldResult ImagOp::fold(FoldAdaptor) {
  auto joined = getX().getDefiningOp<ComplexOp>();
  return joined ? joined.getImaginary() : OpFoldResult();
}

OpFoldResult ComplexOp::fold(FoldAdaptor) {
  auto real = getReal().getDefiningOp<RealOp>();
  auto imaginary = getImaginary().getDefiningOp<ImagOp>();
  if (real && imaginary && real.getX() == imaginary.getX())
    return real.getX();
  return {};
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ElementwiseOps.cpp.inc"
