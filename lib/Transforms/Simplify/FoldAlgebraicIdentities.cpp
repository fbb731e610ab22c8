//===- FoldAlgebraicIdentities.cpp - Exact identities of arithmetic -------===//
//
// A rewrite here gives the same bits for every input, zeros of either sign and
// infinities included; only the payload of a NaN may differ. Powers are the
// exception: products and roots round otherwise.
//
//===----------------------------------------------------------------------===//

#include "GreedyPatterns.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDALGEBRAICIDENTITIESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether every element of `value` is `number`, the sign of a zero included.
static bool isAll(Value value, double number) {
  if (std::optional<double> splat = getSplatFloat(value))
    return *splat == number && std::signbit(*splat) == std::signbit(number);
  std::optional<int64_t> splat = getSplatInteger(value);
  return splat && static_cast<double>(*splat) == number;
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// A constant of the type of `like`, a tensor or a scalar.
static Value makeConstant(PatternRewriter &rewriter, Location loc, Value like,
                          double number) {
  Type elementType = getElementTypeOrSelf(like);
  TypedAttr attribute;
  if (isa<FloatType>(elementType))
    attribute = FloatAttr::get(elementType, number);
  else
    attribute = IntegerAttr::get(elementType, static_cast<int64_t>(number));
  if (auto type = dyn_cast<RankedTensorType>(like.getType()))
    return FullOp::create(rewriter, loc, type, attribute);
  return ScalarOp::create(rewriter, loc, elementType, attribute);
}

namespace {

/// A pattern on an op of two operands that says why none of its cases applied.
template <typename OpTy> struct BinaryPattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (Value value = simplify(op, op.getX(), op.getY(), rewriter)) {
      rewriter.replaceOp(op, value);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no exact identity applies");
  }

  /// The simpler value of `x op y`, or null.
  virtual Value simplify(OpTy op, Value x, Value y,
                         PatternRewriter &rewriter) const = 0;
};

// Pattern: x + 0 (integers) or x + -0.0 -> x; x + -y -> x - y
struct FoldAdd : BinaryPattern<AddOp> {
  using BinaryPattern::BinaryPattern;

  Value simplify(AddOp op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    for (auto [kept, other] : {std::pair(x, y), std::pair(y, x)}) {
      // x + 0.0 would turn -0.0 into 0.0.
      if (isAll(other, isFloat(other) ? -0.0 : 0.0))
        return kept;
      if (auto negated = other.getDefiningOp<NegOp>())
        return SubOp::create(rewriter, op.getLoc(), kept, negated.getX());
    }
    return {};
  }
};

// Pattern: x - 0 -> x; x - -y -> x + y; x - x -> 0 (integers)
struct FoldSub : BinaryPattern<SubOp> {
  using BinaryPattern::BinaryPattern;

  Value simplify(SubOp op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    if (isAll(y, 0.0))
      return x;
    if (auto negated = y.getDefiningOp<NegOp>())
      return AddOp::create(rewriter, op.getLoc(), x, negated.getX());
    if (x == y && !isFloat(x))
      return makeConstant(rewriter, op.getLoc(), x, 0);
    return {};
  }
};

// Pattern: x * 1 -> x; x * -1 -> -x; x * 0 -> 0 (integers)
struct FoldMul : BinaryPattern<MulOp> {
  using BinaryPattern::BinaryPattern;

  Value simplify(MulOp op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    for (auto [kept, other] : {std::pair(x, y), std::pair(y, x)}) {
      if (isAll(other, 1))
        return kept;
      if (isAll(other, -1))
        return NegOp::create(rewriter, op.getLoc(), kept);
      if (!isFloat(other) && isAll(other, 0))
        return makeConstant(rewriter, op.getLoc(), other, 0);
    }
    return {};
  }
};

// Pattern: x / 1 -> x; 1 / x -> tc.reciprocal x; x / 2^n -> x * 2^-n
struct FoldDiv : BinaryPattern<DivOp> {
  using BinaryPattern::BinaryPattern;

  Value simplify(DivOp op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    if (isAll(y, 1))
      return x;
    if (isAll(x, 1))
      return ReciprocalOp::create(rewriter, op.getLoc(), y);
    std::optional<double> divisor = getSplatFloat(y);
    if (!divisor || !hasExactReciprocal(*divisor, getElementTypeOrSelf(y)))
      return {};
    Value factor = makeConstant(rewriter, op.getLoc(), y, 1.0 / *divisor);
    return MulOp::create(rewriter, op.getLoc(), x, factor);
  }

private:
  /// Whether 1 / `divisor` is a normal number of the type: the quotient and the
  /// product then round the same number.
  static bool hasExactReciprocal(double divisor, Type elementType) {
    int exponent;
    if (std::fabs(std::frexp(divisor, &exponent)) != 0.5)
      return false;
    APFloat reciprocal(1.0 / divisor);
    bool losesInformation;
    reciprocal.convert(cast<FloatType>(elementType).getFloatSemantics(),
                       APFloat::rmNearestTiesToEven, &losesInformation);
    return !losesInformation && reciprocal.isNormal();
  }
};

// Pattern: tc.pow x, c -> products, roots and reciprocals for c of 1, 2, 3,
// 0.5, -0.5, -1, -2, of the same zeros and infinities
struct FoldPow : BinaryPattern<PowOp> {
  using BinaryPattern::BinaryPattern;

  Value simplify(PowOp op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isAll(y, 1))
      return x;
    if (isAll(y, 2))
      return MulOp::create(rewriter, loc, x, x);
    if (isAll(y, 3))
      return MulOp::create(rewriter, loc, MulOp::create(rewriter, loc, x, x),
                           x);
    if (!isFloat(x))
      return {};
    if (isAll(y, 0.5) || isAll(y, -0.5))
      return createRoot(x, isAll(y, -0.5), rewriter, loc);
    if (isAll(y, -1))
      return ReciprocalOp::create(rewriter, loc, x);
    if (isAll(y, -2)) {
      // The square might overflow where the result does not underflow.
      Value reciprocal = ReciprocalOp::create(rewriter, loc, x);
      return MulOp::create(rewriter, loc, reciprocal, reciprocal);
    }
    return {};
  }

private:
  /// A power of -0 is +0 or infinity, one of minus infinity is that of
  /// infinity; their roots are -0 and NaN.
  static Value createRoot(Value x, bool isReciprocal, PatternRewriter &rewriter,
                          Location loc) {
    Value positive =
        AddOp::create(rewriter, loc, x, makeConstant(rewriter, loc, x, 0.0));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value lowest = makeConstant(rewriter, loc, x, -infinity);
    Value root = isReciprocal ? Value(RsqrtOp::create(rewriter, loc, positive))
                              : Value(SqrtOp::create(rewriter, loc, positive));
    Value ofLowest =
        makeConstant(rewriter, loc, x, isReciprocal ? 0.0 : infinity);
    return SelectOp::create(rewriter, loc, x.getType(),
                            EqOp::create(rewriter, loc, x, lowest), ofLowest,
                            root);
  }
};

