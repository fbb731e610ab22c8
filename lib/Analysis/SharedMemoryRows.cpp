//===- SharedMemoryRows.cpp - Rows copied to shared memory ----------------===//

#include "TC/Analysis/SharedMemoryRows.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelIterations.h"

using namespace mlir;
using namespace tc;

/// Whether elements of later points are never before those of earlier ones.
static bool isIncreasing(AffineMap map) {
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
    AffineExpr here = getAffineDimExpr(dim, map.getContext());
    for (AffineExpr expr : map.getResults()) {
      std::optional<int64_t> step =
          getIndexStep(expr, here, map.getNumDims(), map.getNumSymbols());
      if (!step || *step < 0)
        return false;
    }
  }
  return true;
}

/// Whether all stages fold along `dim`, and nothing else.
static bool hasPlainFolds(KernelOp kernel, unsigned dim) {
  return llvm::all_of(kernel.getBodyBlock(), [dim](Operation &op) {
    if (isa<ReduceStageOp>(op))
      return getFoldedDims(&op) == ArrayRef<int64_t>(int64_t(dim));
    return !isa<ContractStageOp, ScanStageOp>(op) && !isWholeStage(&op);
  });
}

std::optional<SharedMemoryRows> SharedMemoryRows::find(KernelOp kernel,
                                                       unsigned dim) {
  constexpr unsigned kMostBytes = 8;
  KernelDims dims(kernel);
  DimSet outer = getOuterDims(kernel, dims);
  if (outer.test(dim) || outer.count() + 1 != kernel.getNumDims() ||
      !hasPlainFolds(kernel, dim))
    return std::nullopt;
  SmallVector<unsigned> rowDims(outer.set_bits());
  SizeExpr size = kernel.getDimSize(dim);
  SharedMemoryRows rows;
  rows.dim = dim;
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    if (!dims.of(read.getResult()).test(dim))
      continue;
    auto type = cast<ShapedType>(read.getSource().getType());
    auto stride = getElementStride(type, read.getMap(), dim);
    auto step = stride ? stride->getConstant() : std::nullopt;
    if (read.getWithin() || !read.getIndices().empty() || !step || *step < 1 ||
        *step > kMostStride || !isIncreasing(read.getMap()) ||
        getElementBytes(type.getElementType()) > kMostBytes)
      return std::nullopt;
    rows.inputs.push_back({read, *step, dims.of(read.getResult()).count() > 1,
                           hasStride(kernel, read, rowDims, size.mul(*step))});
  }
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    if (write.isScatter() || write.getWithin())
      return std::nullopt;
    auto type = cast<ShapedType>(write.getDestination().getType());
    auto stride = getElementStride(type, write.getMap(), dim);
    if (stride && stride->isConstant(1) &&
        getElementBytes(type.getElementType()) <= kMostBytes &&
        hasStride(kernel, type, write.getMap(), rowDims, size))
      rows.outputs.push_back(write);
  }
  if (llvm::none_of(rows.inputs, [](const Input &in) { return in.hasRows; }))
    return std::nullopt;
  return rows;
}

SizeExpr SharedMemoryRows::getRowBytes(KernelOp kernel,
                                       const Input &input) const {
  ReadOp read = input.read;
  return kernel.getDimSize(dim).mul(
      input.stride * getElementBytes(read.getResult().getType()));
}

SizeExpr SharedMemoryRows::getRowBytes(KernelOp kernel, WriteOp output) const {
  return kernel.getDimSize(dim).mul(
      getElementBytes(output.getValue().getType()));
}

/// Whole units for `bytes` that begin anywhere in one.
static SizeExpr getRoom(SizeExpr bytes) {
  constexpr int64_t kUnit = SharedMemoryRows::kUnitBytes;
  SizeExpr unit = SizeExpr::constant(bytes.getContext(), kUnit);
  return bytes.add(kUnit - 1).ceilDiv(unit).mul(kUnit);
}

SizeExpr SharedMemoryRows::getPitch(KernelOp kernel, const Input &input) const {
  return getRoom(getRowBytes(kernel, input));
}

SizeExpr SharedMemoryRows::getArea(KernelOp kernel, const Input &input,
                                   int64_t rows) const {
  if (!input.hasRows || input.isOnePiece)
    return getRoom(getRowBytes(kernel, input).mul(input.hasRows ? rows : 1));
  return getPitch(kernel, input).mul(rows);
}

SizeExpr SharedMemoryRows::getArea(KernelOp kernel, WriteOp output,
                                   int64_t rows) const {
  return getRoom(getRowBytes(kernel, output).mul(rows));
}

SizeExpr SharedMemoryRows::getArea(KernelOp kernel, int64_t rows) const {
  SizeExpr all = SizeExpr::constant(kernel.getContext(), 0);
  for (const Input &input : inputs)
    all = all.add(getArea(kernel, input, rows));
  for (WriteOp output : outputs)
    all = all.add(getArea(kernel, output, rows));
  return all;
}
