//===- RegionImporter.cpp - Calls that hold graphs ------------------------===//

#include "RegionImporter.h"

#include "GraphImporter.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

/// Binds the inputs of a nested graph to operands of the call.
static LogicalResult bindInputs(Scope &outer, Scope &inner,
                                ArrayRef<Argument> operands,
                                Location location) {
  const Graph &graph = *inner.graph;
  if (operands.size() != graph.inputs.size())
    return emitError(location)
           << "a nested graph takes " << graph.inputs.size()
           << " inputs, but the call gives " << operands.size()
           << "; the archive is damaged, export it again";
  for (auto [input, operand] : llvm::zip(graph.inputs, operands)) {
    if (input.kind != ArgumentKind::Tensor)
      continue; // sizes are expressions of the nested graph's own table
    TensorEntry *entry = outer.tensors.lookup(operand.text);
    if (operand.kind != ArgumentKind::Tensor || !entry)
      return emitError(location) << "input '" << input.text
                                 << "' of a nested graph is no tensor of the "
                                    "outer one; the archive is damaged, "
                                    "export it again";
    inner.tensors[input.text] = entry;
  }
  return success();
}

LogicalResult RegionImporter::importInlined(Scope &scope, const Node &node,
                                            Location location) {
  std::vector<Argument> operands;
  const Graph *graph = nullptr;
  for (const NamedArgument &input : node.inputs) {
    if (graph)
      operands.push_back(input.value);
    else if (input.value.kind == ArgumentKind::Graph)
      graph = input.value.graph.get();
  }
  if (!graph)
    return emitError(location) << "'" << node.target << "' holds no graph; "
                               << "the archive is damaged, export it again";
  Scope &inner = tensors.addScope(*graph);
  if (failed(bindInputs(scope, inner, operands, location)) ||
      failed(graphs.importNodes(inner)))
    return failure();
  SmallVector<StringRef> results = getResultNames(node.outputs);
  SmallVector<StringRef> outputs = getResultNames(graph->outputs);
  for (auto [result, output] : llvm::zip(results, outputs))
    if (TensorEntry *entry = inner.tensors.lookup(output))
      scope.tensors[result] = entry;
  return success();
}

LogicalResult RegionImporter::importBranch(Scope &scope, const Node &node,
                                           const Graph &branch, Region &region,
                                           Location location) {
  OpBuilder::InsertionGuard guard(builder);
  auto outerNumbers = calls.getNumbers().enterRegion();
  builder.createBlock(&region);
  Scope &inner = tensors.addScope(branch);
  const Argument &operands = node.inputs[3].value;
  if (failed(bindInputs(scope, inner, operands.elements, location)))
    return failure();
  return importRegion(inner, "a branch of torch.cond", location);
}

LogicalResult RegionImporter::importRegion(Scope &inner, StringRef what,
                                           Location location) {
  // The region has names of its own for what it captures, so that a write to
  // them can be seen.
  SmallVector<TensorEntry *> captured;
  for (auto &entry : inner.tensors) {
    entry.second = tensors.add(calls.read(entry.second));
    captured.push_back(entry.second);
  }
  if (failed(graphs.importNodes(inner)))
    return failure();
  for (TensorEntry *entry : captured)
    if (entry->storage->version)
      return emitError(location)
             << what
             << " writes to its inputs, which is not supported; return the "
                "new value instead";
  SmallVector<Value> values;
  for (const Argument &output : inner.graph->outputs) {
    FailureOr<Value> value = calls.getNumberOrTensor(inner, output, location);
    if (failed(value))
      return failure();
    if (!*value)
      return emitError(location)
             << what
             << " returns a constant, which is not supported; return a tensor";
    values.push_back(*value);
  }
  YieldOp::create(builder, location, values);
  return success();
}

LogicalResult RegionImporter::importCond(Scope &scope, const Node &node,
                                         Location location) {
  if (node.inputs.size() != 4 ||
      node.inputs[1].value.kind != ArgumentKind::Graph ||
      node.inputs[2].value.kind != ArgumentKind::Graph)
    return emitError(location) << "torch.cond has " << node.inputs.size()
                               << " arguments, expected a condition, two "
                                  "graphs and their inputs; the archive is "
                                  "damaged, export it again";
  const Argument &condition = node.inputs[0].value;
  if (condition.kind != ArgumentKind::Tensor)
    return emitError(location) << "the condition of torch.cond is a number, "
                                  "which is not supported; expected a tensor "
                                  "of one bool";
  FailureOr<Value> value = calls.getValue(scope, condition, location);
  SmallVector<Type> types;
  if (failed(value) || failed(getResultTypes(scope, node, location, types)))
    return failure();
  auto type = cast<RankedTensorType>((*value).getType());
  if (!type.getElementType().isInteger(1))
    return emitError(location) << "the condition of torch.cond is " << type
                               << ", expected one bool";
  if (type.getRank() != 0)
    value = ReshapeOp::create(builder, location,
                              RankedTensorType::get({}, builder.getI1Type()),
                              *value)
                .getResult();
  auto branches = IfOp::create(builder, location, types, *value);
  if (failed(importBranch(scope, node, *node.inputs[1].value.graph,
                          branches.getThenRegion(), location)) ||
      failed(importBranch(scope, node, *node.inputs[2].value.graph,
                          branches.getElseRegion(), location)))
    return failure();
  for (auto [index, name] : llvm::enumerate(getResultNames(node.outputs)))
    scope.tensors[name] = tensors.add(branches.getResult(index));
  return success();
}

} // namespace tc::pt2
