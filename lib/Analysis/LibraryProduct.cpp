//===- LibraryProduct.cpp - Kernels that a library computes ---------------===//

#include "TC/Analysis/LibraryProduct.h"
#include "LibraryEpilogue.h"
#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

namespace {
/// Where the matrices are, and whether A and B are contiguous along the
/// dimension that is folded.
struct Matrices {
  MatrixAttr a, b, d;
  bool isAFolded = false, isBFolded = false;
};

/// Reads a kernel's body as a product.
class ProductReader {
public:
  explicit ProductReader(KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()), dims(kernel),
        epilogue(kernel) {}
  llvm::Expected<LibraryProduct> read();

private:
  llvm::Error checkBias();
  SizeExpr countPoints(ArrayRef<unsigned> of);
  std::optional<SizeExpr> findStride(Value buffer, AffineMap map,
                                     ArrayRef<unsigned> along);
  std::optional<MatrixAttr> findMatrix(Value buffer, AffineMap map,
                                       ArrayRef<unsigned> inner,
                                       ArrayRef<unsigned> outer,
                                       ArrayRef<unsigned> batches);
  std::optional<Matrices> findMatrices(const ContractionRoles &from);
  std::optional<Matrices> findMatricesOfBatch();
  std::optional<SizeExpr> findOffset(Value buffer, AffineMap map);
  ReadOp getBias() {
    return epilogue.addends.empty() ? ReadOp() : epilogue.addends.front();
  }

  KernelOp kernel;
  MLIRContext *context;
  KernelDims dims;
  std::optional<ContractionRoles> roles;
  ReadOp left, right; ///< of A and B
  EpilogueReader epilogue;
};
} // namespace

/// A bias varies along the rows of D alone, where it is contiguous.
llvm::Error ProductReader::checkBias() {
  ReadOp bias = getBias();
  if (!bias)
    return llvm::Error::success();
  DimSet rows(kernel.getNumDims());
  for (unsigned dim : roles->lanes)
    rows.set(dim);
  DimSet varies = dims.of(bias.getResult());
  varies.reset(rows);
  auto offset = findOffset(bias.getSource(), bias.getMap());
  if (varies.any() || !offset || !offset->isConstant(0) ||
      !hasStride(kernel, bias, roles->lanes, SizeExpr::constant(context, 1)))
    return noLibraryKernel(
        "what is added is no bias along the dimension along which "
        "the result is contiguous");
  if (bias.getType() != epilogue.write.getValue().getType() ||
      bias.getType() != roles->stage.getLhs().getType())
    return noLibraryKernel("its bias is of another type than its matrices");
  return llvm::Error::success();
}

SizeExpr ProductReader::countPoints(ArrayRef<unsigned> of) {
  SizeExpr count = SizeExpr::constant(context, 1);
  for (unsigned dim : of)
    count = count.mul(kernel.getDimSize(dim));
  return count;
}

/// Elements from the point of one index to that of the next along dimensions
/// walked as one; nothing where that is not the same everywhere, 0 without
/// dimensions of more than one point.
std::optional<SizeExpr> ProductReader::findStride(Value buffer, AffineMap map,
                                                  ArrayRef<unsigned> along) {
  auto type = cast<ShapedType>(buffer.getType());
  std::optional<SizeExpr> first, next;
  for (unsigned dim : llvm::reverse(along)) {
    SizeExpr size = kernel.getDimSize(dim);
    if (size.isConstant(1))
      continue;
    auto stride = getElementStride(type, map, dim);
    if (!stride || (next && *stride != *next))
      return std::nullopt;
    if (!first)
      first = stride;
    next = stride->mul(size);
  }
  return first.value_or(SizeExpr::constant(context, 0));
}

/// The position of the point whose indices are all 0.
std::optional<SizeExpr> ProductReader::findOffset(Value buffer, AffineMap map) {
  SizeExpr offset = SizeExpr::constant(context, 0);
  Sizes strides = getRowMajorStrides(cast<ShapedType>(buffer.getType()));
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    auto index = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(zeros), 0, map.getNumSymbols()));
    if (!index || index.getValue() < 0)
      return std::nullopt;
    offset = offset.add(stride.mul(index.getValue()));
  }
  return offset;
}

/// The matrices of a buffer that are contiguous along `inner`, columns of the
/// library's; nothing where they are not, or columns share elements.
std::optional<MatrixAttr>
ProductReader::findMatrix(Value buffer, AffineMap map, ArrayRef<unsigned> inner,
                          ArrayRef<unsigned> outer,
                          ArrayRef<unsigned> batches) {
  SizeExpr count = countPoints(inner);
  auto step = findStride(buffer, map, inner),
       pitch = findStride(buffer, map, outer),
       batch = findStride(buffer, map, batches),
       offset = findOffset(buffer, map);
  if (!step || !pitch || !batch || !offset ||
      !(step->isConstant(1) || count.isConstant(1)))
    return std::nullopt;
  if (countPoints(outer).isConstant(1))
    pitch = count;
  auto least = getSizeRange(kernel, pitch->sub(count)).low;
  if (!least || *least < 0)
    return std::nullopt;
  return MatrixAttr::get(context, *pitch, *batch, *offset);
}

