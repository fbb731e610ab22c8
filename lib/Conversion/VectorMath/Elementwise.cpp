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

void vectormath::registerVectorMathDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect, LLVM::LLVMDialect>();
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
  if (!from.isBF16() && !from.isF16())
    return emit(b, loc, operands);
  vectormath::VectorMathOptions options = b.options;
  options.roundsTo16Bits = true;
  vectormath::VectorMathBuilder builder(b, options);
  return emit(builder, loc, operands);
}

} // namespace tc
