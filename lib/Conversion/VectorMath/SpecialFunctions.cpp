//===- SpecialFunctions.cpp - Approximations in instructions --------------===//

#include "SpecialFunctions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc::vectormath {

bool hasSpecialFunctions(Term x) {
  return x.builder().options.hasSpecialFunctions && x.elementType().isF32();
}

/// `instruction` of one operand, or of two, of each lane of vectors.
static Term emitInstruction(ArrayRef<Term> operands, StringRef instruction) {
  Term x = operands.front();
  auto &b = x.builder();
  bool isBinary = operands.size() > 1;
  std::string text =
      (instruction + (isBinary ? " $0, $1, $2;" : " $0, $1;")).str();
  auto apply = [&](ValueRange lane) -> Value {
    return LLVM::InlineAsmOp::create(
               b, x.location(), lane.front().getType(), lane, text,
               isBinary ? "=f,f,f" : "=f,f", /*has_side_effects=*/false,
               /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
               LLVM::AsmDialectAttr(), ArrayAttr())
        .getRes();
  };
  auto vector = dyn_cast<VectorType>(x.type());
  if (!vector)
    return x.with(apply(SmallVector<Value>(operands)));
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> those;
    for (Term operand : operands)
      those.push_back(
          vector::ExtractOp::create(b, x.location(), operand, lane));
    lanes.push_back(apply(those));
  }
  return x.with(vector::FromElementsOp::create(b, x.location(), vector, lanes));
}

Term exp2Approximation(Term x) {
  return emitInstruction(x, "ex2.approx.ftz.f32");
}
Term log2Approximation(Term x) { return emitInstruction(x, "lg2.approx.f32"); }
/// The same; of denormal numbers minus infinity.
static Term log2OfNormal(Term x) {
  return emitInstruction(x, "lg2.approx.ftz.f32");
}
Term reciprocalApproximation(Term x) {
  return emitInstruction(x, "rcp.approx.ftz.f32");
}
Term rsqrtApproximation(Term x) {
  return emitInstruction(x, "rsqrt.approx.f32");
}

Term sqrtApproximation(Term x) { return emitInstruction(x, "sqrt.approx.f32"); }
Term quotientApproximation(Term x, Term y) {
  return emitInstruction({x, y}, "div.full.f32");
}

Term expApproximation(Term x) {
  // 2^t (1 + ln(2) d) where x / ln(2) is t + d, t rounded.
  constexpr double kHigh = 1.44269502162933349609375,
                   kLow = 1.925963033500011e-08, kLn2 = 0.693147180559945309;
  Term rounded = x * kHigh;
  Term rest = fma(x, kLow, fma(x, kHigh, -rounded));
  Term factor = fma(rest, kLn2, 1.0);
  // The rest is infinite where the product overflows, and NaN where x is
  // infinite: the minimum of numbers gives a factor that keeps 0 and infinity.
  factor = abs(factor).binary<arith::MinNumFOp>(factor.literal(1.5));
  return exp2Approximation(rounded) * factor;
}

Term expOfHalfSquareApproximation(Term t) {
  // As above, where t^2 has an error that counts as well.
  constexpr double kHigh = -0.721347510814666748046875,
                   kLow = -9.629814955633087e-09, kLn2 = 0.693147180559945309;
  Term square = t * t, error = fma(t, t, -square);
  Term rounded = square * kHigh;
  Term rest = fma(square, kLow, fma(square, kHigh, -rounded));
  rest = fma(error, kHigh, rest);
  return exp2Approximation(rounded) * fma(rest, kLn2, 1.0);
}

/// Whether (i1) a condition holds for any lane.
static Value isAny(Term condition) {
  if (!isa<VectorType>(condition.type()))
    return condition;
  return vector::ReductionOp::create(condition.builder(), condition.location(),
                                     vector::CombiningKind::OR, condition);
}

Term logApproximation(Term x) {
  constexpr double kLn2 = 0.693147180559945309, kNear = 0.25,
                   kLeastNormal = 0x1p-126;
  static constexpr double coefficients[] = {
      -0.49999991954260653, 0.33333887337612106,  -0.2500167776737491,
      0.1994682576063996,   -0.16578943063034607, 0.15719320244441762,
      -0.141664198781101};
  // Around 1 the error of the instruction is large next to the logarithm. Few
  // numbers are there, or are denormal: a branch is short.
  Term fraction = x - 1.0;
  Term isNear = abs(fraction) < kNear;
  Value isRare = isAny(isNear | (x < kLeastNormal));
  auto branch = scf::IfOp::create(
      x.builder(), x.location(), isRare,
      [&](OpBuilder &b, Location loc) {
        VectorMathBuilder builder(b, x.builder().options);
        auto at = [&](Term term) { return Term(builder, loc, term); };
        Term f = at(fraction);
        Term near = fma(f * f, polynomial(f, coefficients), f);
        Term far = log2Approximation(at(x)) * kLn2;
        scf::YieldOp::create(b, loc, Value(select(at(isNear), near, far)));
      },
      [&](OpBuilder &b, Location loc) {
        VectorMathBuilder builder(b, x.builder().options);
        Term far = log2OfNormal(Term(builder, loc, x)) * kLn2;
        scf::YieldOp::create(b, loc, Value(far));
      });
  return x.with(branch.getResult(0));
}

Term normalApproximation(Term x) {
  // q or 1 - q with q = 2^p(|x|), where p is close to a parabola: log2 of half
  // of erfc(t / sqrt(2)), fitted up to 8.5, and beyond it ever lower.
  static constexpr double coefficients[] = {
      -1.0000669712820702,    -1.1502919057659573,    -0.46064630836160453,
      -0.05207822327886618,   0.007731737024449124,   -0.0007658045005452189,
      4.4227425232023105e-05, -1.1134680888556937e-06};
  Term tail = exp2Approximation(polynomial(abs(x), coefficients));
  return select(x < 0.0, tail, 1.0 - tail);
}

Term tanhOrBelow(Term x, Term large) {
  constexpr double kSmall = 0.55;
  static constexpr double coefficients[] = {
      -0.33333317559646175, 0.13332586137955507, -0.053852309873770134,
      0.02107167895786001, -0.006274239439781167};
  Term t = abs(x), square = x * x;
  Term small = fma(t, square * polynomial(square, coefficients), t);
  return copySign(select(t < kSmall, small, large), x);
}

Term tanhApproximation(Term x) {
  constexpr double kTwiceLog2E = 2.885390081777926814;
  if (x.builder().options.roundsToBF16)
    return emitInstruction(x, "tanh.approx.f32");
  Term power = exp2Approximation(abs(x) * kTwiceLog2E);
  return tanhOrBelow(x, fma(reciprocalApproximation(power + 1.0), -2.0, 1.0));
}

Term geluTanhApproximation(Term x) {
  // x / (1 + 2^w), w = -2 log2(e) sqrt(2 / pi) (x + 0.044715 x^3).
  constexpr double kLinear = -2.302208198144325, kCubic = -0.1029432396;
  Term exponent = x * fma(x * x, kCubic, kLinear);
  return x * reciprocalApproximation(exp2Approximation(exponent) + 1.0);
}

} // namespace tc::vectormath