// Pattern: tc.reciprocal (tc.sqrt x) -> tc.rsqrt x, of f32 and f64, whose root
// is not rounded to fewer bits in between
struct FoldReciprocalOfRoot : OpRewritePattern<ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReciprocalOp op,
                                PatternRewriter &rewriter) const override {
    auto root = op.getX().getDefiningOp<SqrtOp>();
    Type element = getElementTypeOrSelf(op.getType());
    if (!root || !(element.isF32() || element.isF64()))
      return rewriter.notifyMatchFailure(op, "no root of f32 or f64");
    rewriter.replaceOpWithNewOp<RsqrtOp>(op, root.getX());
    return success();
  }
};

// Pattern: x op x -> x for maximum, minimum, fmax, fmin, bitwise_and and
// bitwise_or
template <typename OpTy> struct FoldIdempotent : BinaryPattern<OpTy> {
  using BinaryPattern<OpTy>::BinaryPattern;

  Value simplify(OpTy op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    return x == y ? x : Value();
  }
};

// Pattern: c and true -> c; c and false -> false; c or false -> c; c or true ->
// true
template <typename OpTy, bool neutral>
struct FoldBoolean : BinaryPattern<OpTy> {
  using BinaryPattern<OpTy>::BinaryPattern;

  Value simplify(OpTy op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(x).isInteger(1))
      return {};
    for (auto [kept, other] : {std::pair(x, y), std::pair(y, x)})
      if (std::optional<int64_t> splat = getSplatInteger(other))
        return (*splat != 0) == neutral ? kept : other;
    return {};
  }
};

