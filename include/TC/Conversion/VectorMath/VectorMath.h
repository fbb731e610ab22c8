//===- VectorMath.h - Elementwise functions as arith ops --------*- C++ -*-===//
//
// The emitted side of the elementwise table (ElementwiseOps.td): each function
// builds its result from arith, math (only ops that are instructions: fma,
// sqrt, absf, floor, ceil, trunc, roundeven, copysign) and vector ops, without
// calls and, but for sines of large numbers, without branches, for every code
// generator alike.
//
// Operands are scalars or 1-d vectors of any length; floats are f32 or f64
// (a caller widens bf16 and f16 to f32 first), integers are signless. Results
// have the operands' type unless said otherwise. What is emitted needs neither
// reassociation nor `nnan`/`ninf`.
// Errors of the float functions: docs/vector-math.md.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_VECTORMATH_VECTORMATH_H
#define TC_CONVERSION_VECTORMATH_VECTORMATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"

namespace tc::vectormath {

/// What the target offers beyond ordinary vector arithmetic.
struct VectorMathOptions {
  /// AVX-512 F, VL and DQ: permutations as table lookups, scalef.
  bool hasAvx512 = false;
  /// Fused multiply-add.
  bool hasFMA = true;
  /// Instructions between f16 and f32.
  bool hasF16Conversion = true;
  /// An instruction that rounds f32 to bf16 (AVX512-BF16, sm_80); on x86 it
  /// gives 0 for denormal numbers.
  bool hasBF16Rounding = false;
  /// Dot products of pairs of bf16, accumulated in f32 (AVX512-BF16).
  bool hasBF16Dot = false;
  /// Registers for tiles of matrices, and their products in bf16 (AMX-BF16).
  bool hasBF16Tiles = false;
  /// Values of 16 bits lie in registers of 32 bits, in pairs, as they do on
  /// GPUs.
  bool hasPairsOf16Bits = false;
  /// The instructions for the maximum and the minimum of two f32 order zeros,
  /// as IEEE 754 has it: +0 is above -0.
  bool ordersZeros = false;
  /// Instructions that approximate 2^x, log2(x), 1 / x and 1 / sqrt(x) of f32,
  /// as GPUs of NVIDIA have.
  bool hasSpecialFunctions = false;
  /// f32 results are rounded to bf16 or f16 afterwards: shorter polynomials,
  /// with errors of about 2^-14, will do (and 0 for what is below 2^-104).
  /// emitElementwise sets it for ops on these types.
  bool roundsTo16Bits = false;
  /// They are rounded to bf16: errors of about 2^-11 will do where a function
  /// has an instruction for it.
  bool roundsToBF16 = false;
};

/// A builder that knows the target's options. It inserts where the builder it
/// is made from does, before the same op, and reports to the same listener.
class VectorMathBuilder : public mlir::OpBuilder {
public:
  VectorMathBuilder(const mlir::OpBuilder &builder,
                    const VectorMathOptions &options)
      : OpBuilder(builder), options(options) {}

