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

/// The type of the first of `count` operands with what `change` makes of its
/// element type; `change` gives null for one that the op does not take.
static LogicalResult inferElement(ValueRange operands, size_t count,
                                  function_ref<Type(Type)> change,
                                  SmallVectorImpl<Type> &results) {
  if (operands.size() != count)
    return failure();
  Type type = operands[0].getType();
  Type element = change(getElementTypeOrSelf(type));
  if (!element)
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  results.push_back(tensor ? withElementType(tensor, element) : element);
  return success();
}

static Type getPartType(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : Type();
}

static Type getJoinedType(Type element) {
  return isa<FloatType>(element) ? ComplexType::get(element) : Type();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferElement(operands, 1, getPartType, results);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferElement(operands, 1, getPartType, results);
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &results) {
  return inferElement(operands, 2, getJoinedType, results);
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
