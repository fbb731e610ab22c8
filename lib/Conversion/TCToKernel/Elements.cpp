//===- Elements.cpp - What the patterns of all themes share ---------------===//

#include "Elements.h"
#include "Patterns.h"
#include "TC/Dialect/TC/IR/SplatValue.h"

using namespace mlir;
using namespace tc;

/// The size expression that `tensor` has in every element, or nothing.
static SizeExprAttr getSizeValue(Value tensor) {
  Operation *producer = tensor.getDefiningOp();
  if (auto size = dyn_cast_or_null<SizeValueOp>(producer))
    return size.getSize();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(producer))
    return getSizeValue(broadcast.getX());
  return nullptr;
}

KernelBuilder tc::makeKernelOverResult(OpBuilder &builder, Operation *op,
                                       StringRef name) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return KernelBuilder(builder, op->getLoc(), name, getSizes(type),
                       TypeRange(type));
}

Value tc::readElement(KernelBuilder &kernel, Value tensor,
                      ArrayRef<AffineExpr> at) {
  if (TypedAttr splat = getSplatValue(tensor)) {
    Type type = KernelBuilder::getComputeType(splat.getType());
    if (auto number = dyn_cast<FloatAttr>(splat))
      return kernel.scalar(number.getValueAsDouble(), type);
    return kernel.scalar(splat);
  }
  if (SizeExprAttr size = getSizeValue(tensor))
    return kernel.size(size);
  return kernel.readForCompute(tensor, at);
}

Value tc::countOf(KernelBuilder &kernel, ArrayRef<int64_t> over, Type type) {
  SizeExprAttr count = SizeExprAttr::constant(kernel.getContext(), 1);
  for (int64_t dim : over)
    count = count.mul(kernel.getKernel().getDimSize(dim));
  if (std::optional<int64_t> constant = count.getConstant())
    return kernel.scalar(static_cast<double>(*constant), type);
  return kernel.cast(kernel.size(count), type);
}

SmallVector<int64_t> tc::dimRange(int64_t first, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(first, first + count));
}
