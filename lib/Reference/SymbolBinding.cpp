//===- SymbolBinding.cpp - Symbols from the sizes of arguments ------------===//

#include "SymbolBinding.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tc::reference {

namespace {
/// An expression of one symbol that has no value yet, which it is linear in.
struct Unknown {
  std::string symbol;
  int64_t atZero, step;
};
} // namespace

static std::optional<Unknown> findUnknown(const Evaluation &evaluation,
                                          SizeExpr expression) {
  llvm::StringSet<> unbound;
  expression.walkSymbols([&](StringRef name) {
    if (!evaluation.symbols.contains(name))
      unbound.insert(name);
  });
  if (unbound.size() != 1)
    return std::nullopt;
  StringRef symbol = unbound.begin()->first();
  auto evaluateAt = [&](int64_t candidate) {
    return expression.evaluate([&](StringRef name) -> std::optional<int64_t> {
      return name == symbol ? candidate : evaluation.symbols.lookup(name);
    });
  };
  std::optional<int64_t> atZero = evaluateAt(0), atOne = evaluateAt(1);
  if (!atZero || !atOne || *atOne == *atZero)
    return std::nullopt;
  return Unknown{symbol.str(), *atZero, *atOne - *atZero};
}

/// The value of an expression, where all its symbols have one.
static std::optional<int64_t> valueOf(const Evaluation &evaluation,
                                      SizeExpr expression) {
  return expression.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto found = evaluation.symbols.find(name);
    return found == evaluation.symbols.end() ? std::nullopt
                                             : std::optional(found->second);
  });
}

/// Binds the one symbol of `expression` that has no value yet, when the
/// expression is linear in it.
static void solveForSymbol(Evaluation &evaluation, SizeExpr expression,
                           int64_t size) {
  std::optional<Unknown> unknown = findUnknown(evaluation, expression);
  if (!unknown || (size - unknown->atZero) % unknown->step != 0)
    return;
  evaluation.symbols[unknown->symbol] =
      (size - unknown->atZero) / unknown->step;
  if (valueOf(evaluation, expression) != size)
    evaluation.symbols.erase(unknown->symbol);
}

/// Binds symbols that only strides of arguments have, whose elements are given
/// without any: to the least values for which elements do not overlap.
static void bindStrides(Evaluation &evaluation, FunctionOpInterface function,
                        ArrayRef<Tensor> arguments) {
  for (auto [index, tensor] : llvm::enumerate(arguments)) {
    std::optional<Sizes> strides = getInputStrides(function, index);
    if (!strides || int64_t(strides->size()) != tensor.getRank())
      continue;
    for (SizeExpr stride : llvm::reverse(*strides)) {
      std::optional<Unknown> unknown = findUnknown(evaluation, stride);
      if (!unknown || unknown->step < 0)
        continue;
      int64_t extent = 1;
      for (auto [other, size] : llvm::zip_equal(*strides, tensor.getSizes()))
        extent =
            std::max(extent, valueOf(evaluation, other).value_or(0) * size);
      evaluation.symbols[unknown->symbol] = llvm::divideCeilSigned(
          std::max<int64_t>(extent - unknown->atZero, 0), unknown->step);
    }
  }
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
  bindStrides(evaluation, function, arguments);
  for (auto [index, tensor] : llvm::enumerate(arguments))
    if (failed(checkArgument(evaluation, function, index, tensor)))
      return failure();
  return checkSymbols(evaluation, function);
}

} // namespace tc::reference
