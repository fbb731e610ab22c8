//===- Complex.cpp - arithmetic of complex tensors ------------------------===//

#include "AtenTable.h"
#include "ComplexPair.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// x / y, as Smith's method has it: the smaller part of y is divided by the
/// larger first, so that squares do not overflow (R. L. Smith, Algorithm 116,
/// 1962).
static ComplexPair divide(AtenCall &call, const ComplexPair &x,
                          const ComplexPair &y) {
  auto mul = [&](Value a, Value b) { return call.binary<MulOp>(a, b); };
  auto add = [&](Value a, Value b) { return call.binary<AddOp>(a, b); };
  auto sub = [&](Value a, Value b) { return call.binary<SubOp>(a, b); };
  auto div = [&](Value a, Value b) { return call.binary<DivOp>(a, b); };
  Value isReal = call.binary<GeOp>(call.unary<AbsOp>(y.real),
                                   call.unary<AbsOp>(y.imaginary));
  auto choose = [&](Value a, Value b) { return call.select(isReal, a, b); };
  Value large = choose(y.real, y.imaginary),
        small = choose(y.imaginary, y.real);
  Value ratio = div(small, large);
  Value divisor = add(large, mul(small, ratio));
  Value real = choose(add(x.real, mul(x.imaginary, ratio)),
                      add(mul(x.real, ratio), x.imaginary));
  Value imaginary = choose(sub(x.imaginary, mul(x.real, ratio)),
                           sub(mul(x.imaginary, ratio), x.real));
  return {div(real, divisor), div(imaginary, divisor)};
}

/// The type of the parts of the call's result.
static Type getPartType(AtenCall &call) {
  Type element = call.getResultType().getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType();
  return element;
}

/// An operand, a tensor or a number, as parts of `type` and these sizes.
static FailureOr<ComplexPair> getPair(AtenCall &call, StringRef name, Type type,
                                      ArrayRef<SizeExpr> sizes) {
  Operand operand = call.getOperand(name);
  if (call.hasFailed())
    return failure();
  ComplexPair pair;
  if (auto number = dyn_cast_or_null<complex::NumberAttr>(operand.number)) {
    auto like = getTensorType(sizes, type);
    Builder &builder = call.builder;
    pair = {
        call.fill(builder.getF64FloatAttr(number.getReal().convertToDouble()),
                  like),
        call.fill(builder.getF64FloatAttr(number.getImag().convertToDouble()),
                  like)};
    return pair;
  }
  if (operand.number) {
    Value real = call.materialize(operand, type, sizes);
    return ComplexPair{real, call.fill(0.0, real)};
  }
  pair = splitComplex(call, operand.tensor);
  return ComplexPair{call.broadcast(call.cast(pair.real, type), sizes),
                     call.broadcast(call.cast(pair.imaginary, type), sizes)};
}

/// The number `alpha` of an addition, which has to be real.
static double getAlpha(AtenCall &call) {
  return call.hasArgument("alpha") ? call.getReal("alpha") : 1.0;
}

enum class Arithmetic { Add, Subtract, Multiply, Divide };

// Pattern: aten.mul(x, y) of complex tensors -> products and sums of their
// parts
template <Arithmetic kind> LogicalResult convertArithmetic(AtenCall &call) {
  Sizes sizes = getSizes(call.getResultType());
  Type type = getPartType(call);
  auto x = getPair(call, "self", type, sizes),
       y = getPair(call, "other", type, sizes);
  if (failed(x) || failed(y))
    return failure();
  switch (kind) {
  case Arithmetic::Multiply:
    return call.replace(joinComplex(call, multiply(call, *x, *y)));
  case Arithmetic::Divide:
    return call.replace(joinComplex(call, divide(call, *x, *y)));
  case Arithmetic::Add:
  case Arithmetic::Subtract:
    break;
  }
  ComplexPair scaled = scale(call, *y, getAlpha(call));
  if (call.hasFailed())
    return failure();
  auto combine = [&](Value a, Value b) -> Value {
    return kind == Arithmetic::Add ? call.binary<AddOp>(a, b)
                                   : call.binary<SubOp>(a, b);
  };
  return call.replace(
      joinComplex(call, {combine(x->real, scaled.real),
                         combine(x->imaginary, scaled.imaginary)}));
}