/// The matrices with the dimensions of `from`. Either order in memory will do
/// for operands; the library transposes.
std::optional<Matrices>
ProductReader::findMatrices(const ContractionRoles &from) {
  auto find = [&](ReadOp read, ArrayRef<unsigned> own, bool &isFolded) {
    Value buffer = read.getSource();
    auto matrix =
        findMatrix(buffer, read.getMap(), from.reduced, own, from.batches);
    isFolded = matrix.has_value();
    return matrix ? matrix
                  : findMatrix(buffer, read.getMap(), own, from.reduced,
                               from.batches);
  };
  Matrices found;
  auto a = find(left, from.lanes, found.isAFolded),
       b = find(right, from.rows, found.isBFolded),
       d = findMatrix(epilogue.write.getDestination(), epilogue.write.getMap(),
                      from.lanes, from.rows, from.batches);
  if (!a || !b || !d)
    return std::nullopt;
  found.a = *a;
  found.b = *b;
  found.d = *d;
  return found;
}

/// The same, where a dimension that only one operand has may be one of the
/// batch: that has one matrix of the other operand. Leaves the roles so.
std::optional<Matrices> ProductReader::findMatricesOfBatch() {
  for (bool movesRows : {false, true})
    for (bool movesLanes : {false, true}) {
      ContractionRoles tried = *roles;
      auto move = [&](SmallVector<unsigned> &from) {
        if (from.empty())
          return;
        llvm::append_range(tried.batches, ArrayRef(from).drop_back());
        from = {from.back()};
      };
      if (movesRows)
        move(tried.rows);
      if (movesLanes)
        move(tried.lanes);
      llvm::sort(tried.batches);
      if (auto found = findMatrices(tried)) {
        roles = tried;
        return found;
      }
    }
  return std::nullopt;
}

llvm::Expected<LibraryProduct> ProductReader::read() {
  roles = ContractionRoles::find(kernel, dims, getWrittenDim(kernel));
  if (!roles)
    return noLibraryKernel("it is no product of two matrices");
  if (llvm::Error error = epilogue.read(roles->stage, /*mostAddends=*/1))
    return std::move(error);
  left = epilogue.takeOperand(roles->panel);
  right = epilogue.takeOperand(roles->rowOperand);
  if (!left || !right)
    return noLibraryKernel("it computes what it multiplies");
  if (!epilogue.isComplete())
    return noLibraryKernel("its values are used several times");
  Type element = left.getType(), result = epilogue.write.getValue().getType();
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (!isKnown || right.getType() != element ||
      !(result == element || result.isF32()))
    return noLibraryKernel("it multiplies other types than f32, bf16 or f16");
  auto matrices = findMatricesOfBatch();
  if (!matrices)
    return noLibraryKernel(
        "an operand or the result is no matrix with contiguous rows "
        "or columns and one stride for the batch");
  if (llvm::Error error = checkBias())
    return std::move(error);
  SizeExpr reduced = countPoints(roles->reduced);
  if (getSizeRange(kernel, reduced).low.value_or(0) < 1)
    return noLibraryKernel("it may sum over nothing");
  auto schedule = LibraryScheduleAttr::get(
      context, LibraryKind::CuBLASLt, epilogue.numberOf(left),
      epilogue.numberOf(right),
      /*transpose_a=*/matrices->isAFolded, /*transpose_b=*/!matrices->isBFolded,
      getBias() ? int64_t(epilogue.numberOf(getBias())) : -1,
      epilogue.activation, epilogue.scale, /*workspace=*/0);
  return LibraryProduct{schedule,
                        countPoints(roles->batches),
                        countPoints(roles->lanes),
                        countPoints(roles->rows),
                        reduced,
                        matrices->a,
                        matrices->b,
                        matrices->d};
}

llvm::Expected<LibraryProduct> LibraryProduct::find(KernelOp kernel) {
  return ProductReader(kernel).read();
}

double LibraryProduct::countMultiplications(KernelOp kernel) const {
  double count = 1;
  for (SizeExpr size : {batches, rows, columns, reduced})
    count *= estimateSize(kernel, size);
  return count;
}

bool LibraryProduct::hasFewRows(KernelOp kernel) const {
  double few =
      std::min(estimateSize(kernel, rows), estimateSize(kernel, columns));
  return few <= kFewProductRows && schedule.getTransposeA() &&
         !schedule.getTransposeB();
}

bool tc::isProductForLibrary(KernelOp kernel, const MachineModel &machine) {
  // A call costs the host more than a launch, and no CUDA graph has it.
  constexpr double kFewMultiplications = 1 << 20;
  if (!machine.hasCuBLASLt || !hasContraction(kernel))
    return false;
  llvm::Expected<LibraryProduct> product = LibraryProduct::find(kernel);
  if (!product) {
    llvm::consumeError(product.takeError());
    return false;
  }
  return product->countMultiplications(kernel) >= kFewMultiplications &&
         !product->hasFewRows(kernel);
}

bool tc::isForLibrary(KernelOp kernel, const MachineModel &machine) {
  return isProductForLibrary(kernel, machine) ||
         isConvolutionForLibrary(kernel, machine);
}
