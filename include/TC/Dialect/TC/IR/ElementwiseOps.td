//===- ElementwiseOps.td - The elementwise table ----------------*- tablegen -*-===//
//
// One row per elementwise op, with both sides of its meaning: the reference
// expression that the interpreter evaluates, and the form that code
// generation emits. Everything else about an op - interpreter case, emitter
// case, ATen conversion, tests, documentation - is generated from its row.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ELEMENTWISE_OPS
#define TC_ELEMENTWISE_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

/// A row. In `reference`, x, y and z are the operands as T, one of double,
/// float, int64_t, uint64_t, bool (namespace tc::scalar holds functions beyond
/// <cmath>); for a comparison the result is bool. In the emitted forms x, y
/// and z are values, scalar or vector, of float, signless integer or i1 type;
/// `b` is the OpBuilder and `loc` the location (namespace tc::vectormath holds
/// what is more than one op). An empty emitted form: operands of that kind are
/// not accepted.
class TC_ElementwiseRow<string mnemonic, list<Trait> traits = []>
    : TC_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<TC_ElementwiseOpInterface>], traits)> {
  string reference = "";
  string emitFloat = "";
  string emitSigned = "";
  string emitUnsigned = emitSigned;
  string emitBool = "";
  /// ATen overloads with the same operands and meaning (after promotion).
  list<string> aten = [];
  /// Where tests sample float operands, as (low, high).
  list<string> sample = ["-10.0", "10.0"];
  /// Largest error of the emitted f32 form against the reference, in ULP.
  string ulp = "0";
}

class TC_Unary<string mnemonic, Type element> : TC_ElementwiseRow<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins TC_TensorOrScalarOf<element>:$x);
  let results = (outs TC_TensorOrScalarOf<element>:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}
class TC_Binary<string mnemonic, Type element, list<Trait> traits = []>
    : TC_ElementwiseRow<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins TC_TensorOrScalarOf<element>:$x, TC_TensorOrScalarOf<element>:$y);
  let results = (outs TC_TensorOrScalarOf<element>:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($result)";
}
/// Operands of one type, result the same shape of i1.
class TC_Predicate<string mnemonic, dag operands, list<Trait> traits = []>
    : TC_ElementwiseRow<mnemonic, !listconcat([DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  let arguments = operands;
  let results = (outs TC_TensorOrScalarOf<TC_Bool>:$result);
}
class TC_Compare<string mnemonic, string name, string op, string float, string signed, string unsigned, string aten_>
    : TC_Predicate<mnemonic, (ins TC_TensorOrScalarOf<TC_Computable>:$x, TC_TensorOrScalarOf<TC_Computable>:$y),
                   [SameTypeOperands]> {
  let summary = "whether x is " # name # " y";
  let description = "`x " # op # " y`, false for NaN unless the comparison is `!=`. PyTorch: `torch." # aten_ # [{`.

    Example: `%r = tc.}] # mnemonic # [{ %x, %y : tensor<4xf32>`
  }];
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let reference = "x " # op # " y";
  let emitFloat = "arith::CmpFOp::create(b, loc, arith::CmpFPredicate::" # float # ", x, y)";
  let emitSigned = "arith::CmpIOp::create(b, loc, arith::CmpIPredicate::" # signed # ", x, y)";
  let emitUnsigned = "arith::CmpIOp::create(b, loc, arith::CmpIPredicate::" # unsigned # ", x, y)";
  let emitBool = "arith::CmpIOp::create(b, loc, arith::CmpIPredicate::" # unsigned # ", x, y)";
  let aten = ["aten." # aten_ # ".Tensor", "aten." # aten_ # ".Scalar"];
}

/// A function of one float, from the C library or like it.
class TC_FloatFunction<string mnemonic, string summary_, string referenceForm, string emitted, string ulp_,
                       string low, string high> : TC_Unary<mnemonic, TC_Float> {
  let summary = summary_;
  let description = "Elementwise " # summary_ # ". PyTorch: `torch." # mnemonic # [{`.

    Example: `%r = tc.}] # mnemonic # [{ %x : tensor<4x8xf32>`
  }];
  let reference = referenceForm;
  let emitFloat = emitted;
  let ulp = ulp_;
  let sample = [low, high];
  let aten = ["aten." # mnemonic # ".default"];
}
class TC_EmittedFunction<string mnemonic, string summary_, string referenceForm, string function, string ulp_,
                         string low, string high>
    : TC_FloatFunction<mnemonic, summary_, referenceForm, "vectormath::" # function # "(b, loc, x)", ulp_, low, high>;
