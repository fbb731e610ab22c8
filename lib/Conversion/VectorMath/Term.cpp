//===- Term.cpp - Arithmetic on values with operators ---------------------===//

#include "Term.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tc::vectormath {

static Value createConstant(OpBuilder &b, Location loc, Type type,
                            TypedAttr element) {
  TypedAttr value = element;
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(element));
  return arith::ConstantOp::create(b, loc, value);
}

Term Term::literal(double constant) const {
  return with(createConstant(*b, loc, type(),
                             b->getFloatAttr(elementType(), constant)));
}

Term Term::integer(int64_t constant) const {
  auto element = cast<IntegerType>(elementType());
  APInt value(element.getWidth(), constant, /*isSigned=*/true,
              /*implicitTrunc=*/true);
  return with(
      createConstant(*b, loc, type(), b->getIntegerAttr(element, value)));
}

Type Term::withElements(Type element) const {
  if (auto vector = dyn_cast<VectorType>(type()))
    return vector.clone(element);
  return element;
}

Term operator+(Term x, Term y) {
  return x.isFloat() ? x.binary<arith::AddFOp>(y) : x.binary<arith::AddIOp>(y);
}
Term operator-(Term x, Term y) {
  return x.isFloat() ? x.binary<arith::SubFOp>(y) : x.binary<arith::SubIOp>(y);
}
Term operator*(Term x, Term y) {
  return x.isFloat() ? x.binary<arith::MulFOp>(y) : x.binary<arith::MulIOp>(y);
}
Term operator/(Term x, Term y) { return x.binary<arith::DivFOp>(y); }
Term operator-(Term x) {
  return x.isFloat() ? x.unary<arith::NegFOp>() : x.integer(0) - x;
}

Term operator&(Term x, Term y) { return x.binary<arith::AndIOp>(y); }
Term operator|(Term x, Term y) { return x.binary<arith::OrIOp>(y); }
Term operator^(Term x, Term y) { return x.binary<arith::XOrIOp>(y); }
Term operator!(Term condition) { return condition ^ condition.integer(-1); }
Term shiftLeft(Term x, int64_t count) {
  return x.binary<arith::ShLIOp>(x.integer(count));
}
Term shiftRightSigned(Term x, int64_t count) {
  return x.binary<arith::ShRSIOp>(x.integer(count));
}
Term shiftRightUnsigned(Term x, int64_t count) {
  return x.binary<arith::ShRUIOp>(x.integer(count));
}

Term operator<(Term x, Term y) {
  return x.isFloat() ? x.compare(arith::CmpFPredicate::OLT, y)
                     : x.compare(arith::CmpIPredicate::slt, y);
}
Term operator<=(Term x, Term y) {
  return x.isFloat() ? x.compare(arith::CmpFPredicate::OLE, y)
                     : x.compare(arith::CmpIPredicate::sle, y);
}
Term operator==(Term x, Term y) {
  return x.isFloat() ? x.compare(arith::CmpFPredicate::OEQ, y)
                     : x.compare(arith::CmpIPredicate::eq, y);
}
Term operator!=(Term x, Term y) {
  return x.isFloat() ? x.compare(arith::CmpFPredicate::UNE, y)
                     : x.compare(arith::CmpIPredicate::ne, y);
}
Term isNan(Term x) { return x.compare(arith::CmpFPredicate::UNO, x); }

Term select(Term condition, Term x, Term y) {
  return x.with(arith::SelectOp::create(x.builder(), x.location(), condition,
                                        Value(x), Value(y)));
}

Term fma(Term x, Term y, Term z) {
  VectorMathBuilder &b = x.builder();
  if (b.options.hasFMA || !x.elementType().isF32())
    return x.with(math::FmaOp::create(b, x.location(), x, y, z));
  auto wide = [&](Term term) { return convert(term, b.getF64Type()); };
  return convert(wide(x) * wide(y) + wide(z), b.getF32Type());
}
Term abs(Term x) {
  return x.isFloat() ? x.unary<math::AbsFOp>() : x.unary<math::AbsIOp>();
}
Term sqrt(Term x) { return x.unary<math::SqrtOp>(); }
Term floor(Term x) { return x.unary<math::FloorOp>(); }
Term truncate(Term x) { return x.unary<math::TruncOp>(); }
Term roundEven(Term x) { return x.unary<math::RoundEvenOp>(); }
Term copySign(Term magnitude, Term sign) {
  return magnitude.binary<math::CopySignOp>(sign);
}
Term timesSign(Term x, Term y) {
  Term sign = bits(y) & bits(y.literal(-0.0));
  return fromBits(bits(x) ^ sign);
}

Term atMost(Term x, double limit) {
  Term bound = x.literal(limit);
  return select(bound < x, bound, x);
}
Term atLeast(Term x, double limit) {
  Term bound = x.literal(limit);
  return select(x < bound, bound, x);
}

Term bits(Term x) {
  Type integer = x.builder().getIntegerType(x.width());
  return x.with(arith::BitcastOp::create(x.builder(), x.location(),
                                         x.withElements(integer), x));
}
Term fromBits(Term x) {
  Type element =
      x.width() == 64 ? x.builder().getF64Type() : x.builder().getF32Type();
  return x.with(arith::BitcastOp::create(x.builder(), x.location(),
                                         x.withElements(element), x));
}

template <typename Op> static Term convertWith(Term x, Type element) {
  return x.with(
      Op::create(x.builder(), x.location(), x.withElements(element), Value(x)));
}
Term toFloat(Term x, Type element) {
  return convertWith<arith::SIToFPOp>(x, element);
}
Term toInteger(Term x, Type element) {
  return convertWith<arith::FPToSIOp>(x, element);
}
Term convert(Term x, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == x.width())
    return x;
  return width > x.width() ? convertWith<arith::ExtFOp>(x, element)
                           : convertWith<arith::TruncFOp>(x, element);
}
Term signExtend(Term x, Type element) {
  return convertWith<arith::ExtSIOp>(x, element);
}
Term zeroExtend(Term x, Type element) {
  return convertWith<arith::ExtUIOp>(x, element);
}
Term truncateBits(Term x, Type element) {
  return convertWith<arith::TruncIOp>(x, element);
}

Term polynomial(Term x, ArrayRef<double> coefficients) {
  Term sum = x.literal(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

TermPair exactSum(Term x, Term y) {
  Term sum = x + y;
  Term fromY = sum - x;
  Term error = (x - (sum - fromY)) + (y - fromY);
  return {sum, error};
}
TermPair exactSumOrdered(Term x, Term y) {
  Term sum = x + y;
  return {sum, y - (sum - x)};
}
TermPair exactProduct(Term x, Term y) {
  Term product = x * y;
  return {product, fma(x, y, -product)};
}

} // namespace tc::vectormath
