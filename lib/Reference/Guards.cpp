//===- Guards.cpp - Binding of symbols and checks of guards ---------------===//

#include "SymbolBinding.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Binds the one symbol of `expression` that has no value yet, when the
/// expression is linear in it.
static void solveForSymbol(Evaluation &evaluation, SizeExpr expression,
                           int64_t size) {
  llvm::StringSet<> unbound;
  expression.walkSymbols([&](StringRef name) {
    if (!evaluation.symbols.contains(name))
      unbound.insert(name);
  });
  if (unbound.size() != 1)
    return;
  StringRef symbol = unbound.begin()->first();
  auto evaluateAt = [&](int64_t candidate) {
    return expression.evaluate([&](StringRef name) -> std::optional<int64_t> {
      return name == symbol ? candidate : evaluation.symbols.lookup(name);
    });
  };
  std::optional<int64_t> atZero = evaluateAt(0), atOne = evaluateAt(1);
  if (!atZero || !atOne || *atOne == *atZero ||
      (size - *atZero) % (*atOne - *atZero) != 0)
    return;
  int64_t solution = (size - *atZero) / (*atOne - *atZero);
  if (evaluateAt(solution) == size)
    evaluation.symbols[symbol] = solution;
}

static LogicalResult checkSymbols(Evaluation &evaluation,
                                  FunctionOpInterface function) {
  auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!declared)
    return success();
  for (auto symbol : declared.getAsRange<SymbolAttr>()) {
    auto bound = evaluation.symbols.find(symbol.getName());
    if (bound == evaluation.symbols.end())
      continue;
    int64_t value = bound->second;
    if (value < symbol.getMin() || value > symbol.getMax())
      return function->emitError()
             << "symbol " << symbol.getName() << " is " << value
             << " by the sizes of the arguments; expected a value in ["
             << symbol.getMin() << ", " << symbol.getMax() << "]";
    if (symbol.getDivisor() > 1 && value % symbol.getDivisor() != 0)
      return function->emitError()
             << "symbol " << symbol.getName() << " is " << value
             << " by the sizes of the arguments; expected a multiple of "
             << symbol.getDivisor();
  }
  return success();
}

static LogicalResult checkArgument(Evaluation &evaluation,
                                   FunctionOpInterface function, unsigned index,
                                   const Tensor &tensor) {
  auto type = cast<ShapedType>(function.getArgument(index).getType());
  if (!tensor || tensor.getElementType() != type.getElementType() ||
      tensor.getRank() != type.getRank())
    return function->emitError()
           << "argument " << index << " of @" << function.getName() << " is "
           << (tensor ? tensor.str(0) : "missing") << "; expected " << type;
  for (auto [dim, size] : llvm::enumerate(tc::getSizes(type))) {
    FailureOr<int64_t> expected = evaluation.evaluate(function, size);
    if (failed(expected))
      return failure();
    if (tensor.getSizes()[dim] != *expected)
      return function->emitError()
             << "dimension " << dim << " of argument " << index << " of @"
             << function.getName() << " has size " << tensor.getSizes()[dim]
             << "; expected " << size.str()
             << (size.isConstant() ? "" : " = " + std::to_string(*expected));
  }
  return success();
}

LogicalResult bindSymbols(Evaluation &evaluation, func::FuncOp function,
                          ArrayRef<Tensor> arguments) {
  return bindSymbolsOf(function, evaluation, arguments);
}

LogicalResult bindSymbolsOf(FunctionOpInterface function,
                            Evaluation &evaluation,
                            ArrayRef<Tensor> arguments) {
  SmallVector<std::pair<SizeExpr, int64_t>> sizes;
  for (auto [value, tensor] :
       llvm::zip_equal(function.getArguments(), arguments)) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (!type || !type.hasRank())
      return function->emitError()
             << "argument " << value.getArgNumber() << " of @"
             << function.getName() << " has type " << value.getType()
             << "; expected a ranked tensor or memref";
    for (auto [expression, size] :
         llvm::zip(tc::getSizes(type), tensor.getSizes()))
      sizes.push_back({expression, size});
  }
  for (auto [expression, size] : sizes)
    if (expression.getKind() == SizeExprKind::Symbol)
      evaluation.symbols.try_emplace(expression.getSymbol(), size);
  for (auto [expression, size] : sizes)
    solveForSymbol(evaluation, expression, size);
  for (auto [index, tensor] : llvm::enumerate(arguments))
    if (failed(checkArgument(evaluation, function, index, tensor)))
      return failure();
  return checkSymbols(evaluation, function);
}

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