/// The parts of argument "self".
static FailureOr<ComplexPair> getSelf(AtenCall &call) {
  Value x = call.getTensor("self");
  if (call.hasFailed())
    return failure();
  return splitComplex(call, x);
}

// Pattern: aten.neg(x) of a complex tensor -> the negatives of its parts
static LogicalResult convertNegative(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(joinComplex(
      call, {call.unary<NegOp>(x->real), call.unary<NegOp>(x->imaginary)}));
}

// Pattern: aten._conj(x) of a complex tensor -> the negative imaginary part
static LogicalResult convertConjugate(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(
      joinComplex(call, {x->real, call.unary<NegOp>(x->imaginary)}));
}

// Pattern: aten.abs(x) of a complex tensor -> tc.hypot of its parts
static LogicalResult convertAbs(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(call.binary<HypotOp>(x->real, x->imaginary));
}

// Pattern: aten.angle(x) of a complex tensor -> tc.atan2 of its parts
static LogicalResult convertAngle(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(call.binary<Atan2Op>(x->imaginary, x->real));
}

// Pattern: aten.exp(x) of a complex tensor -> e^re (cos im, sin im), with the
// special values of C's cexp (ISO C, G.6.3.1)
static LogicalResult convertExponential(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  auto [real, imaginary] = *x;
  Value size = call.unary<ExpOp>(real);
  auto part = [&](Value turn) { return call.binary<MulOp>(size, turn); };
  Value left = part(call.unary<CosOp>(imaginary));
  Value right = part(call.unary<SinOp>(imaginary));
  // Without a finite angle the products are NaN, but of a size of 0 both parts
  // are 0, and of one of infinity the real part is infinite.
  Value hasAngle = call.unary<IsFiniteOp>(imaginary);
  Value isZero = call.binary<EqOp>(real, -INFINITY);
  left = call.select(hasAngle, left,
                     call.select(call.unary<IsInfOp>(real), size, left));
  right = call.select(hasAngle, right, call.select(isZero, size, right));
  Value isReal = call.binary<EqOp>(imaginary, 0.0);
  return call.replace(
      joinComplex(call, {call.select(isReal, size, left),
                         call.select(isReal, imaginary, right)}));
}

// Pattern: aten.real(x), aten.imag(x) of a complex tensor -> tc.real, tc.imag
template <bool isReal> LogicalResult convertPart(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(isReal ? x->real : x->imaginary);
}

// Pattern: aten.sum(x, dims) of a complex tensor -> sums of its parts
template <bool isMean> LogicalResult convertSum(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  int64_t rank = rankOf(x->real);
  SmallVector<int64_t> dims =
      call.hasArgument("dim") ? call.getDims("dim", rank)
                              : llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (call.hasFailed())
    return failure();
  auto fold = [&](Value part) {
    Value folded = isMean ? call.mean(part, dims)
                          : call.reduce(ReductionKind::Sum, part, dims);
    return call.reshape(folded, getSizes(call.getResultType()));
  };
  return call.replace(joinComplex(call, {fold(x->real), fold(x->imaginary)}));
}

//===----------------------------------------------------------------------===//
// From and to real numbers
//===----------------------------------------------------------------------===//

// Pattern: aten.complex(re, im) -> tc.complex re, im
static LogicalResult convertComplex(AtenCall &call) {
  Value real = call.getTensor("real"), imaginary = call.getTensor("imag");
  if (call.hasFailed())
    return failure();
  Sizes sizes = broadcastSizes(sizesOf(real), sizesOf(imaginary));
  return call.replace(joinComplex(
      call, {call.broadcast(real, sizes), call.broadcast(imaginary, sizes)}));
}

