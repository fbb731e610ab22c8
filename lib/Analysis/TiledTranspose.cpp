//===- TiledTranspose.cpp - Reads that are transposed in registers --------===//

#include "TC/Analysis/TiledTranspose.h"
#include "TC/Analysis/ElementStrides.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Whether elements of `type` at `map` have the constant stride `stride` along
/// `dim`.
static bool hasStride(ShapedType type, AffineMap map, unsigned dim,
                      int64_t stride) {
  auto found = getElementStride(type, map, dim);
  return found && found->isConstant(stride);
}

/// A copy of pairs: innermost in both buffers, two elements of 16 bits along
/// one dimension, and the pairs along different dimensions.
static std::optional<TiledTranspose>
findPairs(KernelOp kernel, const KernelDims &dims, unsigned pair) {
  auto reads = kernel.getBodyBlock().getOps<ReadOp>();
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!llvm::hasNItems(kernel.getBodyBlock(), 2) || reads.empty() ||
      writes.empty())
    return std::nullopt;
  ReadOp read = *reads.begin();
  WriteOp write = *writes.begin();
  if (write.getValue() != read.getResult() ||
      getElementBytes(read.getType()) != 2 ||
      !kernel.getDimSize(pair).isConstant(2) || !read.getIndices().empty() ||
      read.getWithin() || !write.getIndices().empty() || write.getWithin() ||
      write.getCombine() != CombineKind::Replace || !dims.ofWrite(write).all())
    return std::nullopt;
  auto from = cast<ShapedType>(read.getSource().getType()),
       to = cast<ShapedType>(write.getDestination().getType());
  if (!hasStride(from, read.getMap(), pair, 1) ||
      !hasStride(to, write.getMap(), pair, 1))
    return std::nullopt;
  std::optional<unsigned> rowDim, lanesDim;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    if (hasStride(from, read.getMap(), dim, 2))
      rowDim = dim;
    if (hasStride(to, write.getMap(), dim, 2))
      lanesDim = dim;
  }
  if (!rowDim || !lanesDim || rowDim == lanesDim)
    return std::nullopt;
  return TiledTranspose{*lanesDim, *rowDim, {read}, pair};
}

/// Whether `write` is contiguous along `dim` and covers the domain.
static bool isContiguous(WriteOp write, const KernelDims &dims, unsigned dim) {
  auto type = cast<ShapedType>(write.getDestination().getType());
  return hasStride(type, write.getMap(), dim, 1) &&
         write.getIndices().empty() && dims.ofWrite(write).all();
}

/// The dimension other than `lanesDim` along which `read`, whose lanes have
/// another stride, is contiguous.
static std::optional<unsigned> findRowDim(KernelOp kernel, ReadOp read,
                                          unsigned lanesDim,
                                          std::optional<unsigned> known) {
  auto type = cast<ShapedType>(read.getSource().getType());
  if (hasStride(type, read.getMap(), lanesDim, 1))
    return std::nullopt;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (dim != lanesDim && hasStride(type, read.getMap(), dim, 1) &&
        (!known || *known == dim))
      return dim;
  return std::nullopt;
}

std::optional<TiledTranspose> TiledTranspose::find(KernelOp kernel,
                                                   const KernelDims &dims,
                                                   int64_t vectorDim) {
  if (vectorDim < 0)
    return std::nullopt;
  if (std::optional<TiledTranspose> pairs = findPairs(kernel, dims, vectorDim))
    return pairs;
  TiledTranspose roles{};
  roles.lanesDim = vectorDim;
  std::optional<unsigned> rowDim;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op) ||
        isWholeStage(&op))
      return std::nullopt;
    auto write = dyn_cast<WriteOp>(op);
    if (write && !isContiguous(write, dims, roles.lanesDim))
      return std::nullopt;
    auto read = dyn_cast<ReadOp>(op);
    if (!read || !read.getIndices().empty() || read.getWithin() ||
        !dims.of(read.getResult()).test(roles.lanesDim))
      continue;
    if (auto dim = findRowDim(kernel, read, roles.lanesDim, rowDim)) {
      rowDim = dim;
      roles.reads.push_back(read);
    }
  }
  if (!rowDim)
    return std::nullopt;
  roles.rowDim = *rowDim;
  return roles;
}

std::optional<TiledTranspose>
TiledTranspose::findForBlocks(KernelOp kernel, const KernelDims &dims,
                              int64_t vectorDim) {
  auto roles = find(kernel, dims, vectorDim);
  if (!roles || roles->pairDim)
    return std::nullopt;
  llvm::erase_if(roles->reads, [&](ReadOp read) {
    return !getElementStride(cast<ShapedType>(read.getSource().getType()),
                             read.getMap(), roles->lanesDim);
  });
  if (roles->reads.empty())
    return std::nullopt;
  return roles;
}

int64_t tc::getTransposeEarly(int64_t lanes) { return 2 * lanes; }

int64_t tc::getTransposePitch(int64_t rows, int64_t elementBytes) {
  return rows * elementBytes + kGranuleBytes;
}

int64_t tc::getTransposeSkew(int64_t lanes, int64_t elementBytes) {
  constexpr int64_t kWarpRows = 8;
  return lanes == 1 ? 0 : std::max(kGranuleBytes, kWarpRows * elementBytes);
}

int64_t tc::getTransposeBytes(int64_t tile, int64_t rows, int64_t lanes,
                              int64_t elementBytes) {
  int64_t pitch = getTransposePitch(rows, elementBytes);
  int64_t anywhere =
      (tile + getTransposeEarly(lanes)) * (pitch + kGranuleBytes - 1);
  int64_t aligned = tile * rows * elementBytes +
                    tile / lanes * getTransposeSkew(lanes, elementBytes);
  return llvm::alignTo(std::max(anywhere, aligned), kGranuleBytes);
}
