//===- WhileImporter.cpp - torch.while_loop as tc.while -------------------===//

#include "WhileImporter.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

namespace {
/// The arguments of torch.while_loop, and its initial carried values.
struct WhileCall {
  const Graph *condition = nullptr, *body = nullptr;
  ArrayRef<Argument> carried, further;
  SmallVector<Value> initial;
};
} // namespace

/// Reads the parts of a call; nothing where it is damaged.
static std::optional<WhileCall> readCall(const Node &node) {
  if (node.inputs.size() != 4)
    return std::nullopt;
  ArrayRef<NamedArgument> inputs = node.inputs;
  WhileCall call;
  call.condition = inputs[0].value.graph.get();
  call.body = inputs[1].value.graph.get();
  call.carried = inputs[2].value.elements;
  call.further = inputs[3].value.elements;
  size_t given = call.carried.size() + call.further.size();
  bool isWhole = call.condition && call.body &&
                 call.condition->inputs.size() == given &&
                 call.body->inputs.size() == given &&
                 call.condition->outputs.size() == 1 &&
                 call.body->outputs.size() == call.carried.size() &&
                 node.outputs.size() == call.carried.size();
  return isWhole ? std::optional(call) : std::nullopt;
}

/// The elements of a list; the archive calls an integer among tensors a tensor.
static Argument readElement(const Graph &graph, Argument element) {
  if (element.kind == ArgumentKind::Tensor &&
      !graph.tensorValues.contains(element.text) &&
      graph.symbolicValues.contains(element.text))
    element.kind = ArgumentKind::SymInt;
  return element;
}

LogicalResult WhileImporter::bindInput(Scope &scope, const Argument &input,
                                       Value value, Location location) {
  bool isInteger = value && value.getType() ==
                                RankedTensorType::get({}, builder.getI64Type());
  const Expression *expression = findExpression(scope, input);
  bool isSymbol = expression && expression->kind == ExpressionKind::Symbol;
  if (input.kind == ArgumentKind::Tensor && value) {
    scope.tensors[input.text] = tensors.add(value);
    return success();
  }
  if (input.kind != ArgumentKind::SymInt || !isInteger || !isSymbol)
    return emitError(location)
           << "input '" << input.text
           << "' of a nested graph is no tensor or integer of the outer one; "
              "the archive is damaged, export it again";
  // Sizes have their names in all graphs.
  calls.getNumbers().bindInteger(expression->name, value);
  return success();
}

LogicalResult WhileImporter::importLoopRegion(const Graph &graph,
                                              ArrayRef<Value> inputs,
                                              StringRef what,
                                              Location location) {
  auto outerNumbers = calls.getNumbers().enterRegion();
  Scope &inner = tensors.addScope(graph);
  for (auto [input, value] : llvm::zip_equal(graph.inputs, inputs))
    if (failed(bindInput(inner, input, value, location)))
      return failure();
  return regions.importRegion(inner, what, location);
}

LogicalResult WhileImporter::import(Scope &scope, const Node &node,
                                    Location location) {
  std::optional<WhileCall> call = readCall(node);
  if (!call)
    return emitError(location)
           << "torch.while_loop has other arguments than two graphs, which "
              "take what it carries and what it reads, and two lists of these; "
              "the archive is damaged, export it again";
  SmallVector<Value> given;
  for (const Argument &argument :
       llvm::concat<const Argument>(call->carried, call->further)) {
    FailureOr<Value> value = calls.getNumberOrTensor(
        scope, readElement(*scope.graph, argument), location);
    if (failed(value))
      return failure();
    given.push_back(*value);
  }
  size_t count = call->carried.size();
  auto loop =
      WhileOp::create(builder, location, ArrayRef(given).take_front(count));
  std::tuple<Block *, const Graph *, StringRef> parts[] = {
      {&loop.getConditionBlock(), call->condition,
       "the condition of torch.while_loop"},
      {&loop.getBodyBlock(), call->body, "the body of torch.while_loop"}};
  for (auto [block, graph, what] : parts) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    llvm::copy(block->getArguments(), given.begin());
    if (failed(importLoopRegion(*graph, given, what, location)))
      return failure();
  }
  for (auto [index, before, after] : llvm::enumerate(
           loop.getResultTypes(), loop.getBodyYield().getOperandTypes()))
    if (before != after)
      return emitError(location)
             << "torch.while_loop carries value " << index << " of type "
             << before << ", which an iteration makes " << after
             << "; expected one type, keep its sizes and element type";
  for (auto [output, value] : llvm::zip_equal(node.outputs, loop.getResults()))
    if (output.kind == ArgumentKind::SymInt) {
      if (failed(
              calls.getNumbers().defineInteger(scope, output, value, location)))
        return failure();
    } else {
      scope.tensors[output.text] = tensors.add(value);
    }
  return success();
}

} // namespace tc::pt2
