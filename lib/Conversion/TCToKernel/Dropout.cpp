//===- Dropout.cpp - Which weights of attention are kept ------------------===//

#include "Dropout.h"

using namespace mlir;
using namespace tc;

Value tc::buildKept(KernelBuilder &kernel, Value seed, Value offset,
                    const APFloat &dropout, ArrayRef<AffineExpr> batch,
                    ArrayRef<SizeExprAttr> sizes, AffineExpr query,
                    SizeExprAttr queries, AffineExpr key) {
  constexpr int64_t kRowStep = int64_t(1) << 32; // of positions
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(kernel.getContext(), value);
  };
  auto number = [&](int64_t value) {
    return kernel.scalar(kernel.body.getI64IntegerAttr(value));
  };
  AffineExpr point = kernel.constant(0);
  for (auto [dim, size] : llvm::zip_equal(batch, sizes))
    point = point * kernel.affine(size) + dim;
  SizeExpr rows =
      queries.ceilDiv(constant(kDropoutRows)).mul(constant(kDropoutRows));
  AffineExpr row = point * kernel.affine(rows) + query;
  Value position = kernel.create<AddOp>(
      kernel.create<MulOp>(kernel.index(row), number(kRowStep)),
      kernel.index(key));
  Value bits = kernel.create<DropoutBitsOp>(kernel.read(seed, {}),
                                            kernel.read(offset, {}), position);
  return kernel.create<LtOp>(bits, number(countKeptBits(dropout)));
}
