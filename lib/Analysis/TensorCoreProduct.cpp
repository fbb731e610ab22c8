//===- TensorCoreProduct.cpp - Products for tensor cores ------------------===//

#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/SizeRanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

/// Elements of 16 bits in 16 bytes, of which strides are multiples, and
/// dimensions of a tensor that the copy engine knows.
static constexpr int64_t kUnit = 8;
static constexpr size_t kMostDims = 5;

static llvm::Error noProduct(const Twine &reason) {
  return llvm::createStringError(reason);
}

namespace {
class ProductFinder {
public:
  ProductFinder(KernelOp kernel, ContractionRoles roles)
      : kernel(kernel), roles(std::move(roles)),
        ranges(kernel->getParentOfType<func::FuncOp>()) {}
  llvm::Expected<TensorCoreProduct> find();

private:
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(kernel.getContext(), value);
  }
  SizeExpr countPoints(ArrayRef<unsigned> dims);
  bool isMultiple(SizeExpr size, int64_t divisor) {
    return ranges.of(size).divisor % divisor == 0;
  }
  bool hasPairs();
  /// What is read or written of a buffer.
  struct Access {
    Value buffer;
    AffineMap map;
  };
  std::optional<SizeExpr> findStride(const Access &access,
                                     ArrayRef<unsigned> along);
  std::optional<SizeExpr> findPitch(const Access &access,
                                    ArrayRef<unsigned> inner,
                                    ArrayRef<unsigned> outer);
  llvm::Error findBatches(const Access &access,
                          TensorCoreProduct::Matrix &matrix);
  llvm::Expected<TensorCoreProduct::Matrix> findMatrix(Value value,
                                                       ArrayRef<unsigned> own);
  std::optional<TensorCoreProduct::Matrix> findResults();

  KernelOp kernel;
  ContractionRoles roles;
  SizeRanges ranges;
};
} // namespace

SizeExpr ProductFinder::countPoints(ArrayRef<unsigned> dims) {
  SizeExpr count = constant(1);
  for (unsigned dim : dims)
    count = count.mul(kernel.getDimSize(dim));
  return count;
}

bool ProductFinder::hasPairs() {
  return isMultiple(kernel.getDimSize(roles.vectorDim), 2);
}

/// Elements from the point of one index to that of the next along dimensions
/// walked as one; 0 without dimensions of more than one point.
std::optional<SizeExpr> ProductFinder::findStride(const Access &access,
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

/// Whether the point whose indices are all 0 is the first element.
static bool beginsAtFirst(AffineMap map) {
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, map.getContext()));
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    auto index = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(zeros), 0, map.getNumSymbols()));
    return index && index.getValue() == 0;
  });
}

/// The stride along `outer` of a matrix that is contiguous along `inner`;
/// nothing where it is not, or the stride is no multiple of 16 bytes.
std::optional<SizeExpr> ProductFinder::findPitch(const Access &access,
                                                 ArrayRef<unsigned> inner,
                                                 ArrayRef<unsigned> outer) {
  auto step = findStride(access, inner), pitch = findStride(access, outer);
  SizeExpr count = countPoints(inner);
  if (!step || !pitch || !(step->isConstant(1) || count.isConstant(1)))
    return std::nullopt;
  // No step is made between rows where there is one.
  if (countPoints(outer).isConstant(1))
    return count.ceilDiv(constant(kUnit)).mul(kUnit);
  if (!isMultiple(*pitch, kUnit) || ranges.of(*pitch).min < 0 ||
      pitch->isConstant(0))
    return std::nullopt;
  return pitch;
}

