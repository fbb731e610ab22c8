//===- Matrices.cpp - conversions of batches of matrices ------------------===//

#include "Matrices.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

Value getMatrices(AtenCall &call, StringRef name, bool isSquare) {
  Value x = call.getTensor(name);
  if (call.hasFailed())
    return {};
  Type element = elementOf(x);
  if (!element.isF32() && !element.isF64()) {
    (void)call.refuse("matrices of this element type; expected f32 or f64");
    return {};
  }
  Sizes sizes = sizesOf(x);
  if (sizes.size() < 2 ||
      (isSquare && sizes.back() != sizes[sizes.size() - 2])) {
    (void)call.refuse(isSquare ? "matrices that are not square"
                               : "a tensor that is no matrix");
    return {};
  }
  return x;
}

Value transposeMatrices(AtenCall &call, Value x) {
  SmallVector<int64_t> order(rankOf(x));
  for (int64_t dim = 0; dim < rankOf(x); ++dim)
    order[dim] = dim;
  std::swap(order[rankOf(x) - 1], order[rankOf(x) - 2]);
  return call.transpose(x, order);
}

RoutineOp runRoutine(AtenCall &call, RoutineKind kind, ValueRange operands,
                     bool isChecked) {
  return RoutineOp::create(call.builder, call.location, kind, operands,
                           isChecked);
}

Value multiplyMatrices(AtenCall &call, Value x, Value y) {
  std::string batch;
  for (int64_t dim = 0; dim + 2 < rankOf(x); ++dim)
    batch += char('a' + dim);
  return call.contract(batch + "xy," + batch + "yz->" + batch + "xz", x, y);
}

} // namespace tc::aten