class TC_DirectFunction<string mnemonic, string summary_, string referenceForm, string op, string low, string high>
    : TC_FloatFunction<mnemonic, summary_, referenceForm, op # "::create(b, loc, x)", "0.5", low, high>;

//===----------------------------------------------------------------------===//
// Float functions
//===----------------------------------------------------------------------===//

def TC_ExpOp : TC_EmittedFunction<"exp", "e to the power x", "std::exp(x)", "emitExp", "1", "-100.0", "100.0">;
def TC_Exp2Op : TC_EmittedFunction<"exp2", "2 to the power x", "std::exp2(x)", "emitExp2", "1", "-140.0", "140.0">;
def TC_Expm1Op : TC_EmittedFunction<"expm1", "e to the power x, less 1", "std::expm1(x)", "emitExpm1", "2", "-20.0", "80.0">;
def TC_LogOp : TC_EmittedFunction<"log", "natural logarithm", "std::log(x)", "emitLog", "1.5", "0.0", "1000.0">;
def TC_Log2Op : TC_EmittedFunction<"log2", "logarithm to base 2", "std::log2(x)", "emitLog2", "1.5", "0.0", "1000.0">;
def TC_Log10Op : TC_EmittedFunction<"log10", "logarithm to base 10", "std::log10(x)", "emitLog10", "2", "0.0", "1000.0">;
def TC_Log1pOp : TC_EmittedFunction<"log1p", "natural logarithm of 1 + x", "std::log1p(x)", "emitLog1p", "2", "-1.0", "1000.0">;
def TC_SqrtOp : TC_EmittedFunction<"sqrt", "square root", "std::sqrt(x)", "emitSqrt", "0.5", "0.0", "1000.0">;
def TC_RsqrtOp : TC_EmittedFunction<"rsqrt", "reciprocal of the square root", "T(1) / std::sqrt(x)", "emitRsqrt", "1.5", "0.0", "1000.0">;
def TC_ReciprocalOp : TC_EmittedFunction<"reciprocal", "1 / x", "T(1) / x", "emitReciprocal", "0.5", "-10.0", "10.0">;
def TC_SinOp : TC_EmittedFunction<"sin", "sine", "std::sin(x)", "emitSin", "2", "-100.0", "100.0">;
def TC_CosOp : TC_EmittedFunction<"cos", "cosine", "std::cos(x)", "emitCos", "2", "-100.0", "100.0">;
def TC_TanOp : TC_EmittedFunction<"tan", "tangent", "std::tan(x)", "emitTan", "3.5", "-100.0", "100.0">;
def TC_AsinOp : TC_EmittedFunction<"asin", "inverse sine", "std::asin(x)", "emitAsin", "3", "-1.0", "1.0">;
def TC_AcosOp : TC_EmittedFunction<"acos", "inverse cosine", "std::acos(x)", "emitAcos", "2", "-1.0", "1.0">;
def TC_AtanOp : TC_EmittedFunction<"atan", "inverse tangent", "std::atan(x)", "emitAtan", "2", "-10.0", "10.0">;
def TC_SinhOp : TC_EmittedFunction<"sinh", "hyperbolic sine", "std::sinh(x)", "emitSinh", "2", "-20.0", "20.0">;
def TC_CoshOp : TC_EmittedFunction<"cosh", "hyperbolic cosine", "std::cosh(x)", "emitCosh", "2", "-20.0", "20.0">;
def TC_TanhOp : TC_EmittedFunction<"tanh", "hyperbolic tangent", "std::tanh(x)", "emitTanh", "3", "-10.0", "10.0">;
def TC_AsinhOp : TC_EmittedFunction<"asinh", "inverse hyperbolic sine", "std::asinh(x)", "emitAsinh", "2.5", "-100.0", "100.0">;
def TC_AcoshOp : TC_EmittedFunction<"acosh", "inverse hyperbolic cosine", "std::acosh(x)", "emitAcosh", "2.5", "1.0", "100.0">;
def TC_AtanhOp : TC_EmittedFunction<"atanh", "inverse hyperbolic tangent", "std::atanh(x)", "emitAtanh", "2.5", "-1.0", "1.0">;
def TC_ErfOp : TC_EmittedFunction<"erf", "error function", "std::erf(x)", "emitErf", "2.5", "-5.0", "5.0">;
def TC_ErfcOp : TC_EmittedFunction<"erfc", "complementary error function", "std::erfc(x)", "emitErfc", "6", "-5.0", "5.0">;
def TC_ErfinvOp : TC_EmittedFunction<"erfinv", "inverse error function", "scalar::erfinv(x)", "emitErfinv", "4", "-1.0", "1.0">;
def TC_LgammaOp : TC_EmittedFunction<"lgamma", "logarithm of the absolute gamma function", "std::lgamma(x)", "emitLgamma", "1", "-10.0", "50.0">;
def TC_SigmoidOp : TC_EmittedFunction<"sigmoid", "logistic sigmoid", "T(1) / (T(1) + std::exp(-x))", "emitSigmoid", "3", "-20.0", "20.0">;
def TC_FloorOp : TC_DirectFunction<"floor", "largest integer not above x", "std::floor(x)", "math::FloorOp", "-10.0", "10.0">;
def TC_CeilOp : TC_DirectFunction<"ceil", "smallest integer not below x", "std::ceil(x)", "math::CeilOp", "-10.0", "10.0">;
def TC_TruncOp : TC_DirectFunction<"trunc", "x rounded towards zero", "std::trunc(x)", "math::TruncOp", "-10.0", "10.0">;
def TC_RoundOp : TC_DirectFunction<"round", "x rounded to the nearest integer, ties to even", "std::nearbyint(x)", "math::RoundEvenOp", "-10.0", "10.0">;
def TC_SiluOp : TC_EmittedFunction<"silu", "x times its sigmoid", "x / (T(1) + std::exp(-x))", "emitSilu", "3.5", "-20.0", "20.0">;
def TC_GeluOp : TC_FloatFunction<"gelu", "Gaussian error linear unit, exact", "T(0.5) * x * std::erfc(-x * T(0.70710678118654752440L))",
                                 "vectormath::emitGelu(b, loc, x)", "5", "-5.0", "10.0"> {
  let aten = [];
}
def TC_GeluTanhOp : TC_FloatFunction<"gelu_tanh", "Gaussian error linear unit, tanh approximation",
    "x / (T(1) + std::exp(T(-1.5957691216057307118L) * (x + T(0.044715L) * x * x * x)))",
    "vectormath::emitGeluTanh(b, loc, x)", "4", "-5.0", "10.0"> {
  let aten = [];
}

