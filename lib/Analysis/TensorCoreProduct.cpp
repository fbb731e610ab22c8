//===- TensorCoreProduct.cpp - Products for tensor cores ------------------===//

#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Analysis/KernelClassification.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

static llvm::Error noProduct(const Twine &reason) {
  return llvm::createStringError(reason);
}

/// What tensor cores multiply where the contraction multiplies `value`: numbers
/// of i8, where it has them as i32, whose sums are of i32 then too.
static Value getMultiplied(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && value.getType().isInteger(32) &&
                 cast.getX().getType().isInteger(8)
             ? cast.getX()
             : value;
}

/// Nothing but that the two are for the same tensor cores.
static bool areMultipliedTogether(Type left, Type right) {
  return left == right || (isFloat8Type(left) && isFloat8Type(right));
}

namespace {
class ProductFinder {
public:
  ProductFinder(KernelOp kernel, ContractionRoles roles, bool hasCopyEngine)
      : kernel(kernel), roles(std::move(roles)), hasCopyEngine(hasCopyEngine),
        bytes(getElementBytes(getMultiplied(this->roles.panel).getType())),
        finder(kernel, this->roles.batches, bytes) {}
  llvm::Expected<TensorCoreProduct> find();

private:
  bool hasPairs() {
    return finder.isMultiple(kernel.getDimSize(roles.vectorDim), 2);
  }
  std::optional<CopiedMatrix> findMatrix(const MatrixAccess &access,
                                         ArrayRef<unsigned> own, bool isAcross);
  void copyImages(TensorCoreProduct &product);
  void copyImagesOfGradient(TensorCoreProduct &product);
  std::optional<CopiedMatrix> findFilters(ReadOp read, ArrayRef<unsigned> own);
  bool isContiguousAcross(Value value, ArrayRef<unsigned> own);
  llvm::Expected<TensorCoreProduct::Operand>
  findOperand(Value value, ArrayRef<unsigned> own);

  KernelOp kernel;
  ContractionRoles roles;
  bool hasCopyEngine;
  int64_t bytes; ///< of an element of what is multiplied
  MatrixFinder finder;
};
} // namespace

std::optional<CopiedMatrix>
ProductFinder::findMatrix(const MatrixAccess &access, ArrayRef<unsigned> own,
                          bool isAcross) {
  auto matrix = isAcross ? finder.find(access, own, roles.reduced)
                         : finder.find(access, roles.reduced, own);
  if (matrix)
    matrix->isAcross = isAcross;
  return matrix;
}

/// Whether more of what `value` is computed from is contiguous along `own` than
/// along what is summed over.
bool ProductFinder::isContiguousAcross(Value value, ArrayRef<unsigned> own) {
  int64_t across = 0;
  llvm::SetVector<Operation *> ops;
  if (Operation *op = value.getDefiningOp())
    ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        ops.insert(op);
    auto read = dyn_cast<ReadOp>(ops[i]);
    if (!read)
      continue;
    MatrixAccess access{read.getSource(), read.getMap()};
    auto isContiguous = [&](ArrayRef<unsigned> dims) {
      auto stride = finder.findStride(access, dims);
      return stride && stride->isConstant(1);
    };
    across += isContiguous(own);
    across -= isContiguous(roles.reduced);
  }
  return across > 0;
}

/// Threads load no matrix of a group.
static llvm::Expected<TensorCoreProduct::Operand>
checkGroups(const TensorCoreProduct::Operand &operand, bool isGrouped) {
  if (isGrouped && !operand.isCopied())
    return noProduct("the matrices of its rows are not contiguous rows, known "
                     "multiples of 16 bytes apart");
  return operand;
}

llvm::Expected<TensorCoreProduct::Operand>
ProductFinder::findOperand(Value value, ArrayRef<unsigned> own) {
  value = getMultiplied(value);
  Type type = value.getType();
  // Threads multiply f32, without the copy engine.
  if (!type.isBF16() && !type.isF16() && !isFloat8Type(type) &&
      !type.isInteger(8) && !(type.isF32() && !hasCopyEngine))
    return noProduct(Twine("it multiplies other types than ") +
                     (hasCopyEngine ? "" : "f32, ") +
                     "bf16, f16, f8E4M3FN, f8E5M2 and i8");
  // Tensor cores take elements of 8 bits contiguous along the sum alone.
  const bool mayBeAcross = bytes > 1;
  TensorCoreProduct::Operand operand{
      value, mayBeAcross && isContiguousAcross(value, own), std::nullopt};
  auto read = value.getDefiningOp<ReadOp>();
  const bool isGrouped = roles.group && value == getMultiplied(roles.panel);
  if (!read || read.getWithin() || (!read.getIndices().empty() && !isGrouped))
    return operand;
  MatrixAccess access{read.getSource(), read.getMap()};
  operand.matrix = findMatrix(access, own, operand.isAcross);
  if (operand.matrix || !mayBeAcross)
    return checkGroups(operand, isGrouped);
  operand.matrix = findMatrix(access, own, !operand.isAcross);
  if (operand.matrix)
    operand.isAcross = !operand.isAcross;
  return checkGroups(operand, isGrouped);
}

