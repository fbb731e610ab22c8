//===- Shape.cpp - Constants, shapes and views ----------------------------===//

#include "Shape.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace tc::reference {

/// The only result's type.
static RankedTensorType getResultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// A tensor of zeros of the op's result type.
static FailureOr<Tensor> makeResult(Evaluation &evaluation, Operation *op) {
  RankedTensorType type = getResultType(op);
  if (failed(verifyElementType(op, type)))
    return failure();
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, type);
  if (failed(sizes))
    return failure();
  return Tensor(type.getElementType(), *sizes);
}

static void fill(Tensor &tensor, Word value) {
  std::fill(tensor.words(), tensor.words() + tensor.getElementCount(), value);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Word getWord(Attribute value, Type elementType) {
  if (auto floating = dyn_cast<FloatAttr>(value))
    return llvm::bit_cast<uint64_t>(floating.getValueAsDouble());
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return boolean.getValue();
  if (auto number = dyn_cast<complex::NumberAttr>(value))
    return makeComplexWord(number.getReal().bitcastToAPInt().getZExtValue(),
                           number.getImag().bitcastToAPInt().getZExtValue(),
                           cast<ComplexType>(elementType).getElementType());
  APInt integer = cast<IntegerAttr>(value).getValue();
  bool zeroExtends = getElementKind(elementType) != ElementKind::Signed;
  return zeroExtends ? integer.getZExtValue()
                     : uint64_t(integer.getSExtValue());
}

/// Elements of a dense attribute, one by one through their APFloat or APInt.
static void readElements(DenseElementsAttr value, Tensor &result) {
  Word *words = result.words();
  Type elementType = value.getElementType();
  if (result.getKind() == ElementKind::Float) {
    for (auto [i, element] : llvm::enumerate(value.getValues<APFloat>()))
      words[i] = getWord(FloatAttr::get(elementType, element), elementType);
    return;
  }
  if (result.getKind() == ElementKind::Complex) {
    Type part = cast<ComplexType>(elementType).getElementType();
    for (auto [i, element] :
         llvm::enumerate(value.getValues<std::complex<APFloat>>()))
      words[i] =
          makeComplexWord(element.real().bitcastToAPInt().getZExtValue(),
                          element.imag().bitcastToAPInt().getZExtValue(), part);
    return;
  }
  bool isSigned = result.getKind() == ElementKind::Signed;
  for (auto [i, element] : llvm::enumerate(value.getValues<APInt>()))
    words[i] =
        isSigned ? uint64_t(element.getSExtValue()) : element.getZExtValue();
}

FailureOr<Tensor> readElements(Operation *op, ElementsAttr value) {
  Tensor result(value.getElementType(),
                Sizes64(cast<ShapedType>(value.getType()).getShape()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return op->emitOpError()
             << "refers to the resource '" << resource.getRawHandle().getKey()
             << "', which has no contents";
    return Tensor::fromBytes(op->getLoc(), result.getElementType(),
                             result.getSizes(), blob->getData());
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return op->emitOpError()
           << "has a value that is neither dense nor a resource";
  readElements(dense, result);
  return result;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ConstantOp op) {
  FailureOr<Tensor> result = readElements(op, op.getValue());
  return failed(result) ? FailureOr<Tensors>(failure()) : Tensors{*result};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, FullOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  if (failed(result))
    return failure();
  fill(*result, getWord(op.getValue(), result->getElementType()));
  return Tensors{*result};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SizeValueOp op) {
  FailureOr<int64_t> value = evaluation.evaluate(op, op.getSize());
  if (failed(value))
    return failure();
  return Tensors{
      Tensor::fromIntegers(getResultType(op).getElementType(), {}, {*value})};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, IotaOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  if (failed(result))
    return failure();
  int64_t dim = op.getDim(), start = op.getStart(), step = op.getStep();
  int64_t size = result->getSizes()[dim];
  int64_t inner = countElements(result->getSizes().drop_front(dim + 1));
  for (int64_t i = 0; i < result->getElementCount(); ++i)
    result->words()[i] =
        uint64_t(start) + uint64_t(i / inner % size) * uint64_t(step);
  return Tensors{evaluation.finish(*result)};
}

/// Unspecified elements are NaN, or ones in every bit, so that a use
/// of it shows.
static void fillUnspecified(Tensor &tensor) {
  fill(tensor, tensor.getKind() == ElementKind::Bool ? 1 : ~uint64_t(0));
  wrapToType(tensor.words(), tensor.getElementCount(), tensor.getElementType());
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, EmptyOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  if (failed(result))
    return failure();
  fillUnspecified(*result);
  return Tensors{*result};
}

//===----------------------------------------------------------------------===//
// Strided inputs
//===----------------------------------------------------------------------===//

FailureOr<Tensor> layOutInput(Evaluation &evaluation, InputStorageOp op,
                              const Tensor &input) {
  auto type = cast<ShapedType>(op.getType());
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, type);
  FailureOr<Sizes64> strides =
      evaluation.evaluateSizes(op, op.getInputStrides());
  if (failed(verifyElementType(op, type)) || failed(sizes) || failed(strides) ||
      failed(verifyMemory(op, *sizes)))
    return failure();
  Tensor result(type.getElementType(), *sizes);
  fillUnspecified(result);
  if (input.getElementCount() == 0)
    return result;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(input.getSizes(), *strides))
    last += (size - 1) * stride;
  if (last >= result.getElementCount())
    return op.emitOpError()
           << "has an input whose last element is at " << last
           << " and a result of " << result.getElementCount() << " elements";
  writeStrided(input.words(), input.getSizes(), *strides, result.words());
  return result;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, InputStorageOp op) {
  FailureOr<Tensor> result =
      layOutInput(evaluation, op, evaluation.get(op.getX()));
  return failed(result) ? FailureOr<Tensors>(failure()) : Tensors{*result};
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

FailureOr<Tensors> evaluate(Evaluation &evaluation, BroadcastOp op) {
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, getResultType(op));
  if (failed(sizes))
    return failure();
  const Tensor &x = evaluation.get(op.getX());
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (x.getSizes()[i] != 1 && x.getSizes()[i] != (*sizes)[dim])
      return op.emitOpError()
             << "repeats dimension " << i << " of size " << x.getSizes()[i]
             << " along dimension " << dim << " of size " << (*sizes)[dim]
             << "; expected equal sizes or 1";
  return Tensors{broadcast(x, op.getDims(), *sizes)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, TransposeOp op) {
  return Tensors{permute(evaluation.get(op.getX()), op.getPermutation())};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ReshapeOp op) {
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, getResultType(op));
  if (failed(sizes))
    return failure();
  const Tensor &x = evaluation.get(op.getX());
  if (x.getElementCount() != countElements(*sizes))
    return op.emitOpError()
           << "has an operand of " << x.getElementCount()
           << " elements and a result of " << countElements(*sizes);
  return Tensors{x.reshaped(*sizes)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SliceOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  FailureOr<Sizes64> offsets =
      evaluation.evaluateSizes(op, op.getOffsets().getSizes());
  if (failed(result) || failed(offsets))
    return failure();
  const Tensor &x = evaluation.get(op.getX());
  Sizes64 strides = getRowMajorStrides(x.getSizes());
  int64_t start = 0;
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    start += (*offsets)[dim] * strides[dim];
    strides[dim] *= op.getStrides()[dim];
  }
  if (result->getElementCount() != 0)
    readStrided(x.words() + start, result->getSizes(), strides,
                result->words());
  return Tensors{*result};
}

/// Where position `i` of a padded dimension comes from; nothing for a
/// constant.
static std::optional<int64_t> getPadSource(PadMode mode, int64_t i,
                                           int64_t size) {
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case PadMode::Constant:
    return std::nullopt;
  case PadMode::Reflect:
    return i < 0 ? -i : 2 * (size - 1) - i;
  case PadMode::Replicate:
    return i < 0 ? 0 : size - 1;
  case PadMode::Circular:
    return i < 0 ? i + size : i - size;
  }
  llvm_unreachable("all modes handled");
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, PadOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  if (failed(result))
    return failure();
  const Tensor &x = evaluation.get(op.getX());
  Word value = op.getValue() ? getWord(*op.getValue(), x.getElementType()) : 0;
  // For each dimension and result position, the position in x, or -1.
  SmallVector<std::vector<int64_t>> sources(x.getRank());
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    int64_t size = x.getSizes()[dim];
    for (int64_t i = 0; i < result->getSizes()[dim]; ++i) {
      std::optional<int64_t> source =
          getPadSource(op.getMode(), i - op.getLow()[dim], size);
      if (source && (*source < 0 || *source >= size))
        return op.emitOpError()
               << "pads dimension " << dim << " of size " << size << " by "
               << std::max(op.getLow()[dim], op.getHigh()[dim])
               << ", more than mode " << stringifyPadMode(op.getMode())
               << " can fill";
      sources[dim].push_back(source.value_or(-1));
    }
  }
  Sizes64 strides = getRowMajorStrides(x.getSizes());
  Sizes64 index(x.getRank(), 0);
  for (int64_t i = 0; i < result->getElementCount();
       ++i, advanceIndex(index, result->getSizes())) {
    int64_t offset = 0;
    bool inside = true;
    for (int64_t dim = 0; dim < x.getRank(); ++dim) {
      int64_t source = sources[dim][index[dim]];
      inside &= source >= 0;
      offset += source * strides[dim];
    }
    result->words()[i] = inside ? x.words()[offset] : value;
  }
  return Tensors{*result};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ConcatOp op) {
  FailureOr<Tensor> result = makeResult(evaluation, op);
  if (failed(result))
    return failure();
  int64_t dim = op.getDim(), position = 0;
  Sizes64 strides = getRowMajorStrides(result->getSizes());
  for (Value input : op.getInputs()) {
    const Tensor &x = evaluation.get(input);
    Sizes64 expected(result->getSizes());
    expected[dim] = x.getSizes()[dim];
    if (x.getSizes() != ArrayRef<int64_t>(expected) ||
        position + x.getSizes()[dim] > result->getSizes()[dim])
      return op.emitOpError()
             << "has inputs whose sizes do not fit the result's";
    writeStrided(x.words(), x.getSizes(), strides,
                 result->words() + position * strides[dim]);
    position += x.getSizes()[dim];
  }
  return Tensors{*result};
}

} // namespace tc::reference
