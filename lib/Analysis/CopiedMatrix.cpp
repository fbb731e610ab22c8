//===- CopiedMatrix.cpp - Matrices that a copy engine takes ---------------===//

#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

/// Elements of 16 bits in 16 bytes, of which strides are multiples, and
/// dimensions of a tensor that the copy engine knows.
static constexpr int64_t kUnit = 8;
static constexpr size_t kMostDims = 5;

MatrixFinder::MatrixFinder(KernelOp kernel, ArrayRef<unsigned> batches)
    : kernel(kernel), batches(batches),
      ranges(kernel->getParentOfType<func::FuncOp>()) {}

SizeExpr MatrixFinder::countPoints(ArrayRef<unsigned> dims) {
  SizeExpr count = constant(1);
  for (unsigned dim : dims)
    count = count.mul(kernel.getDimSize(dim));
  return count;
}

std::optional<SizeExpr> MatrixFinder::findStride(const MatrixAccess &access,
                                                 ArrayRef<unsigned> along) {
  auto type = cast<ShapedType>(access.buffer.getType());
  std::optional<SizeExpr> first, next;
  for (unsigned dim : llvm::reverse(along)) {
    SizeExpr size = kernel.getDimSize(dim);
    if (size.isConstant(1))
      continue;
    auto stride = getElementStride(type, access.map, dim);
    if (!stride || (next && *stride != *next))
      return std::nullopt;
    if (!first)
      first = stride;
    next = stride->mul(size);
  }
  return first.value_or(constant(0));
}

/// The number of the element that the point whose indices are all 0 is; nothing
/// where that is not known.
static std::optional<SizeExpr> findOffset(Value buffer, AffineMap map) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  SizeExpr offset = SizeExpr::constant(context, 0);
  for (auto [expr, stride] : llvm::zip_equal(
           map.getResults(),
           getRowMajorStrides(cast<ShapedType>(buffer.getType())))) {
    auto index = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(zeros), 0, map.getNumSymbols()));
    if (!index || index.getValue() < 0)
      return std::nullopt;
    offset = offset.add(SizeExpr(stride).mul(index.getValue()));
  }
  return offset;
}

/// Whether the copy engine may make steps of `stride`, on a condition that is
/// added to those of `matrix` where sizes do not say so.
bool MatrixFinder::mayStep(SizeExpr stride, CopiedMatrix &matrix) {
  if (isMultiple(stride, kUnit) && ranges.of(stride).min >= 1)
    return true;
  matrix.conditions.push_back(stride);
  return pads || !stride.isConstant();
}

/// Sets the stride along `outer` of a matrix that is contiguous along `inner`;
/// false where it is not, or the stride is no multiple of 16 bytes.
bool MatrixFinder::findPitch(const MatrixAccess &access,
                             ArrayRef<unsigned> inner, ArrayRef<unsigned> outer,
                             CopiedMatrix &matrix) {
  auto step = findStride(access, inner), pitch = findStride(access, outer);
  SizeExpr count = countPoints(inner);
  if (!step || !pitch || !(step->isConstant(1) || count.isConstant(1)))
    return false;
  // No step is made between rows where there is one.
  if (countPoints(outer).isConstant(1)) {
    matrix.pitch = count.ceilDiv(constant(kUnit)).mul(kUnit);
    return true;
  }
  matrix.pitch = *pitch;
  return mayStep(*pitch, matrix);
}

/// The stride of `map` from one group of points along `dim` to the next, and
/// how many points a group has, which are the same element: where all indices
/// are of the dimension divided by their number.
static std::optional<std::pair<SizeExpr, int64_t>>
findGroupStride(ShapedType type, AffineMap map, unsigned dim) {
  MLIRContext *context = map.getContext();
  AffineExpr whole = getAffineDimExpr(dim, context);
  int64_t group = 0;
  for (AffineExpr result : map.getResults())
    result.walk([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                            : AffineConstantExpr();
      if (divisor && expr.getKind() == AffineExprKind::FloorDiv &&
          binary.getLHS() == whole)
        group = divisor.getValue();
    });
  if (group < 1)
    return std::nullopt;
  unsigned number = map.getNumDims();
  AffineMap grouped =
      map.replace(whole.floorDiv(group), getAffineDimExpr(number, context),
                  number + 1, map.getNumSymbols());
  if (grouped.isFunctionOfDim(dim))
    return std::nullopt;
  auto stride = getElementStride(type, grouped, number);
  return stride ? std::optional(std::pair(*stride, group)) : std::nullopt;
}

/// Sets the batch dimensions that `access` varies over, and their strides;
/// false where the copy engine does not know them.
bool MatrixFinder::findBatches(const MatrixAccess &access,
                               CopiedMatrix &matrix) {
  auto type = cast<ShapedType>(access.buffer.getType());
  for (unsigned dim : batches) {
    if (kernel.getDimSize(dim).isConstant(1))
      continue;
    auto stride = getElementStride(type, access.map, dim);
    int64_t sharers = 1;
    if (stride && stride->isConstant(0))
      continue;
    if (!stride)
      if (auto group = findGroupStride(type, access.map, dim))
        std::tie(stride, sharers) = *group;
    if (!stride || !mayStep(*stride, matrix))
      return false;
    matrix.batches.push_back(dim);
    matrix.batchStrides.push_back(*stride);
    matrix.sharers.push_back(sharers);
  }
  return matrix.batches.size() + 2 <= kMostDims;
}

std::optional<CopiedMatrix> MatrixFinder::find(const MatrixAccess &access,
                                               ArrayRef<unsigned> inner,
                                               ArrayRef<unsigned> outer) {
  CopiedMatrix matrix;
  auto offset = findOffset(access.buffer, access.map);
  matrix.buffer = cast<BlockArgument>(access.buffer).getArgNumber();
  if (!offset || !(offset->isConstant(0) || isMultiple(*offset, kUnit)) ||
      !findPitch(access, inner, outer, matrix) || !findBatches(access, matrix))
    return std::nullopt;
  matrix.offset = *offset;
  return matrix;
}

std::optional<CopiedMatrix> MatrixFinder::findPadded(const MatrixAccess &access,
                                                     ArrayRef<unsigned> inner,
                                                     ArrayRef<unsigned> outer) {
  pads = true;
  std::optional<CopiedMatrix> matrix = find(access, inner, outer);
  pads = false;
  return matrix && (matrix->conditions.empty() || mayPad(*matrix))
             ? matrix
             : std::nullopt;
}

bool MatrixFinder::mayPad(const CopiedMatrix &matrix) {
  return matrix.offset.isConstant(0) &&
         llvm::all_of(matrix.conditions, [&](SizeExpr stride) {
           return ranges.of(stride).min >= 0;
         });
}

std::optional<CopiedMatrix>
MatrixFinder::findResults(ArrayRef<unsigned> inner, ArrayRef<unsigned> outer) {
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!llvm::hasSingleElement(writes))
    return std::nullopt;
  WriteOp write = *writes.begin();
  Type type = write.getValue().getType();
  if (!(type.isBF16() || type.isF16()) || write.getWithin() ||
      write.getCombine() != CombineKind::Replace)
    return std::nullopt;
  auto matrix = find({write.getDestination(), write.getMap()}, inner, outer);
  if (!matrix || !matrix->conditions.empty())
    return std::nullopt;
  matrix->isAcross = true;
  return matrix;
}