//===----------------------------------------------------------------------===//
// Numeric, one operand
//===----------------------------------------------------------------------===//

def TC_NegOp : TC_Unary<"neg", TC_Numeric> {
  let summary = "minus x";
  let description = [{
    `-x`; integers wrap. PyTorch: `torch.neg`.

    Example: `%r = tc.neg %x : tensor<4xf32>`
  }];
  let reference = "scalar::neg(x)";
  let emitFloat = "arith::NegFOp::create(b, loc, x)";
  let emitSigned = "vectormath::emitNegInteger(b, loc, x)";
  let aten = ["aten.neg.default"];
}
def TC_AbsOp : TC_Unary<"abs", TC_Numeric> {
  let summary = "absolute value";
  let description = [{
    `|x|`; the smallest signed integer stays as it is. PyTorch: `torch.abs`.

    Example: `%r = tc.abs %x : tensor<4xf32>`
  }];
  let reference = "scalar::abs(x)";
  let emitFloat = "math::AbsFOp::create(b, loc, x)";
  let emitSigned = "math::AbsIOp::create(b, loc, x)";
  let emitUnsigned = "x";
  let aten = ["aten.abs.default"];
}
def TC_SignOp : TC_Unary<"sign", TC_Numeric> {
  let summary = "-1, 0 or 1 by the sign of x";
  let description = [{
    NaN and both zeros give 0, as in PyTorch. PyTorch: `torch.sign`.

    Example: `%r = tc.sign %x : tensor<4xf32>`
  }];
  let reference = "T(T(0) < x) - T(x < T(0))";
  let emitFloat = "vectormath::emitSignFloat(b, loc, x)";
  let emitSigned = "vectormath::emitSignSigned(b, loc, x)";
  let emitUnsigned = "vectormath::emitSignUnsigned(b, loc, x)";
  let aten = ["aten.sign.default"];
}
def TC_ReluOp : TC_Unary<"relu", TC_Numeric> {
  let summary = "x where it is above 0, else 0";
  let description = [{
    NaN stays NaN; -0 gives 0 or -0. PyTorch: `torch.relu`.

    Example: `%r = tc.relu %x : tensor<4xf32>`
  }];
  let reference = "scalar::maximum(x, T(0))";
  let emitFloat = "vectormath::emitRelu(b, loc, x)";
  let emitSigned = "vectormath::emitReluSigned(b, loc, x)";
  let emitUnsigned = "x";
  let aten = ["aten.relu.default"];
}

