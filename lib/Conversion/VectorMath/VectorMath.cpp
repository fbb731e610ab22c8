//===- VectorMath.cpp - Multiply-adds, and the dialects used --------------===//

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "Term.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc::vectormath {

void registerVectorMathDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect, LLVM::LLVMDialect>();
}

Value emitFMA(VectorMathBuilder &b, Location loc, Value x, Value y, Value z) {
  return fma(Term(b, loc, x), Term(b, loc, y), Term(b, loc, z));
}

Value emitMultiplyAdd(VectorMathBuilder &b, Location loc, Value x, Value y,
                      Value z) {
  if (b.options.hasFMA)
    return math::FmaOp::create(b, loc, x, y, z);
  return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, x, y), z);
}

} // namespace tc::vectormath
