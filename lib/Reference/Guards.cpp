//===- Guards.cpp - Numbers of tensors, guards and preconditions ----------===//

#include "Guards.h"
#include "Buffers.h"

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The declaration of a symbol in the function around `op`.
static SymbolAttr findDeclaration(Operation *op, StringRef name) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto declared =
      function ? function->getAttrOfType<ArrayAttr>(kSymbolsAttr) : ArrayAttr();
  if (declared)
    for (auto symbol : declared.getAsRange<SymbolAttr>())
      if (symbol.getName() == name)
        return symbol;
  return SymbolAttr();
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SizeFromOp op) {
  bool isBuffer = isa<MemRefType>(op.getValue().getType());
  Tensor tensor = isBuffer ? readBuffer(evaluation.getBuffer(op.getValue()))
                           : evaluation.get(op.getValue());
  int64_t value = tensor.getInteger(0);
  auto miss = [&](const Twine &expected) {
    return op.emitOpError("has ")
           << op.getSymbol() << ", which depends on data, equal to " << value
           << ", expected " << expected;
  };
  if (SymbolAttr symbol = findDeclaration(op, op.getSymbol())) {
    if (value < symbol.getMin())
      return miss("at least " + Twine(symbol.getMin()));
    if (value > symbol.getMax())
      return miss("at most " + Twine(symbol.getMax()));
    if (symbol.getDivisor() > 1 && value % symbol.getDivisor() != 0)
      return miss("a multiple of " + Twine(symbol.getDivisor()));
  }
  evaluation.symbols[op.getSymbol()] = value;
  return Tensors{};
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// The number that a guard looks at, if it is one.
static std::optional<int64_t> getNumber(GuardOp op, const Tensor *x) {
  switch (op.getKind()) {
  case GuardKind::Rank:
    return x->getRank();
  case GuardKind::SizeEqual:
  case GuardKind::SizeRange:
  case GuardKind::SizeMultiple:
    return x->getSizes()[*op.getDim()];
  case GuardKind::Stride:
    return getRowMajorStrides(x->getSizes())[*op.getDim()];
  case GuardKind::Scalar:
    if (x && x->getElementCount() == 1 && x->getKind() != ElementKind::Float)
      return x->getInteger(0);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

static LogicalResult miss(GuardOp op, const Twine &expected,
                          const Twine &actual) {
  InFlightDiagnostic error = op.emitOpError()
                             << stringifyGuardKind(op.getKind());
  if (op.getDim())
    error << " of dimension " << *op.getDim();
  error << " missed: expected " << expected << ", but it is " << actual;
  if (op.getOrigin())
    error << " (from " << *op.getOrigin() << ")";
  return error;
}

static LogicalResult checkNumber(Evaluation &evaluation, GuardOp op,
                                 int64_t actual) {
  if (op.getExpr()) {
    FailureOr<int64_t> expected = evaluation.evaluate(op, *op.getExpr());
    if (failed(expected))
      return failure();
    if (actual != *expected)
      return miss(op, op.getExpr()->str() + " = " + Twine(*expected),
                  Twine(actual));
  }
  if (auto value = dyn_cast_or_null<IntegerAttr>(op.getValueAttr()))
    if (actual != value.getInt())
      return miss(op, Twine(value.getInt()), Twine(actual));
  if (op.getMin() && actual < int64_t(*op.getMin()))
    return miss(op, "at least " + Twine(int64_t(*op.getMin())), Twine(actual));
  if (op.getMax() && actual > int64_t(*op.getMax()))
    return miss(op, "at most " + Twine(int64_t(*op.getMax())), Twine(actual));
  if (op.getDivisor() && actual % int64_t(*op.getDivisor()) != 0)
    return miss(op, "a multiple of " + Twine(int64_t(*op.getDivisor())),
                Twine(actual));
  return success();
}

/// The interpreter's tensors are contiguous, aligned, do not overlap and are
/// on no device, so that guards of those always hold.
FailureOr<Tensors> evaluate(Evaluation &evaluation, GuardOp op) {
  Tensor contents;
  const Tensor *x = nullptr;
  if (!op.getInputs().empty()) {
    Value input = op.getInputs()[0];
    if (isa<MemRefType>(input.getType()))
      contents = readBuffer(evaluation.getBuffer(input));
    x = isa<MemRefType>(input.getType()) ? &contents : &evaluation.get(input);
  }
  if (op.getKind() == GuardKind::DType) {
    Type expected = cast<TypeAttr>(op.getValueAttr()).getValue();
    if (x->getElementType() == expected)
      return Tensors{};
    std::string expectedText, actualText;
    llvm::raw_string_ostream(expectedText) << expected;
    llvm::raw_string_ostream(actualText) << x->getElementType();
    return miss(op, expectedText, actualText);
  }
  if (op.getKind() == GuardKind::Scalar && x &&
      x->getKind() == ElementKind::Float) {
    auto expected = dyn_cast_or_null<FloatAttr>(op.getValueAttr());
    if (expected && x->getDouble(0) != expected.getValueAsDouble())
      return miss(op, std::to_string(expected.getValueAsDouble()),
                  std::to_string(x->getDouble(0)));
    return Tensors{};
  }
  if (op.getKind() == GuardKind::Scalar && !x && op.getExpr()) {
    FailureOr<int64_t> number = evaluation.evaluate(op, *op.getExpr());
    if (failed(number) || failed(checkNumber(evaluation, op, *number)))
      return failure();
    return Tensors{};
  }
  if (std::optional<int64_t> number = getNumber(op, x);
      number && failed(checkNumber(evaluation, op, *number)))
    return failure();
  return Tensors{};
}

//===----------------------------------------------------------------------===//
// Preconditions
//===----------------------------------------------------------------------===//

LogicalResult checkPrecondition(Evaluation &evaluation, Operation *op,
                                StringRef user,
                                const SizePrecondition &condition) {
  FailureOr<int64_t> value = evaluation.evaluate(op, condition.value),
                     bound = evaluation.evaluate(op, condition.bound);
  FailureOr<int64_t> where = 1;
  if (condition.where)
    where = evaluation.evaluate(op, condition.where);
  if (failed(value) || failed(bound) || failed(where))
    return failure();
  if (condition.holds(*value, *bound, *where))
    return success();
  return emitError(op->getLoc())
         << "'" << user << "' op " << condition.describe([&](SizeExpr expr) {
              return std::to_string(expr == condition.value ? *value : *bound);
            });
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SizeGuardOp op) {
  if (failed(checkPrecondition(evaluation, op, op.getUser(),
                               op.getPrecondition())))
    return failure();
  return Tensors{};
}

} // namespace tc::reference