//===----------------------------------------------------------------------===//
// Predicates, one operand
//===----------------------------------------------------------------------===//

class TC_FloatPredicate<string mnemonic, string summary_, string referenceForm, string emitted>
    : TC_Predicate<mnemonic, (ins TC_TensorOrScalarOf<TC_Float>:$x)> {
  let summary = summary_;
  let description = "Elementwise: " # summary_ # ". PyTorch: `torch." # mnemonic # [{`.

    Example: `%r = tc.}] # mnemonic # [{ %x : tensor<4xf32>`
  }];
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let reference = referenceForm;
  let emitFloat = emitted;
  let aten = ["aten." # mnemonic # ".default"];
}
def TC_IsNanOp : TC_FloatPredicate<"isnan", "whether x is NaN", "std::isnan(x)",
    "arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x)">;
def TC_IsInfOp : TC_FloatPredicate<"isinf", "whether x is an infinity", "std::isinf(x)", "vectormath::emitIsInf(b, loc, x)">;
def TC_IsFiniteOp : TC_FloatPredicate<"isfinite", "whether x is neither NaN nor an infinity", "std::isfinite(x)",
    "vectormath::emitIsFinite(b, loc, x)">;
def TC_SignbitOp : TC_FloatPredicate<"signbit", "whether the sign bit of x is set", "std::signbit(x)",
    "vectormath::emitSignbit(b, loc, x)">;

//===----------------------------------------------------------------------===//
// Numeric, two operands
//===----------------------------------------------------------------------===//

class TC_Arithmetic<string mnemonic, string summary_, string note, string referenceForm, string float, string signed,
                    string unsigned, list<string> aten_, Type element = TC_Numeric, list<Trait> traits = []>
    : TC_Binary<mnemonic, element, traits> {
  let summary = summary_;
  let description = "Elementwise " # summary_ # ". " # note # [{

    Example: `%r = tc.}] # mnemonic # [{ %x, %y : tensor<4xf32>`
  }];
  let reference = referenceForm;
  let emitFloat = float;
  let emitSigned = signed;
  let emitUnsigned = unsigned;
  let aten = aten_;
}
class TC_ArithmeticOps<string float, string signed, string unsigned = signed> {
  string f = float # "::create(b, loc, x, y)";
  string s = signed # "::create(b, loc, x, y)";
  string u = unsigned # "::create(b, loc, x, y)";
}

defvar addForms = TC_ArithmeticOps<"arith::AddFOp", "arith::AddIOp">;
defvar subForms = TC_ArithmeticOps<"arith::SubFOp", "arith::SubIOp">;
defvar mulForms = TC_ArithmeticOps<"arith::MulFOp", "arith::MulIOp">;
def TC_AddOp : TC_Arithmetic<"add", "sum", "Integers wrap. PyTorch: `torch.add` without alpha.", "scalar::add(x, y)",
    addForms.f, addForms.s, addForms.u, [], TC_Numeric, [Commutative]>;