/// Sets the batch dimensions that `access` varies over, and their strides.
llvm::Error ProductFinder::findBatches(const Access &access,
                                       TensorCoreProduct::Matrix &matrix) {
  auto type = cast<ShapedType>(access.buffer.getType());
  for (unsigned dim : roles.batches) {
    if (kernel.getDimSize(dim).isConstant(1))
      continue;
    auto stride = getElementStride(type, access.map, dim);
    if (!stride || !isMultiple(*stride, kUnit) || ranges.of(*stride).min < 0 ||
        stride->isConstant(0))
      return noProduct("the matrices of a batch are not multiples of 16 bytes "
                       "apart");
    matrix.batches.push_back(dim);
    matrix.batchStrides.push_back(*stride);
  }
  if (matrix.batches.size() + 2 > kMostDims)
    return noProduct("its batch has more dimensions than the copy engine "
                     "knows");
  return llvm::Error::success();
}

llvm::Expected<TensorCoreProduct::Matrix>
ProductFinder::findMatrix(Value value, ArrayRef<unsigned> own) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty())
    return noProduct("it computes what it multiplies");
  if (!read.getType().isBF16() && !read.getType().isF16())
    return noProduct("it multiplies other types than bf16 and f16");
  if (!beginsAtFirst(read.getMap()))
    return noProduct("a matrix does not begin where its buffer does");
  Access access{read.getSource(), read.getMap()};
  TensorCoreProduct::Matrix matrix;
  matrix.buffer = cast<BlockArgument>(access.buffer).getArgNumber();
  auto pitch = findPitch(access, roles.reduced, own);
  if (!pitch) {
    matrix.isAcross = true;
    pitch = findPitch(access, own, roles.reduced);
  }
  if (!pitch)
    return noProduct("a matrix has no contiguous rows or columns that are "
                     "multiples of 16 bytes apart");
  matrix.pitch = *pitch;
  if (llvm::Error error = findBatches(access, matrix))
    return std::move(error);
  return matrix;
}

std::optional<TensorCoreProduct::Matrix> ProductFinder::findResults() {
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!llvm::hasSingleElement(writes) || !hasPairs())
    return std::nullopt;
  WriteOp write = *writes.begin();
  Type type = write.getValue().getType();
  if (!(type.isBF16() || type.isF16()) || write.getWithin() ||
      write.getCombine() != CombineKind::Replace ||
      !beginsAtFirst(write.getMap()))
    return std::nullopt;
  Access access{write.getDestination(), write.getMap()};
  auto pitch = findPitch(access, roles.lanes, roles.rows);
  if (!pitch)
    return std::nullopt;
  TensorCoreProduct::Matrix matrix;
  matrix.buffer = cast<BlockArgument>(access.buffer).getArgNumber();
  matrix.isAcross = true;
  matrix.pitch = *pitch;
  if (llvm::Error error = findBatches(access, matrix)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return matrix;
}

llvm::Expected<TensorCoreProduct> ProductFinder::find() {
  if (roles.rows.empty() || roles.reduced.empty())
    return noProduct("it is no product of two matrices");
  if (roles.rowOperand.getType() != roles.panel.getType())
    return noProduct("it multiplies two types");
  if (!roles.stage.getResult().getType().isF32())
    return noProduct("its sums are of another type than f32");
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
    if (write.isScatter())
      return noProduct("its results are not written to every point");
  auto rows = findMatrix(roles.rowOperand, roles.rows);
  if (!rows)
    return rows.takeError();
  auto lanes = findMatrix(roles.panel, roles.lanes);
  if (!lanes)
    return lanes.takeError();
  SizeExpr reduced = countPoints(roles.reduced);
  if (ranges.of(reduced).min < 1)
    return noProduct("it may sum over nothing");
  return TensorCoreProduct{roles,
                           *rows,
                           *lanes,
                           findResults(),
                           countPoints(roles.rows),
                           countPoints(roles.lanes),
                           reduced,
                           hasPairs()};
}

llvm::Expected<TensorCoreProduct> TensorCoreProduct::find(KernelOp kernel,
                                                          int64_t vectorDim) {
  auto roles = ContractionRoles::find(kernel, KernelDims(kernel), vectorDim);
  if (!roles)
    return noProduct("it is no product of two matrices");
  return ProductFinder(kernel, std::move(*roles)).find();
}
