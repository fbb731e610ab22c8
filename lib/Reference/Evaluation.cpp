//===- Evaluation.cpp - The state of a call that is interpreted -----------===//

#include "Evaluation.h"
#include "TC/Runtime/CPULimit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tc::reference {

FailureOr<int64_t> Evaluation::evaluate(Operation *op,
                                        SizeExpr expression) const {
  std::optional<int64_t> value =
      expression.evaluate([&](StringRef name) -> std::optional<int64_t> {
        auto symbol = symbols.find(name);
        if (symbol == symbols.end())
          return std::nullopt;
        return symbol->second;
      });
  bool isBound = true;
  expression.walkSymbols(
      [&](StringRef name) { isBound &= symbols.contains(name); });
  if (!value && isBound) {
    InFlightDiagnostic error =
        op->emitOpError() << "uses the size expression '" << expression.str()
                          << "', which divides by zero or is beyond 64 "
                             "bits where ";
    llvm::StringSet<> named;
    expression.walkSymbols([&](StringRef name) {
      if (named.insert(name).second)
        error << (named.size() > 1 ? " and " : "") << name << " is "
              << symbols.lookup(name);
    });
    return error;
  }
  if (!value)
    return op->emitOpError() << "uses the size expression '" << expression.str()
                             << "', which has no value: a symbol of it is not "
                                "bound by the arguments";
  return *value;
}

LogicalResult verifyElementType(Operation *op, ShapedType type) {
  if (getElementKind(type.getElementType()))
    return success();
  return op->emitOpError() << "has elements of type " << type.getElementType()
                           << ", which the reference interpreter does not hold";
}

LogicalResult verifyMemory(Operation *op, ArrayRef<int64_t> sizes,
                           int64_t bytesPerElement) {
  static const uint64_t available = runtime::availableMemoryBytes();
  uint64_t bytes = llvm::is_contained(sizes, 0) ? 0 : bytesPerElement;
  for (int64_t size : sizes)
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(size));
  if (bytes <= available)
    return success();
  InFlightDiagnostic error = op->emitOpError() << "has a value of sizes [";
  llvm::interleaveComma(sizes, error);
  error << "], which takes ";
  if (bytes == UINT64_MAX)
    error << "more than ";
  return error << bytes << " bytes in the reference interpreter, "
               << bytesPerElement << " an element, but this machine has "
               << available << "; run it with smaller sizes";
}

FailureOr<Sizes64> Evaluation::evaluateSizes(Operation *op,
                                             ArrayRef<SizeExpr> sizes) const {
  Sizes64 values;
  for (SizeExpr size : sizes) {
    FailureOr<int64_t> value = evaluate(op, size);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

/// Sizes of a type; a negative one is an error.
FailureOr<Sizes64> Evaluation::evaluateSizes(Operation *op,
                                             ShapedType type) const {
  Sizes sizes = tc::getSizes(type);
  FailureOr<Sizes64> values = evaluateSizes(op, sizes);
  if (failed(values))
    return failure();
  for (auto [value, size] : llvm::zip_equal(*values, sizes))
    if (value < 0)
      return op->emitOpError() << "has a size '" << size.str() << "' of "
                               << value << "; expected at least 0";
  return values;
}

Tensor Evaluation::finish(Tensor result) const {
  if (options.precision != Precision::Double ||
      result.getKind() != ElementKind::Float)
    wrapToType(result.words(), result.getElementCount(),
               result.getElementType());
  return result;
}

} // namespace tc::reference
