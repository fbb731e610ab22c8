//===- InputStrides.cpp - the strides of a program's inputs ---------------===//

#include "InputStrides.h"

#include "ImportTypes.h"
#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc::pt2 {

/// The `tc.strides` of an input of `type`; null for a row-major one and for
/// strides that are no expressions of symbols.
static ArrayAttr convertStrides(const TensorMeta &meta, RankedTensorType type) {
  MLIRContext *context = type.getContext();
  Sizes sizes = getSizes(type);
  if (meta.strides.size() != sizes.size())
    return ArrayAttr();
  SizeExpr rowMajor = SizeExpr::constant(context, 1);
  SmallVector<Attribute> strides(sizes.size());
  bool isRowMajor = true;
  for (int64_t dim = sizes.size(); dim-- > 0;) {
    SizeExpr stride = convertSize(meta.strides[dim], context);
    if (!stride || stride.getConstant().value_or(0) < 0)
      return ArrayAttr();
    isRowMajor &= sizes[dim].isConstant(1) || stride == rowMajor;
    rowMajor = rowMajor.mul(sizes[dim]);
    strides[dim] = stride;
  }
  return isRowMajor ? ArrayAttr() : ArrayAttr::get(context, strides);
}

//===----------------------------------------------------------------------===//
// Symbols that are steps between elements
//===----------------------------------------------------------------------===//

static void addSymbols(const Expression &expression, llvm::StringSet<> &names) {
  if (expression.kind == ExpressionKind::Symbol)
    names.insert(expression.name);
  for (const Expression &operand : expression.operands)
    addSymbols(operand, names);
}

static void addComputedSymbols(const Graph &graph, llvm::StringSet<> &names);

static void addComputedSymbols(const Argument &argument,
                               llvm::StringSet<> &names) {
  if (argument.graph)
    addComputedSymbols(*argument.graph, names);
  for (const Argument &element : argument.elements)
    addComputedSymbols(element, names);
}

/// Adds the symbols of which the sizes of tensors and other numbers are made,
/// in the graph and in those within its calls.
static void addComputedSymbols(const Graph &graph, llvm::StringSet<> &names) {
  for (const auto &tensor : graph.tensorValues)
    for (const Expression &size : tensor.second.sizes)
      addSymbols(size, names);
  for (const auto &value : graph.symbolicValues)
    addSymbols(value.second, names);
  for (const Node &node : graph.nodes)
    for (const NamedArgument &argument : node.inputs)
      addComputedSymbols(argument.value, names);
}

static std::optional<int64_t> getExampleValue(const Expression &expression) {
  return expression.kind == ExpressionKind::Integer ? expression.integer
                                                    : expression.hint;
}

/// The stride that is the smallest in the example, of the dimensions that may
/// have several elements; null where strides are not known.
static const Expression *findSmallestStride(const TensorMeta &meta) {
  const Expression *smallest = nullptr;
  for (auto [size, stride] : llvm::zip(meta.sizes, meta.strides)) {
    if (size == Expression::makeInteger(1))
      continue;
    std::optional<int64_t> value = getExampleValue(stride);
    if (!value)
      return nullptr;
    if (!smallest || *value < *getExampleValue(*smallest))
      smallest = &stride;
  }
  return smallest;
}

/// The step between neighbouring elements of an input when it is a symbol of
/// such a value that a device reads several elements at once; else null. The
/// value of a longer step helps no kernel, and a column of a matrix would lose
/// its symbol for the matrix's width.
static const Expression *findStep(const TensorMeta &meta) {
  constexpr int64_t bytesReadAtOnce = 32;
  const Expression *step = findSmallestStride(meta);
  if (!step || step->kind != ExpressionKind::Symbol)
    return nullptr;
  int64_t value = *getExampleValue(*step);
  int64_t elements = bytesReadAtOnce / getScalarTypeSize(meta.dtype);
  return value >= 1 && value < elements ? step : nullptr;
}

/// The values of the symbols that are steps between neighbouring elements of
/// inputs and nothing else. An input that the call writes keeps its symbols: a
/// copy would not be what the caller has.
static llvm::StringMap<int64_t> getSteps(func::FuncOp function,
                                         const Graph &graph,
                                         ArrayRef<const TensorMeta *> inputs) {
  llvm::StringSet<> others;
  addComputedSymbols(graph, others);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto target = dyn_cast_or_null<IntegerAttr>(
            function.getResultAttr(i, kMutatesAttr)))
      for (const Expression &stride : inputs[target.getInt()]->strides)
        addSymbols(stride, others);
  llvm::StringMap<int64_t> steps;
  for (const TensorMeta *meta : inputs)
    if (const Expression *step = findStep(*meta);
        step && !others.contains(step->name))
      steps[step->name] = *getExampleValue(*step);
  return steps;
}

void setInputStrides(func::FuncOp function, const Graph &graph,
                     ArrayRef<const TensorMeta *> inputs) {
  for (auto [index, meta] : llvm::enumerate(inputs))
    if (ArrayAttr strides = convertStrides(
            *meta, cast<RankedTensorType>(function.getArgumentTypes()[index])))
      function.setArgAttr(index, kStridesAttr, strides);
  llvm::StringMap<int64_t> steps = getSteps(function, graph, inputs);
  if (!steps.empty())
    substituteSymbols(function, [&](StringRef name) {
      auto step = steps.find(name);
      return step == steps.end()
                 ? SizeExpr()
                 : SizeExpr::constant(function.getContext(), step->second);
    });
}

llvm::StringMap<int64_t> getLeastStrides(func::FuncOp function,
                                         ArrayRef<const TensorMeta *> inputs) {
  llvm::StringMap<int64_t> least;
  for (auto [index, meta] : llvm::enumerate(inputs)) {
    std::optional<Sizes> strides = getInputStrides(function, index);
    const Expression *smallest = strides ? findSmallestStride(*meta) : nullptr;
    if (!smallest)
      continue;
    SizeExpr step = (*strides)[smallest - meta->strides.data()];
    for (SizeExpr stride : *strides)
      if (step.isConstant() && stride.getKind() == SizeExprKind::Symbol) {
        int64_t &value = least[stride.getSymbol()];
        value = std::max(value, step.getValue());
      }
  }
  return least;
}

} // namespace tc::pt2
