//===- CopiedBoxes.cpp - Boxes of matrices that are copied ----------------===//

#include "CopiedBoxes.h"
#include "../KernelEmission/AccessEmitter.h"
#include "Words.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

TensorMapAttr tc::getBoxMap(const GPUFrame &frame, const CopiedMatrix &matrix,
                            SizeExpr outer, SizeExpr inner, int64_t rows,
                            int64_t columns, bool written) {
  KernelOp kernel = frame.kernel;
  MLIRContext *context = kernel.getContext();
  auto type = cast<ShapedType>(
      kernel.getBodyBlock().getArgument(matrix.buffer).getType());
  SmallVector<SizeExpr> sizes, strides;
  SmallVector<int64_t> box(matrix.batches.size(), 1);
  if (matrix.groupStride) {
    sizes.push_back(matrix.groupCount);
    strides.push_back(*matrix.groupStride);
    box.push_back(1);
  }
  llvm::append_range(strides, matrix.batchStrides);
  for (auto [dim, sharers] : llvm::zip_equal(matrix.batches, matrix.sharers))
    sizes.push_back(
        kernel.getDimSize(dim).ceilDiv(SizeExpr::constant(context, sharers)));
  sizes.append({outer, inner.add(matrix.offset)});
  strides.append({matrix.pitch, SizeExpr::constant(context, 1)});
  box.append({rows, columns});
  const int64_t rowBytes = columns * getElementBytes(type.getElementType());
  return TensorMapAttr::get(
      context, matrix.buffer, SizesAttr::get(context, sizes),
      SizesAttr::get(context, strides), DenseI64ArrayAttr::get(context, box),
      rowBytes <= block::kBoxRowBytes ? rowBytes : 0, /*realigns=*/true,
      written,
      /*window=*/WindowAttr());
}

TensorMapAttr tc::withBox(TensorMapAttr map, ArrayRef<int64_t> box) {
  return TensorMapAttr::get(
      map.getContext(), map.getBuffer(), map.getSizes(), map.getStrides(),
      DenseI64ArrayAttr::get(map.getContext(), box), map.getSwizzle(),
      map.getRealigns(), map.getWritten(), map.getWindow());
}

TensorMapAttr tc::getImagesMap(const GPUFrame &frame,
                               const CopiedMatrix &matrix, int64_t places) {
  KernelOp kernel = frame.kernel;
  MLIRContext *context = kernel.getContext();
  auto numbers = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(context, values);
  };
  const CopiedWindow &window = *matrix.window;
  auto type = cast<ShapedType>(
      kernel.getBodyBlock().getArgument(matrix.buffer).getType());
  Sizes sizes = getSizes(type);
  // A single image has no index of its own.
  if (window.places.size() == window.steps.size())
    sizes.insert(sizes.begin(), SizeExpr::constant(context, 1));
  return TensorMapAttr::get(
      context, matrix.buffer, SizesAttr::get(context, sizes), SizesAttr(),
      numbers({places, block::kBoxElements}), block::kBoxRowBytes,
      /*realigns=*/true, /*written=*/false,
      WindowAttr::get(context, numbers(window.lower), numbers(window.upper),
                      numbers(window.steps)));
}

void tc::emitMapPrefetches(GPUFrame &frame) {
  auto &b = frame.builder;
  Value isFirst = frame.isZero(frame.threadNumber);
  for (Value map : frame.tensorMaps)
    NVVM::PrefetchOp::create(b, frame.loc, NVVM::PrefetchCacheLevelAttr(),
                             NVVM::CacheEvictionPriorityAttr(), map, isFirst,
                             b.getUnitAttr());
}

Value tc::emitShift(GPUFrame &frame, const CopiedMatrix &matrix) {
  return Words{frame.builder, frame.loc}.narrow(frame.size(matrix.offset));
}

Value tc::emitFitCoordinates(GPUFrame &frame, ArrayRef<SizeExpr> sizes) {
  constexpr int64_t kMost = (int64_t(1) << 30) - 1024;
  auto &b = frame.builder;
  SizeRanges ranges(frame.kernel->getParentOfType<func::FuncOp>());
  Value holds;
  for (SizeExpr size : sizes) {
    if (ranges.of(size).max <= kMost)
      continue;
    Value fits = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sle,
                                       frame.size(size), frame.constant(kMost));
    holds = restrictMask(b, frame.loc, holds, fits);
  }
  return holds;
}

SmallVector<Value> tc::emitDigits(GPUFrame &frame, ArrayRef<SizeExpr> sizes,
                                  Value number) {
  Words words{frame.builder, frame.loc};
  SmallVector<Value> digits(sizes.size(), number);
  for (size_t place = sizes.size(); place-- > 1;) {
    Value count = words.narrow(frame.size(sizes[place]));
    digits[place] = words.rem(number, count);
    digits[0] = number = words.div(number, count);
  }
  return digits;
}

SmallVector<Value> tc::emitBatchIndices(GPUFrame &frame,
                                        ArrayRef<unsigned> batches,
                                        ArrayRef<unsigned> dims, Value batch) {
  auto sizes = llvm::map_to_vector(
      batches, [&](unsigned dim) { return frame.kernel.getDimSize(dim); });
  SmallVector<Value> digits = emitDigits(frame, sizes, batch);
  return llvm::map_to_vector(dims, [&](unsigned dim) {
    return digits[llvm::find(batches, dim) - batches.begin()];
  });
}

SmallVector<Value> tc::emitMatrixIndices(GPUFrame &frame,
                                         ArrayRef<unsigned> batches,
                                         const CopiedMatrix &matrix,
                                         Value batch) {
  Words words{frame.builder, frame.loc};
  SmallVector<Value> indices =
      emitBatchIndices(frame, batches, matrix.batches, batch);
  for (auto [index, sharers] : llvm::zip_equal(indices, matrix.sharers))
    if (sharers > 1)
      index = words.div(index, sharers);
  return indices;
}