def TC_SubOp : TC_Arithmetic<"sub", "difference", "Integers wrap. PyTorch: `torch.sub` without alpha.", "scalar::sub(x, y)",
    subForms.f, subForms.s, subForms.u, []>;
def TC_MulOp : TC_Arithmetic<"mul", "product", "Integers wrap. PyTorch: `torch.mul`.", "scalar::mul(x, y)",
    mulForms.f, mulForms.s, mulForms.u, ["aten.mul.Tensor", "aten.mul.Scalar"], TC_Numeric, [Commutative]>;
def TC_DivOp : TC_Arithmetic<"div", "true quotient", "IEEE division. PyTorch: `torch.true_divide`, on floats.", "x / y",
    "vectormath::emitDivFloat(b, loc, x, y)", "", "", [], TC_Float>;
def TC_FloorDivOp : TC_Arithmetic<"floor_div", "quotient rounded towards minus infinity",
    "Integer division by 0 gives 0 where PyTorch raises. PyTorch: `torch.div(rounding_mode='floor')`, with the float algorithm of Python.",
    "scalar::floorDiv(x, y)", "vectormath::emitFloorDivFloat(b, loc, x, y)", "vectormath::emitFloorDivSigned(b, loc, x, y)",
    "vectormath::emitDivUnsigned(b, loc, x, y)", []>;
def TC_TruncDivOp : TC_Arithmetic<"trunc_div", "quotient rounded towards zero",
    "Integer division by 0 gives 0 where PyTorch raises. PyTorch: `torch.div(rounding_mode='trunc')`.", "scalar::truncDiv(x, y)",
    "vectormath::emitTruncDivFloat(b, loc, x, y)", "vectormath::emitTruncDivSigned(b, loc, x, y)",
    "vectormath::emitDivUnsigned(b, loc, x, y)", []>;
def TC_RemainderOp : TC_Arithmetic<"remainder", "remainder with the sign of y",
    "As Python's `%`. An integer y of 0 gives 0 where PyTorch raises. PyTorch: `torch.remainder`.", "scalar::remainder(x, y)",
    "vectormath::emitRemainderFloat(b, loc, x, y)", "vectormath::emitRemainderSigned(b, loc, x, y)",
    "vectormath::emitRemUnsigned(b, loc, x, y)", ["aten.remainder.Tensor", "aten.remainder.Scalar"]>;
def TC_FmodOp : TC_Arithmetic<"fmod", "remainder with the sign of x",
    "As C's `fmod`. An integer y of 0 gives 0 where PyTorch raises. PyTorch: `torch.fmod`.", "scalar::fmod(x, y)",
    "vectormath::emitFmodFloat(b, loc, x, y)", "vectormath::emitFmodSigned(b, loc, x, y)",
    "vectormath::emitRemUnsigned(b, loc, x, y)", ["aten.fmod.Tensor", "aten.fmod.Scalar"]>;
def TC_PowOp : TC_Arithmetic<"pow", "x to the power y",
    "Integers wrap; a negative integer exponent gives 0, or plus or minus 1 for a base of plus or minus 1. PyTorch: `torch.pow`.",
    "scalar::pow(x, y)", "vectormath::emitPow(b, loc, x, y)", "vectormath::emitPowSigned(b, loc, x, y)",
    "vectormath::emitPowUnsigned(b, loc, x, y)", ["aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar"]> {
  let ulp = "1.5";
  let sample = ["0.0", "8.0"];
}
def TC_MaximumOp : TC_Arithmetic<"maximum", "larger of x and y", "NaN if either is. PyTorch: `torch.maximum`.",
    "scalar::maximum(x, y)", "arith::MaximumFOp::create(b, loc, x, y)", "arith::MaxSIOp::create(b, loc, x, y)",
    "arith::MaxUIOp::create(b, loc, x, y)", ["aten.maximum.default"], TC_Computable, [Commutative]> {
  let emitBool = "arith::OrIOp::create(b, loc, x, y)";
}
def TC_MinimumOp : TC_Arithmetic<"minimum", "smaller of x and y", "NaN if either is. PyTorch: `torch.minimum`.",
    "scalar::minimum(x, y)", "arith::MinimumFOp::create(b, loc, x, y)", "arith::MinSIOp::create(b, loc, x, y)",
    "arith::MinUIOp::create(b, loc, x, y)", ["aten.minimum.default"], TC_Computable, [Commutative]> {
  let emitBool = "arith::AndIOp::create(b, loc, x, y)";
}
def TC_FmaxOp : TC_Arithmetic<"fmax", "larger of x and y, of which NaN is none", "PyTorch: `torch.fmax`.", "scalar::fmax(x, y)",
    "vectormath::emitFmax(b, loc, x, y)", "", "", ["aten.fmax.default"], TC_Float>;