/// The filters of a convolution, one for each of `own`, with a matrix for each
/// point of the window.
std::optional<CopiedMatrix> ProductFinder::findFilters(ReadOp read,
                                                       ArrayRef<unsigned> own) {
  ArrayRef<unsigned> window = ArrayRef(roles.reduced).drop_back(),
                     channel = ArrayRef(roles.reduced).take_back();
  if (read.getWithin() || !read.getIndices().empty())
    return std::nullopt;
  auto matrix = MatrixFinder(kernel, window)
                    .find({read.getSource(), read.getMap()}, channel, own);
  return matrix && matrix->conditions.empty() ? matrix : std::nullopt;
}

/// Has the copy engine copy the images and the filters of a convolution, where
/// it takes both. A step has the channels of one point of the window: with few,
/// threads that fill whole steps with the points of several are faster.
void ProductFinder::copyImages(TensorCoreProduct &product) {
  constexpr int64_t kLeastChannels = 32;
  if (product.secondLanes || roles.group || roles.reduced.empty() ||
      bytes == 1 ||
      kernel.getDimSize(roles.reduced.back()).getConstant().value_or(0) <
          kLeastChannels)
    return;
  auto copy = [&](TensorCoreProduct::Operand &images, ArrayRef<unsigned> places,
                  TensorCoreProduct::Operand &filters,
                  ArrayRef<unsigned> lanes) {
    auto read = images.value.getDefiningOp<ReadOp>(),
         weights = filters.value.getDefiningOp<ReadOp>();
    if (images.matrix || !read || !weights || !roles.batches.empty())
      return;
    auto found = findImages(kernel, read, places, roles.reduced);
    auto matrix = found ? findFilters(weights, lanes) : std::nullopt;
    if (!matrix)
      return;
    images.matrix = found;
    filters.matrix = matrix;
    images.isAcross = filters.isAcross = false;
    product.windowDims.assign(roles.reduced.begin(), roles.reduced.end() - 1);
    product.windowCount = finder.countPoints(product.windowDims);
    product.channelCount = kernel.getDimSize(roles.reduced.back());
  };
  copy(product.rows, roles.rows, product.lanes, roles.lanes);
  copy(product.lanes, roles.lanes, product.rows, roles.rows);
}

/// Has the copy engine copy the images of the gradient of a convolution's
/// weights where it copies what they are multiplied by: a step has 64 of their
/// places, and a box of it as many channels at one point of the window.
void ProductFinder::copyImagesOfGradient(TensorCoreProduct &product) {
  if (product.secondLanes || roles.group || !roles.batches.empty() ||
      bytes == 1)
    return;
  auto copy = [&](TensorCoreProduct::Operand &images, ArrayRef<unsigned> own,
                  const TensorCoreProduct::Operand &other) {
    auto read = images.value.getDefiningOp<ReadOp>();
    if (images.matrix || !read || !other.isCopied() || own.empty())
      return;
    auto channels = kernel.getDimSize(own.back()).getConstant();
    auto found = findImages(kernel, read, /*own=*/roles.reduced,
                            /*reduced=*/own);
    if (!found || *channels % product.getStepElements() != 0)
      return;
    found->isAcross = images.isAcross = true;
    images.matrix = found;
  };
  copy(product.rows, roles.rows, product.lanes);
  copy(product.lanes, roles.lanes, product.rows);
}