// Pattern: aten.polar(abs, angle) -> tc.complex of abs cos, abs sin
static LogicalResult convertPolar(AtenCall &call) {
  Value size = call.getTensor("abs"), angle = call.getTensor("angle");
  if (call.hasFailed())
    return failure();
  Sizes sizes = broadcastSizes(sizesOf(size), sizesOf(angle));
  size = call.broadcast(size, sizes);
  angle = call.broadcast(angle, sizes);
  return call.replace(
      joinComplex(call, {call.binary<MulOp>(size, call.unary<CosOp>(angle)),
                         call.binary<MulOp>(size, call.unary<SinOp>(angle))}));
}

// Pattern: aten.view_as_real(x) -> its parts side by side in a new dimension
static LogicalResult convertViewAsReal(AtenCall &call) {
  auto x = getSelf(call);
  if (failed(x))
    return failure();
  return call.replace(stackParts(call, *x));
}

// Pattern: aten.view_as_complex(x) -> tc.complex of x[..., 0], x[..., 1]
static LogicalResult convertViewAsComplex(AtenCall &call) {
  Value x = call.getTensor("self");
  if (call.hasFailed())
    return failure();
  Sizes sizes = sizesOf(x);
  int64_t last = sizes.size() - 1;
  auto part = [&](int64_t index) {
    return call.reshape(
        call.slice(x, last, call.constant(index), call.constant(1)),
        ArrayRef<SizeExpr>(sizes).drop_back());
  };
  return call.replace(joinComplex(call, {part(0), part(1)}));
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

// Pattern: aten.matmul(x, y) of complex tensors -> four products of their parts
static LogicalResult convertMatmul(AtenCall &call) {
  bool hasMat2 = call.hasArgument("mat2");
  Value left = call.getTensor("self"),
        right = call.getTensor(hasMat2 ? "mat2" : "other");
  if (call.hasFailed())
    return failure();
  int64_t rank = rankOf(left);
  if (rank != rankOf(right) || rank < 2)
    return call.refuse("complex numbers and these ranks");
  Type type = getPartType(call);
  ComplexPair x = splitComplex(call, left), y = splitComplex(call, right);
  std::string batch;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    batch += char('a' + dim);
  std::string spec = batch + "xy," + batch + "yz->" + batch + "xz";
  auto product = [&](Value a, Value b) {
    return call.contract(spec, call.cast(a, type), call.cast(b, type));
  };
  return call.replace(
      joinComplex(call, {call.binary<SubOp>(product(x.real, y.real),
                                            product(x.imaginary, y.imaginary)),
                         call.binary<AddOp>(product(x.real, y.imaginary),
                                            product(x.imaginary, y.real))}));
}

void addComplex(AtenTable &table) {
  table.addComplex({"add.Tensor", "add.Scalar"},
                   convertArithmetic<Arithmetic::Add>);
  table.addComplex({"sub.Tensor", "sub.Scalar"},
                   convertArithmetic<Arithmetic::Subtract>);
  table.addComplex({"mul.Tensor", "mul.Scalar"},
                   convertArithmetic<Arithmetic::Multiply>);
  table.addComplex({"div.Tensor", "div.Scalar", "true_divide.Tensor"},
                   convertArithmetic<Arithmetic::Divide>);
  table.addComplex({"neg.default"}, convertNegative);
  table.addComplex({"_conj.default", "conj_physical.default"},
                   convertConjugate);
  table.addComplex({"abs.default"}, convertAbs);
  table.addComplex({"angle.default"}, convertAngle);
  table.addComplex({"exp.default"}, convertExponential);
  table.addComplex({"real.default"}, convertPart<true>);
  table.addComplex({"imag.default"}, convertPart<false>);
  table.addComplex({"sum.default", "sum.dim_IntList"}, convertSum<false>);
  table.addComplex({"mean.default", "mean.dim"}, convertSum<true>);
  table.addComplex({"mm.default", "bmm.default", "matmul.default"},
                   convertMatmul);
  table.addComplex({"view_as_real.default"}, convertViewAsReal);
  table.add({"complex.default"}, convertComplex);
  table.add({"polar.default"}, convertPolar);
  table.add({"view_as_complex.default"}, convertViewAsComplex);
}

} // namespace tc::aten
