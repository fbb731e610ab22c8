//===- LibraryProduct.cpp - Kernels that a library computes ---------------===//

#include "TC/Analysis/LibraryProduct.h"
#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

/// The reason why a kernel is no product that libraries have.
static llvm::Error noProduct(const Twine &reason) {
  return llvm::createStringError(reason);
}

namespace {
/// What happens to the sums before they are written.
struct Epilogue {
  FloatAttr scale;
  ReadOp bias;
  ProductActivation activation = ProductActivation::None;
};

/// Where the matrices are, and whether A and B are contiguous along the
/// dimension that is folded.
struct Matrices {
  MatrixAttr a, b, d;
  bool isAFolded = false, isBFolded = false;
};

/// Reads a kernel's body as a product. Every op has its place in it; `ops`
/// counts those that have been found.
class ProductReader {
public:
  explicit ProductReader(KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()), dims(kernel) {}
  llvm::Expected<LibraryProduct> read();

private:
  llvm::Error readEpilogue();
  void readActivation(Value &value);
  void readBias(Value &value);
  void readScale(Value &value);
  ReadOp findBias(Value value);
  llvm::Error checkBias();
  ReadOp takeOperand(Value value);
  Value takeCast(Value value);
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
  unsigned numberOf(ReadOp read) {
    return cast<BlockArgument>(read.getSource()).getArgNumber();
  }

  KernelOp kernel;
  MLIRContext *context;
  KernelDims dims;
  std::optional<ContractionRoles> roles;
  ReadOp left, right; ///< of A and B
  WriteOp write;
  Epilogue epilogue;
  size_t ops = 0;
};
} // namespace

/// The value before a conversion of floats; `value` itself where none is.
Value ProductReader::takeCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !isa<FloatType>(cast.getX().getType()))
    return value;
  ++ops;
  return cast.getX();
}

/// A read without conditions, whose only use is where it is found.
ReadOp ProductReader::takeOperand(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      numberOf(read) >= kernel.getIns().size())
    return nullptr;
  ++ops;
  return read;
}

void ProductReader::readActivation(Value &value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ReluOp>(op))
    epilogue.activation = ProductActivation::Relu;
  else if (isa_and_nonnull<GeluTanhOp>(op))
    epilogue.activation = ProductActivation::GeluTanh;
  else
    return;
  ++ops;
  value = op->getOperand(0);
}

/// The read of a bias, perhaps converted; null for another value.
ReadOp ProductReader::findBias(Value value) {
  size_t before = ops;
  ReadOp read = takeOperand(takeCast(value));
  if (!read)
    ops = before;
  return read;
}

void ProductReader::readBias(Value &value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return;
  Value sum = add.getX();
  epilogue.bias = findBias(add.getY());
  if (!epilogue.bias) {
    sum = add.getY();
    epilogue.bias = findBias(add.getX());
  }
  if (!epilogue.bias)
    return;
  ++ops;
  value = sum;
}

void ProductReader::readScale(Value &value) {
  auto mul = value.getDefiningOp<MulOp>();
  if (!mul)
    return;
  for (auto [factor, other] :
       {std::pair(mul.getY(), mul.getX()), std::pair(mul.getX(), mul.getY())}) {
    auto constant = factor.getDefiningOp<ScalarOp>();
    auto number =
        constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    if (!number || !number.getType().isF32())
      continue;
    ops += 2;
    epilogue.scale = number;
    value = other;
    return;
  }
}

/// From what is written back to the sums.
llvm::Error ProductReader::readEpilogue() {
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!llvm::hasSingleElement(writes))
    return noProduct("it writes several results");
  write = *writes.begin();
  if (write.isScatter() || write.getWithin())
    return noProduct("its result is not written to every point");
  ++ops;
  Value value = takeCast(write.getValue());
  readActivation(value);
  readBias(value);
  readScale(value);
  if (value != roles->stage.getResult())
    return noProduct(
        "what it does to the sums is more than a scale, a bias, and "
        "relu or gelu_tanh");
  ++ops;
  return llvm::Error::success();
}

/// A bias varies along the rows of D alone, where it is contiguous.
llvm::Error ProductReader::checkBias() {
  if (!epilogue.bias)
    return llvm::Error::success();
  ReadOp bias = epilogue.bias;
  DimSet rows(kernel.getNumDims());
  for (unsigned dim : roles->lanes)
    rows.set(dim);
  DimSet varies = dims.of(bias.getResult());
  varies.reset(rows);
  auto offset = findOffset(bias.getSource(), bias.getMap());
  if (varies.any() || !offset || !offset->isConstant(0) ||
      !hasStride(kernel, bias, roles->lanes, SizeExpr::constant(context, 1)))
    return noProduct("what is added is no bias along the dimension along which "
                     "the result is contiguous");
  if (bias.getType() != write.getValue().getType() ||
      bias.getType() != roles->stage.getLhs().getType())
    return noProduct("its bias is of another type than its matrices");
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
       d = findMatrix(write.getDestination(), write.getMap(), from.lanes,
                      from.rows, from.batches);
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
    return noProduct("it is no product of two matrices");
  if (llvm::Error error = readEpilogue())
    return std::move(error);
  left = takeOperand(roles->panel);
  right = takeOperand(roles->rowOperand);
  if (!left || !right)
    return noProduct("it computes what it multiplies");
  if (ops != kernel.getBodyBlock().getOperations().size())
    return noProduct("its values are used several times");
  Type element = left.getType(), result = write.getValue().getType();
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (!isKnown || right.getType() != element ||
      !(result == element || result.isF32()))
    return noProduct("it multiplies other types than f32, bf16 or f16");
  auto matrices = findMatricesOfBatch();
  if (!matrices)
    return noProduct(
        "an operand or the result is no matrix with contiguous rows "
        "or columns and one stride for the batch");
  if (llvm::Error error = checkBias())
    return std::move(error);
  SizeExpr reduced = countPoints(roles->reduced);
  if (getSizeRange(kernel, reduced).low.value_or(0) < 1)
    return noProduct("it may sum over nothing");
  auto schedule = LibraryScheduleAttr::get(
      context, LibraryKind::CuBLASLt, numberOf(left), numberOf(right),
      /*transpose_a=*/matrices->isAFolded, /*transpose_b=*/!matrices->isBFolded,
      epilogue.bias ? int64_t(numberOf(epilogue.bias)) : -1,
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

bool tc::isForLibrary(KernelOp kernel, const MachineModel &machine) {
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