def TC_FminOp : TC_Arithmetic<"fmin", "smaller of x and y, of which NaN is none", "PyTorch: `torch.fmin`.", "scalar::fmin(x, y)",
    "vectormath::emitFmin(b, loc, x, y)", "", "", ["aten.fmin.default"], TC_Float>;
def TC_Atan2Op : TC_Arithmetic<"atan2", "angle of the point (y, x)", "PyTorch: `torch.atan2`.", "std::atan2(x, y)",
    "vectormath::emitAtan2(b, loc, x, y)", "", "", ["aten.atan2.default"], TC_Float> {
  let ulp = "2";
}
def TC_GeluGradOp : TC_Arithmetic<"gelu_grad", "gradient of the exact Gaussian error linear unit",
    "x is the gradient of the unit's result, y its operand: x (Phi(y) + y phi(y)) with the normal distribution Phi and its density phi. PyTorch: `torch.ops.aten.gelu_backward`.",
    "x * (T(0.5) * std::erfc(-y * T(0.70710678118654752440L)) + y * T(0.39894228040143267794L) * std::exp(T(-0.5) * y * y))",
    "vectormath::emitGeluGrad(b, loc, x, y)", "", "", [], TC_Float> {
  let ulp = "6";
  let sample = ["-5.0", "10.0"];
}
def TC_CopysignOp : TC_Arithmetic<"copysign", "magnitude of x with the sign of y", "PyTorch: `torch.copysign`.",
    "std::copysign(x, y)", "math::CopySignOp::create(b, loc, x, y)", "", "", ["aten.copysign.Tensor"], TC_Float>;
def TC_HypotOp : TC_Arithmetic<"hypot", "length of the hypotenuse", "PyTorch: `torch.hypot`.", "std::hypot(x, y)",
    "vectormath::emitHypot(b, loc, x, y)", "", "", ["aten.hypot.default"], TC_Float> {
  let ulp = "1";
}

class TC_Bitwise<string mnemonic, string summary_, string op, string arithOp, list<string> aten_>
    : TC_Binary<mnemonic, TC_IntegerOrBool> {
  let summary = summary_;
  let description = "Elementwise " # summary_ # [{.

    Example: `%r = tc.}] # mnemonic # [{ %x, %y : tensor<4xi32>`
  }];
  let reference = "T(x " # op # " y)";
  let emitSigned = "arith::" # arithOp # "::create(b, loc, x, y)";
  let emitBool = "arith::" # arithOp # "::create(b, loc, x, y)";
  let aten = aten_;
}
def TC_BitwiseAndOp : TC_Bitwise<"bitwise_and", "bitwise and", "&", "AndIOp", ["aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar", "aten.__and__.Tensor"]>;
def TC_BitwiseOrOp : TC_Bitwise<"bitwise_or", "bitwise or", "|", "OrIOp", ["aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar", "aten.__or__.Tensor"]>;
def TC_BitwiseXorOp : TC_Bitwise<"bitwise_xor", "bitwise exclusive or", "^", "XOrIOp", ["aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar", "aten.__xor__.Tensor"]>;
def TC_BitwiseNotOp : TC_Unary<"bitwise_not", TC_IntegerOrBool> {
  let summary = "bitwise complement; logical for i1";
  let description = [{
    PyTorch: `torch.bitwise_not`.

    Example: `%r = tc.bitwise_not %x : tensor<4xi32>`
  }];
  let reference = "scalar::bitwiseNot(x)";
  let emitSigned = "vectormath::emitBitwiseNot(b, loc, x)";
  let emitBool = "vectormath::emitBitwiseNot(b, loc, x)";
  let aten = ["aten.bitwise_not.default"];
}
class TC_Shift<string mnemonic, string summary_, string referenceForm, string signed, string unsigned, list<string> aten_>
    : TC_Binary<mnemonic, TC_Integer> {
  let summary = summary_;
  let description = "Elementwise " # summary_ # [{. A count that is negative or not below the width shifts everything out.

    Example: `%r = tc.}] # mnemonic # [{ %x, %y : tensor<4xi32>`
  }];
  let reference = referenceForm;
  let emitSigned = signed;
  let emitUnsigned = unsigned;
  let aten = aten_;
}
def TC_ShiftLeftOp : TC_Shift<"shift_left", "shift to the left", "scalar::shiftLeft(x, y)", "vectormath::emitShiftLeft(b, loc, x, y)",
    "vectormath::emitShiftLeft(b, loc, x, y)", ["aten.bitwise_left_shift.Tensor", "aten.__lshift__.Tensor", "aten.__lshift__.Scalar"]>;