  const VectorMathOptions options;
};

/// Registers the dialects that the emitted ops belong to.
void registerVectorMathDialects(mlir::DialectRegistry &registry);

#define TC_VECTOR_MATH_UNARY(NAME)                                             \
  mlir::Value NAME(VectorMathBuilder &b, mlir::Location loc, mlir::Value x);
#define TC_VECTOR_MATH_BINARY(NAME)                                            \
  mlir::Value NAME(VectorMathBuilder &b, mlir::Location loc, mlir::Value x,    \
                   mlir::Value y);

// Float functions, by the names of the table's rows.
TC_VECTOR_MATH_UNARY(emitExp)
/// e^x of x that are not above 0, where an error of 2^-23 is small next to the
/// results of x near 0: in a softmax.
TC_VECTOR_MATH_UNARY(emitExpOfNonPositive)
TC_VECTOR_MATH_UNARY(emitExp2)
TC_VECTOR_MATH_UNARY(emitExpm1)
TC_VECTOR_MATH_UNARY(emitLog)
/// log(x) of f32 where an error of 8 units in the last place is small next to
/// that of a sum of multiples of such numbers.
TC_VECTOR_MATH_UNARY(emitLogOfTerm)
TC_VECTOR_MATH_UNARY(emitLog2)
TC_VECTOR_MATH_UNARY(emitLog10)
TC_VECTOR_MATH_UNARY(emitLog1p)
TC_VECTOR_MATH_UNARY(emitRsqrt)
TC_VECTOR_MATH_UNARY(emitReciprocal)
TC_VECTOR_MATH_UNARY(emitSin)
TC_VECTOR_MATH_UNARY(emitCos)
TC_VECTOR_MATH_UNARY(emitTan)
TC_VECTOR_MATH_UNARY(emitAsin)
TC_VECTOR_MATH_UNARY(emitAcos)
TC_VECTOR_MATH_UNARY(emitAtan)
TC_VECTOR_MATH_UNARY(emitSinh)
TC_VECTOR_MATH_UNARY(emitCosh)
TC_VECTOR_MATH_UNARY(emitTanh)
TC_VECTOR_MATH_UNARY(emitAsinh)
TC_VECTOR_MATH_UNARY(emitAcosh)
TC_VECTOR_MATH_UNARY(emitAtanh)
TC_VECTOR_MATH_UNARY(emitErf)
TC_VECTOR_MATH_UNARY(emitErfc)
TC_VECTOR_MATH_UNARY(emitErfinv)
TC_VECTOR_MATH_UNARY(emitLgamma)
TC_VECTOR_MATH_UNARY(emitSigmoid)
TC_VECTOR_MATH_UNARY(emitSilu)
TC_VECTOR_MATH_UNARY(emitGelu)
TC_VECTOR_MATH_UNARY(emitGeluTanh)
TC_VECTOR_MATH_UNARY(emitSignFloat)
TC_VECTOR_MATH_UNARY(emitRelu)
TC_VECTOR_MATH_UNARY(emitSqrt)
TC_VECTOR_MATH_BINARY(emitDivFloat)
TC_VECTOR_MATH_BINARY(emitFloorDivFloat)
TC_VECTOR_MATH_BINARY(emitTruncDivFloat)
TC_VECTOR_MATH_BINARY(emitRemainderFloat)
TC_VECTOR_MATH_BINARY(emitFmodFloat)
TC_VECTOR_MATH_BINARY(emitPow)
TC_VECTOR_MATH_BINARY(emitAtan2)
TC_VECTOR_MATH_BINARY(emitGeluGrad)
TC_VECTOR_MATH_BINARY(emitHypot)

// Predicates of a float; the result is of i1.
TC_VECTOR_MATH_UNARY(emitIsInf)
TC_VECTOR_MATH_UNARY(emitIsFinite)
TC_VECTOR_MATH_UNARY(emitSignbit)
TC_VECTOR_MATH_BINARY(emitFmax)
TC_VECTOR_MATH_BINARY(emitFmin)

// Integer functions. Division by 0 gives 0 and does not trap, nor does the
// smallest integer divided by -1, which wraps to itself (remainder 0).
TC_VECTOR_MATH_UNARY(emitNegInteger)
TC_VECTOR_MATH_UNARY(emitSignSigned)
TC_VECTOR_MATH_UNARY(emitSignUnsigned)
TC_VECTOR_MATH_UNARY(emitReluSigned)
TC_VECTOR_MATH_UNARY(emitBitwiseNot)
TC_VECTOR_MATH_BINARY(emitFloorDivSigned)
TC_VECTOR_MATH_BINARY(emitTruncDivSigned)
TC_VECTOR_MATH_BINARY(emitDivUnsigned)
TC_VECTOR_MATH_BINARY(emitRemainderSigned)
TC_VECTOR_MATH_BINARY(emitFmodSigned)
TC_VECTOR_MATH_BINARY(emitRemUnsigned)
TC_VECTOR_MATH_BINARY(emitPowSigned)
TC_VECTOR_MATH_BINARY(emitPowUnsigned)
TC_VECTOR_MATH_BINARY(emitShiftLeft)
TC_VECTOR_MATH_BINARY(emitShiftRightSigned)
TC_VECTOR_MATH_BINARY(emitShiftRightUnsigned)

/// Word `counter mod 4` of Philox 4x32-10 as an i64 (see tc.philox).
mlir::Value emitPhilox(VectorMathBuilder &b, mlir::Location loc,
                       mlir::Value seed, mlir::Value offset,
                       mlir::Value counter);
/// 16 bits for an element of a matrix as an i64 (see tc.dropout_bits).
mlir::Value emitPhiloxBits(VectorMathBuilder &b, mlir::Location loc,
                           mlir::Value seed, mlir::Value offset,
                           mlir::Value position);

#undef TC_VECTOR_MATH_UNARY
#undef TC_VECTOR_MATH_BINARY

/// x * y + z, rounded once, of f32 or f64: what error-free steps need. Without
/// the instruction f32 goes by way of f64, which holds the product exactly and
/// rounds the sum to 53 bits in between.
mlir::Value emitFMA(VectorMathBuilder &b, mlir::Location loc, mlir::Value x,
                    mlir::Value y, mlir::Value z);

/// x * y + z for sums of products: one instruction where there is one, else
/// rounded twice.
mlir::Value emitMultiplyAdd(VectorMathBuilder &b, mlir::Location loc,
                            mlir::Value x, mlir::Value y, mlir::Value z);

/// `x`, whose elements mean `from`, in the element type `to`. Both are element
/// types of the tc dialect other than complex ones; `x` itself has the signless
/// form of `from`, and the result that of `to` (ui8 is carried as i8). Meaning:
/// tc.cast.
mlir::Value emitCast(VectorMathBuilder &b, mlir::Location loc, mlir::Value x,
                     mlir::Type from, mlir::Type to);

} // namespace tc::vectormath

namespace tc {

/// Emits one op of the elementwise table, tc.select and tc.cast included, on
/// `operands`: scalars or 1-d vectors in signless form, which take the place of
/// the op's own. `op` gives the meaning (its name and element types). Operands
/// of bf16 and f16 must already be widened to f32 (except for tc.cast and
/// tc.select, which take them as they are); the result is then f32 as well.
/// Null if the op has no row for its operands' element type.
mlir::Value emitElementwise(vectormath::VectorMathBuilder &b,
                            mlir::Operation *op, mlir::ValueRange operands);

} // namespace tc

#endif // TC_CONVERSION_VECTORMATH_VECTORMATH_H