// Pattern: x // 1 -> x (integers)
template <typename OpTy> struct FoldQuotient : BinaryPattern<OpTy> {
  using BinaryPattern<OpTy>::BinaryPattern;

  Value simplify(OpTy op, Value x, Value y,
                 PatternRewriter &rewriter) const override {
    return !isFloat(x) && isAll(y, 1) ? x : Value();
  }
};

// Pattern: outer (inner x) -> x where both are the same involution (neg,
// bitwise_not)
template <typename OpTy> struct FoldInvolution : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().template getDefiningOp<OpTy>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the operand is another op");
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

// Pattern: f (f x) -> f x for abs, relu, floor, ceil, trunc and round
template <typename OpTy> struct FoldProjection : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getX().template getDefiningOp<OpTy>())
      return rewriter.notifyMatchFailure(op, "the operand is another op");
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

// Pattern: tc.abs (tc.neg x) -> tc.abs x (floats and signed integers)
struct FoldAbsOfNeg : OpRewritePattern<AbsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AbsOp op,
                                PatternRewriter &rewriter) const override {
    auto negated = op.getX().getDefiningOp<NegOp>();
    if (!negated)
      return rewriter.notifyMatchFailure(op, "the operand is no tc.neg");
    if (getElementTypeOrSelf(op.getX()).isUnsignedInteger())
      return rewriter.notifyMatchFailure(
          op, "the negation of an unsigned integer is another magnitude");
    rewriter.replaceOpWithNewOp<AbsOp>(op, negated.getX());
    return success();
  }
};

// Pattern: tc.select (not c), x, y -> tc.select c, y, x
struct FoldSelectOfNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto complement = op.getCondition().getDefiningOp<BitwiseNotOp>();
    if (!complement)
      return rewriter.notifyMatchFailure(op, "the condition is no complement");
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), complement.getX(),
                                          op.getY(), op.getX());
    return success();
  }
};

class FoldAlgebraicIdentitiesPass
    : public tc::impl::TCFoldAlgebraicIdentitiesPassBase<
          FoldAlgebraicIdentitiesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldAdd, FoldSub, FoldMul, FoldDiv, FoldPow,
                 FoldReciprocalOfRoot, FoldIdempotent<MaximumOp>,
                 FoldIdempotent<MinimumOp>, FoldIdempotent<FmaxOp>,
                 FoldIdempotent<FminOp>, FoldIdempotent<BitwiseAndOp>,
                 FoldIdempotent<BitwiseOrOp>, FoldBoolean<BitwiseAndOp, true>,
                 FoldBoolean<BitwiseOrOp, false>, FoldQuotient<FloorDivOp>,
                 FoldQuotient<TruncDivOp>, FoldInvolution<NegOp>,
                 FoldInvolution<BitwiseNotOp>, FoldProjection<AbsOp>,
                 FoldProjection<ReluOp>, FoldProjection<FloorOp>,
                 FoldProjection<CeilOp>, FoldProjection<TruncOp>,
                 FoldProjection<RoundOp>, FoldAbsOfNeg, FoldSelectOfNot>(
        &getContext());
    if (failed(applyUntilNothingMatches(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