def TC_ShiftRightOp : TC_Shift<"shift_right", "shift to the right, arithmetic for signed types", "scalar::shiftRight(x, y)",
    "vectormath::emitShiftRightSigned(b, loc, x, y)", "vectormath::emitShiftRightUnsigned(b, loc, x, y)",
    ["aten.bitwise_right_shift.Tensor", "aten.__rshift__.Tensor", "aten.__rshift__.Scalar"]>;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

def TC_EqOp : TC_Compare<"eq", "equal to", "==", "OEQ", "eq", "eq", "eq">;
def TC_NeOp : TC_Compare<"ne", "not equal to", "!=", "UNE", "ne", "ne", "ne">;
def TC_LtOp : TC_Compare<"lt", "below", "<", "OLT", "slt", "ult", "lt">;
def TC_LeOp : TC_Compare<"le", "not above", "<=", "OLE", "sle", "ule", "le">;
def TC_GtOp : TC_Compare<"gt", "above", ">", "OGT", "sgt", "ugt", "gt">;
def TC_GeOp : TC_Compare<"ge", "not below", ">=", "OGE", "sge", "uge", "ge">;

//===----------------------------------------------------------------------===//
// Selection and casts
//===----------------------------------------------------------------------===//

def TC_SelectOp : TC_ElementwiseRow<"select", [AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "x where the condition holds, else y";
  let description = [{
    The value that is not chosen has no influence, NaN included.
    PyTorch: `torch.where`.

    Example: `%r = tc.select %c, %x, %y : tensor<4xi1>, tensor<4xf32>`
  }];
  let arguments = (ins TC_TensorOrScalarOf<TC_Bool>:$condition, TC_TensorOrScalarOf<TC_Element>:$x,
                       TC_TensorOrScalarOf<TC_Element>:$y);
  let results = (outs TC_TensorOrScalarOf<TC_Element>:$result);
  let assemblyFormat = "$condition `,` $x `,` $y attr-dict `:` type($condition) `,` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TC_CastOp : TC_ElementwiseRow<"cast"> {
  let summary = "the value in another element type";
  let description = [{
    Float to a narrower float rounds to nearest even (what is too large for
    f8E4M3FN, which has no infinity, becomes its largest number); float to integer
    truncates (out of range is unspecified, as in PyTorch); anything to i1 is
    `x != 0`; i1 gives 0 or 1; an integer to a narrower one wraps.
    PyTorch: `Tensor.to`.

    A chain of ops in one kernel keeps values of floats narrower than f32 in
    f32, and rounds what it writes. With `rounds` the value is rounded in any
    case, as a cast that a program asks for is.

    Example: `%r = tc.cast %x rounds : tensor<4xf32> to tensor<4xbf16>`
  }];
  let arguments = (ins TC_TensorOrScalarOf<TC_Castable>:$x, UnitAttr:$rounds);
  let results = (outs TC_TensorOrScalarOf<TC_Castable>:$result);
  let assemblyFormat = "$x (`rounds` $rounds^)? attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class TC_ComplexPart<string mnemonic, string part>
    : TC_ElementwiseRow<mnemonic, [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = part # " part of complex numbers";
  let description = "Of complex numbers of two f32 an f32, of two f64 an f64. PyTorch: `torch." # mnemonic # [{`.

    Example: `%r = tc.}] # mnemonic # [{ %x : tensor<4xcomplex<f32>>`
  }];
  let arguments = (ins TC_TensorOrScalarOf<TC_Complex>:$x);
  let results = (outs TC_TensorOrScalarOf<AnyTypeOf<[F32, F64]>>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasFolder = 1;
}
def TC_RealOp : TC_ComplexPart<"real", "real">;
def TC_ImagOp : TC_ComplexPart<"imag", "imaginary">;

