//===- Elementwise.cpp - Ops of the elementwise table ---------------------===//

#include "Elementwise.h"
#include "TC/Reference/ScalarFunctions.h"
#include <cmath>

using namespace mlir;

/// Elements below which a loop is not worth a second thread.
static constexpr int64_t kGrain = 1 << 13;

namespace tc {

using reference::Word;

/// Evaluates elements [begin, end) of an op.
using ReferenceFunction = void(ArrayRef<const Word *> operands, Word *result,
                               int64_t begin, int64_t end);

template <typename T> static T loadElement(const Word *words, int64_t index) {
  if constexpr (std::is_floating_point_v<T>)
    return T(reinterpret_cast<const double *>(words)[index]);
  else
    return T(words[index]);
}

template <typename T>
static void storeElement(Word *words, int64_t index, T value) {
  if constexpr (std::is_floating_point_v<T>)
    reinterpret_cast<double *>(words)[index] = value;
  else
    words[index] = Word(value);
}

template <typename Function, typename T>
static void evaluateLoop(ArrayRef<const Word *> operands, Word *result,
                         int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    T x = loadElement<T>(operands[0], i);
    if constexpr (Function::operandCount == 1)
      storeElement(result, i, Function::template evaluate<T>(x));
    else if constexpr (Function::operandCount == 2)
      storeElement(
          result, i,
          Function::template evaluate<T>(x, loadElement<T>(operands[1], i)));
    else
      storeElement(
          result, i,
          Function::template evaluate<T>(x, loadElement<T>(operands[1], i),
                                         loadElement<T>(operands[2], i)));
  }
}

#include "TC/Dialect/TC/IR/ElementwiseReference.inc"

static const ReferenceRow *findRow(StringRef name) {
  const ReferenceRow *row = llvm::lower_bound(
      referenceRows, name,
      [](const ReferenceRow &row, StringRef name) { return row.name < name; });
  return row != std::end(referenceRows) && row->name == name ? row : nullptr;
}

namespace reference {

static ReferenceFunction *chooseFunction(const ReferenceRow &row,
                                         ElementKind kind, bool inDouble) {
  switch (kind) {
  case ElementKind::Float:
    return inDouble ? row.onDouble : row.onFloat;
  case ElementKind::Signed:
    return row.onSigned;
  case ElementKind::Unsigned:
    return row.onUnsigned;
  case ElementKind::Complex:
    return nullptr;
  case ElementKind::Bool:
    return row.onBool;
  }
  llvm_unreachable("all kinds handled");
}

static Tensor evaluateSelect(ArrayRef<Tensor> operands) {
  const Tensor &condition = operands[0], &x = operands[1], &y = operands[2];
  Tensor result(x.getElementType(), x.getSizes());
  for (int64_t i = 0; i < result.getElementCount(); ++i)
    result.words()[i] = condition.words()[i] ? x.words()[i] : y.words()[i];
  return result;
}

/// Truncates; numbers out of range become the nearest bound and NaN 0.
template <typename T> static T truncateToInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  // double(max) rounds up to 2^63 or 2^64, the first value out of range.
  if (value >= double(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return T(value);
}

static Word castWord(const Tensor &x, int64_t i, ElementKind to,
                     bool inDouble) {
  ElementKind from = x.getKind();
  if (to == ElementKind::Bool)
    return from == ElementKind::Float ? x.data<double>()[i] != 0
                                      : x.words()[i] != 0;
  if (to != ElementKind::Float) {
    if (from != ElementKind::Float)
      return x.words()[i];
    double value = x.data<double>()[i];
    // Negative numbers to unsigned wrap, as through a signed integer.
    if (to == ElementKind::Unsigned && value > 0)
      return truncateToInteger<uint64_t>(value);
    return Word(truncateToInteger<int64_t>(value));
  }
  double value;
  if (from == ElementKind::Float)
    value = x.data<double>()[i];
  else if (from == ElementKind::Signed)
    value = inDouble ? double(x.data<int64_t>()[i])
                     : double(float(x.data<int64_t>()[i]));
  else
    value = inDouble ? double(x.words()[i]) : double(float(x.words()[i]));
  return llvm::bit_cast<uint64_t>(value);
}

static Tensor evaluateCast(const Tensor &x, Type elementType, bool inDouble) {
  Tensor result(elementType, x.getSizes());
  parallelRanges(
      result.getElementCount(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          result.words()[i] = castWord(x, i, result.getKind(), inDouble);
      });
  return result;
}

/// The bits of a part of a complex number, from a double and back.
static uint64_t toBits(double value, Type part) {
  return part.isF32() ? llvm::bit_cast<uint32_t>(float(value))
                      : llvm::bit_cast<uint64_t>(value);
}
static double fromBits(uint64_t bits, Type part) {
  return part.isF32() ? double(llvm::bit_cast<float>(uint32_t(bits)))
                      : llvm::bit_cast<double>(bits);
}

static Tensor evaluatePart(const Tensor &x, Type elementType, bool isReal) {
  Tensor result(elementType, x.getSizes());
  for (int64_t i = 0; i < result.getElementCount(); ++i) {
    auto [real, imaginary] = getComplexParts(x.words()[i], elementType);
    result.data<double>()[i] = fromBits(isReal ? real : imaginary, elementType);
  }
  return result;
}

static Tensor evaluateComplex(const Tensor &real, const Tensor &imaginary,
                              Type elementType) {
  Tensor result(elementType, real.getSizes());
  Type part = real.getElementType();
  for (int64_t i = 0; i < result.getElementCount(); ++i)
    result.words()[i] =
        makeComplexWord(toBits(real.data<double>()[i], part),
                        toBits(imaginary.data<double>()[i], part), part);
  return result;
}

FailureOr<Tensor> evaluateElementwise(const Evaluation &evaluation,
                                      Operation *op,
                                      ArrayRef<Tensor> operands) {
  Type elementType = getElementTypeOrSelf(op->getResult(0).getType());
  if (!getElementKind(elementType))
    return op->emitOpError()
           << "has elements of type " << elementType
           << ", which the reference interpreter does not compute with";
  if (isa<SelectOp>(op))
    return evaluateSelect(operands);
  if (isa<CastOp>(op))
    return evaluation.finish(evaluateCast(
        operands[0], elementType, evaluation.computesInDouble(elementType)));

  if (isa<RealOp, ImagOp>(op))
    return evaluatePart(operands[0], elementType, isa<RealOp>(op));
  if (isa<ComplexOp>(op))
    return evaluateComplex(operands[0], operands[1], elementType);

  const ReferenceRow *row = findRow(op->getName().getStringRef());
  bool inDouble = evaluation.computesInDouble(operands[0].getElementType());
  ReferenceFunction *function =
      row ? chooseFunction(*row, operands[0].getKind(), inDouble) : nullptr;
  if (!function)
    return op->emitOpError() << "has no reference function on elements of type "
                             << operands[0].getElementType();
  Tensor result(elementType, operands[0].getSizes());
  SmallVector<const Word *, 3> words;
  for (const Tensor &operand : operands)
    words.push_back(operand.words());
  parallelRanges(result.getElementCount(), kGrain,
                 [&](int64_t begin, int64_t end) {
                   function(words, result.words(), begin, end);
                 });
  return evaluation.finish(result);
}

} // namespace reference
} // namespace tc
