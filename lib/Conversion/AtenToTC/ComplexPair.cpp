//===- ComplexPair.cpp - complex tensors as two of real numbers -----------===//

#include "ComplexPair.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

ComplexPair splitComplex(AtenCall &call, Value x) {
  if (!isa<ComplexType>(elementOf(x)))
    return {x, call.fill(0.0, x)};
  return {call.unary<RealOp>(x), call.unary<ImagOp>(x)};
}

Value joinComplex(AtenCall &call, const ComplexPair &x) {
  return call.binary<ComplexOp>(x.real, x.imaginary);
}

Value stackParts(AtenCall &call, const ComplexPair &x) {
  Sizes sizes = sizesOf(x.real);
  sizes.push_back(call.constant(1));
  return call.concat(
      {call.reshape(x.real, sizes), call.reshape(x.imaginary, sizes)},
      sizes.size() - 1);
}

ComplexPair multiply(AtenCall &call, const ComplexPair &x,
                     const ComplexPair &y) {
  auto product = [&](Value a, Value b) { return call.binary<MulOp>(a, b); };
  return {call.binary<SubOp>(product(x.real, y.real),
                             product(x.imaginary, y.imaginary)),
          call.binary<AddOp>(product(x.real, y.imaginary),
                             product(x.imaginary, y.real))};
}

ComplexPair scale(AtenCall &call, const ComplexPair &x, double factor) {
  if (factor == 1.0)
    return x;
  return {call.binary<MulOp>(x.real, factor),
          call.binary<MulOp>(x.imaginary, factor)};
}

} // namespace tc::aten