def TC_ComplexOp : TC_ElementwiseRow<"complex", [SameTypeOperands, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "complex numbers from their parts";
  let description = [{
    There is no arithmetic of complex numbers: it is done on the parts, which
    this op joins for who stores the result. PyTorch: `torch.complex`.

    Example: `%r = tc.complex %x, %y : tensor<4xf32>`
  }];
  let arguments = (ins TC_TensorOrScalarOf<AnyTypeOf<[F32, F64]>>:$real,
                       TC_TensorOrScalarOf<AnyTypeOf<[F32, F64]>>:$imaginary);
  let results = (outs TC_TensorOrScalarOf<TC_Complex>:$result);
  let assemblyFormat = "$real `,` $imaginary attr-dict `:` type($real)";
  let hasFolder = 1;
}

def TC_PhiloxOp : TC_ElementwiseRow<"philox", [SameOperandsAndResultType]> {
  let summary = "32 random bits of the counter-based generator Philox 4x32-10";
  let description = [{
    Word `counter mod 4` of Philox 4x32-10 with the 64-bit `seed` as key and
    `counter floordiv 4` as the low words of the counter, `offset` as the high
    ones, as an i64 in [0, 2^32).
    Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011).

    Example: `%r = tc.philox %seed, %offset, %counter : i64`
  }];
  let arguments = (ins TC_TensorOrScalarOf<I<64>>:$seed, TC_TensorOrScalarOf<I<64>>:$offset,
                       TC_TensorOrScalarOf<I<64>>:$counter);
  let results = (outs TC_TensorOrScalarOf<I<64>>:$result);
  let assemblyFormat = "$seed `,` $offset `,` $counter attr-dict `:` type($result)";
  let reference = "scalar::philox(x, y, z)";
  let emitSigned = "vectormath::emitPhilox(b, loc, x, y, z)";
  let emitUnsigned = "";
}

def TC_DropoutBitsOp : TC_ElementwiseRow<"dropout_bits", [SameOperandsAndResultType]> {
  let summary = "16 random bits for an element of a matrix, by Philox 4x32-10";
  let description = [{
    Of the element in row `position floordiv 2^32` and column `position mod 2^32`:
    an i64 in [0, 2^16). One block of Philox, with `seed` and `offset` as in
    `tc.philox`, is for 8 elements that a thread of a GPU has together in the
    matrices of its tensor cores: rows r and r + 8 of 16, columns c, c + 8, c + 16
    and c + 24 of 32. Number r / 16 * 8 + r mod 8 is the second word of the
    counter, c / 32 * 8 + c mod 8 the first. Word r / 8 mod 2 * 2 + c / 8 mod 2 has
    the element's bits: the low ones where c / 16 is even, else the high ones.

    Example: `%r = tc.dropout_bits %seed, %offset, %position : i64`
  }];
  let arguments = (ins TC_TensorOrScalarOf<I<64>>:$seed, TC_TensorOrScalarOf<I<64>>:$offset,
                       TC_TensorOrScalarOf<I<64>>:$position);
  let results = (outs TC_TensorOrScalarOf<I<64>>:$result);
  let assemblyFormat = "$seed `,` $offset `,` $position attr-dict `:` type($result)";
  let reference = "scalar::dropoutBits(x, y, z)";
  let emitSigned = "vectormath::emitPhiloxBits(b, loc, x, y, z)";
  let emitUnsigned = "";
}

#endif // TC_ELEMENTWISE_OPS
