//===- ElementStrides.cpp - Strides of a kernel's accesses ----------------===//

#include "TC/Analysis/ElementStrides.h"

using namespace mlir;
using namespace tc;

Sizes tc::getRowMajorStrides(ShapedType type) {
  Sizes sizes = getSizes(type),
        strides(sizes.size(), SizeExpr::constant(type.getContext(), 1));
  for (int64_t i = static_cast<int64_t>(sizes.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1].mul(sizes[i + 1]);
  return strides;
}

std::optional<int64_t> tc::getIndexStep(AffineExpr expr, AffineExpr input,
                                        unsigned numDims, unsigned numSymbols) {
  AffineExpr difference = expr.replace(input, input + 1) - expr;
  auto step = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(difference, numDims, numSymbols));
  return step ? std::optional(step.getValue()) : std::nullopt;
}

std::optional<SizeExpr> tc::getElementStride(ShapedType type, AffineMap map,
                                             unsigned dim) {
  MLIRContext *context = type.getContext();
  Sizes strides = getRowMajorStrides(type);
  SizeExpr result = SizeExpr::constant(context, 0);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    std::optional<int64_t> step =
        getIndexStep(expr, getAffineDimExpr(dim, context), map.getNumDims(),
                     map.getNumSymbols());
    if (!step)
      return std::nullopt;
    result = result.add(stride.mul(*step));
  }
  return result;
}

bool tc::hasStride(KernelOp kernel, ShapedType type, AffineMap map,
                   ArrayRef<unsigned> dims, SizeExpr stride) {
  for (unsigned dim : llvm::reverse(dims)) {
    SizeExpr size = kernel.getDimSize(dim);
    if (size.isConstant(1))
      continue;
    if (getElementStride(type, map, dim) != stride)
      return false;
    stride = stride.mul(size);
  }
  return true;
}

bool tc::hasStride(KernelOp kernel, ReadOp read, ArrayRef<unsigned> dims,
                   SizeExpr stride) {
  return hasStride(kernel, cast<ShapedType>(read.getSource().getType()),
                   read.getMap(), dims, stride);
}

std::optional<SizeExpr> tc::getFlatStride(KernelOp kernel, ReadOp read,
                                          ArrayRef<unsigned> dims) {
  for (unsigned dim : llvm::reverse(dims)) {
    if (kernel.getDimSize(dim).isConstant(1))
      continue;
    auto stride = getElementStride(cast<ShapedType>(read.getSource().getType()),
                                   read.getMap(), dim);
    if (!stride || !hasStride(kernel, read, dims, *stride))
      return std::nullopt;
    return stride;
  }
  return SizeExpr::constant(kernel.getContext(), 0);
}

ReadOp tc::getLinearRead(KernelOp kernel, Value operand,
                         ArrayRef<unsigned> dims) {
  auto read = operand.getDefiningOp<ReadOp>();
  bool isLinear =
      read && !read.getWithin() && read.getIndices().empty() && !dims.empty() &&
      hasStride(kernel, read, dims, SizeExpr::constant(kernel.getContext(), 1));
  return isLinear ? read : nullptr;
}
