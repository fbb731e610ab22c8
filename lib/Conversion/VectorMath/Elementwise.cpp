//===- Elementwise.cpp - From ops of the elementwise table to arith -------===//

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc {

#include "TC/Dialect/TC/IR/ElementwiseEmit.inc"

/// `type`, or a vector of it where `like` is one.
static Type withShapeOf(Value like, Type type) {
  auto vector = dyn_cast<VectorType>(like.getType());
  return vector ? Type(vector.clone(type)) : type;
}

/// A part of complex numbers that are held as integers, the real part low.
static Value emitPart(OpBuilder &b, Location loc, Value number, bool isReal) {
  unsigned width =
      getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth() / 2;
  if (!isReal) {
    Type type = number.getType();
    Value shift = arith::ConstantOp::create(
        b, loc,
        isa<VectorType>(type)
            ? TypedAttr(DenseElementsAttr::get(
                  cast<VectorType>(type),
                  b.getIntegerAttr(getElementTypeOrSelf(type), width)))
            : TypedAttr(b.getIntegerAttr(type, width)));
    number = arith::ShRUIOp::create(b, loc, number, shift);
  }
  Value bits = arith::TruncIOp::create(
      b, loc, withShapeOf(number, b.getIntegerType(width)), number);
  Type part = width == 32 ? Type(b.getF32Type()) : Type(b.getF64Type());
  return arith::BitcastOp::create(b, loc, withShapeOf(number, part), bits);
}

static Value emitComplex(OpBuilder &b, Location loc, Value real,
                         Value imaginary) {
  unsigned width = getElementTypeOrSelf(real.getType()).getIntOrFloatBitWidth();
  Type whole = withShapeOf(real, b.getIntegerType(2 * width));
  auto widen = [&](Value part) -> Value {
    Value bits = arith::BitcastOp::create(
        b, loc, withShapeOf(part, b.getIntegerType(width)), part);
    return arith::ExtUIOp::create(b, loc, whole, bits);
  };
  Type element = b.getIntegerType(2 * width);
  TypedAttr amount = b.getIntegerAttr(element, width);
  if (auto vector = dyn_cast<VectorType>(whole))
    amount = DenseElementsAttr::get(vector, Attribute(amount));
  Value high = arith::ShLIOp::create(b, loc, widen(imaginary),
                                     arith::ConstantOp::create(b, loc, amount));
  return arith::OrIOp::create(b, loc, widen(real), high);
}

Value emitElementwise(vectormath::VectorMathBuilder &b, Operation *op,
                      ValueRange operands) {
  Location loc = op->getLoc();
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<CastOp>(op)) {
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    return vectormath::emitCast(b, loc, operands[0], from, to);
  }
  if (isa<SelectOp>(op))
    return arith::SelectOp::create(b, loc, operands[0], operands[1],
                                   operands[2]);
  if (isa<RealOp, ImagOp>(op))
    return emitPart(b, loc, operands[0], isa<RealOp>(op));
  if (isa<ComplexOp>(op))
    return emitComplex(b, loc, operands[0], operands[1]);
  const ElementwiseEmitRow *row =
      findElementwiseEmitRow(op->getName().getStringRef());
  if (!row)
    return nullptr;
  ElementwiseEmitFunction *emit = isa<FloatType>(from)       ? row->onFloat
                                  : from.isInteger(1)        ? row->onBool
                                  : from.isUnsignedInteger() ? row->onUnsigned
                                                             : row->onSigned;
  if (!emit)
    return nullptr;
  Type rounded = from;
  if (auto type = op->getAttrOfType<TypeAttr>(kRoundedAttr))
    rounded = type.getValue();
  if (!rounded.isBF16() && !rounded.isF16())
    return emit(b, loc, operands);
  vectormath::VectorMathOptions options = b.options;
  options.roundsTo16Bits = true;
  options.roundsToBF16 = rounded.isBF16();
  vectormath::VectorMathBuilder builder(b, options);
  return emit(builder, loc, operands);
}

} // namespace tc