llvm::Expected<TensorCoreProduct> ProductFinder::find() {
  if (roles.rows.empty() || roles.reduced.empty())
    return noProduct("it is no product of two matrices");
  Type left = getMultiplied(roles.rowOperand).getType(),
       right = getMultiplied(roles.panel).getType(),
       sums = roles.stage.getResult().getType();
  if (!areMultipliedTogether(left, right))
    return noProduct("it multiplies two types");
  if (!(right.isInteger(8) ? sums.isInteger(32) : sums.isF32()))
    return noProduct("its sums are of another type than f32, or i32 of i8");
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
    if (write.isScatter())
      return noProduct("its results are not written to every point");
  auto rows = findOperand(roles.rowOperand, roles.rows);
  if (!rows)
    return rows.takeError();
  auto lanes = findOperand(roles.panel, roles.lanes);
  if (!lanes)
    return lanes.takeError();
  std::optional<TensorCoreProduct::Operand> secondLanes;
  if (roles.secondStage) {
    auto second = findOperand(roles.secondPanel, roles.lanes);
    if (!second)
      return second.takeError();
    if (second->value.getType() != lanes->value.getType() ||
        second->isAcross != lanes->isAcross)
      return noProduct("its two products have lanes of different types, or in "
                       "different orders of memory");
    secondLanes = *second;
  }
  SizeExpr reduced = finder.countPoints(roles.reduced);
  if (finder.rangeOf(reduced).min < 1)
    return noProduct("it may sum over nothing");
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  TensorCoreProduct product{
      roles,
      *rows,
      *lanes,
      secondLanes,
      hasPairs() && llvm::hasSingleElement(writes)
          ? MatrixFinder(kernel, roles.batches)
                .findResults(*writes.begin(), roles.lanes, roles.rows)
          : std::nullopt,
      finder.countPoints(roles.rows),
      finder.countPoints(roles.lanes),
      reduced,
      /*windowDims=*/{},
      /*windowCount=*/SizeExpr::constant(kernel.getContext(), 1),
      /*channelCount=*/reduced,
      hasPairs()};
  if (hasCopyEngine) {
    copyImages(product);
    copyImagesOfGradient(product);
  }
  return product;
}

int64_t TensorCoreProduct::getElementBytes() const {
  return tc::getElementBytes(lanes.value.getType());
}

int64_t TensorCoreProduct::getStepElements() const {
  constexpr int64_t kStepBytes = 128;
  return kStepBytes / getElementBytes();
}

bool TensorCoreProduct::needsPromotion() const {
  ContractStageOp stage = roles.stage;
  return isFloat8Type(lanes.value.getType()) && !stage.getFast();
}

int64_t TensorCoreProduct::getStageLanes(int64_t count, int64_t sharers) const {
  return lanes.isAcross
             ? int64_t(llvm::alignTo(count, getStepElements() * sharers))
             : count;
}

int64_t TensorCoreProduct::getPartOfBox(const Operand &operand,
                                        int64_t count) const {
  const bool hasBoxes =
      operand.isAcross && operand.matrix && !operand.matrix->window;
  return hasBoxes ? count % getStepElements() : 0;
}

llvm::Expected<TensorCoreProduct> TensorCoreProduct::find(KernelOp kernel,
                                                          int64_t vectorDim,
                                                          bool hasCopyEngine) {
  auto roles = ContractionRoles::find(kernel, KernelDims(kernel), vectorDim,
                                      /*forTensorCores=*/true);
  if (!roles)
    return noProduct("it is no product of two matrices");
  return ProductFinder(kernel, std::move(*roles), hasCopyEngine).find();
}

bool tc::isOperandOfOneTile(KernelOp kernel, ReadOp read,
                            const MachineModel &machine) {
  constexpr int64_t kMostRows = 64;
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  if (!machine.hasWarpProducts || !llvm::hasSingleElement(stages))
    return false;
  ContractStageOp stage = *stages.begin();
  Type element = stage.getLhs().getType();
  if (!element.isBF16() && !element.isF16())
    return false;
  KernelDims dims(kernel);
  int64_t rows = 1;
  for (unsigned dim : dims.of(stage.getResult()).set_bits())
    if (!dims.of(read.getResult()).test(dim))
      rows *= kernel.getDimSize(dim).getConstant().value_or(kMostRows + 1);
  return rows <= kMostRows;
}

bool tc::picksMatrices(KernelOp kernel, const MachineModel &machine) {
  ReadOp read = findOnlyRead(kernel);
  return read && read.getIndices().size() == 1 && machine.hasWarpProducts &&
         llvm::all_of(kernel->getUsers(), [](Operation *user) {
           auto consumer = dyn_cast<KernelOp>(user);
           return consumer && hasContraction(consumer);
         });
}
