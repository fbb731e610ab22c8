//===- UnrolledLoopImporter.cpp - A graph run once a step -----------------===//

#include "UnrolledLoopImporter.h"

#include "GraphImporter.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

/// Above so many calls in all, a loop is not unrolled.
static constexpr int64_t kLargestUnrolledLoop = 20000;

/// Element `step` along the first dimension, which vanishes.
static Value takeStep(TensorBuilder &b, Value x, int64_t step) {
  MLIRContext *context = x.getContext();
  x = b.sliceDim(x, 0, SizeExpr::constant(context, step),
                 SizeExpr::constant(context, 1));
  return b.reshape(x, ArrayRef(TensorBuilder::sizesOf(x)).drop_front());
}

/// The values along a new first dimension, of `type`.
static Value stackSteps(TensorBuilder &b, ArrayRef<Value> values, Type type) {
  SmallVector<Value> parts;
  for (Value value : values) {
    Sizes sizes = TensorBuilder::sizesOf(value);
    sizes.insert(sizes.begin(), SizeExpr::constant(value.getContext(), 1));
    parts.push_back(b.reshape(value, sizes));
  }
  if (parts.size() == 1)
    return parts.front();
  return ConcatOp::create(b.getBuilder(), b.getLoc(), type, parts, 0);
}

FailureOr<UnrolledLoopImporter::Loop>
UnrolledLoopImporter::readLoop(Scope &scope, const Node &node, StringRef name,
                               Location location) {
  bool isScan = name == "scan";
  size_t count = isScan ? 4 : 3;
  bool isWhole = node.inputs.size() == count &&
                 node.inputs[0].value.kind == ArgumentKind::Graph;
  for (size_t index = 1; isWhole && index < count; ++index)
    isWhole = node.inputs[index].value.kind == ArgumentKind::List;
  if (!isWhole)
    return emitError(location)
           << "torch." << name << " has other arguments than a graph and "
           << count - 1 << " lists; the archive is damaged, export it again";
  Loop loop;
  loop.graph = node.inputs[0].value.graph.get();
  if (isScan)
    loop.carried = node.inputs[1].value.elements;
  loop.stepped = node.inputs[count - 2].value.elements;
  loop.further = node.inputs[count - 1].value.elements;
  size_t inputs =
      loop.carried.size() + loop.stepped.size() + loop.further.size();
  if (loop.graph->inputs.size() != inputs ||
      loop.graph->outputs.size() < loop.carried.size() || loop.stepped.empty())
    return emitError(location)
           << "the graph of torch." << name << " takes "
           << loop.graph->inputs.size() << " inputs and has "
           << loop.graph->outputs.size() << " outputs, but the call gives "
           << inputs << " inputs and carries " << loop.carried.size()
           << "; the archive is damaged, export it again";
  FailureOr<Value> first =
      calls.getValue(scope, loop.stepped.front(), location);
  if (failed(first))
    return failure();
  SizeExpr steps = SizeExpr::constant(calls.getContext(), 0);
  if (*first && cast<RankedTensorType>((*first).getType()).getRank() > 0)
    steps = TensorBuilder::sizesOf(*first).front();
  int64_t calls = std::max<int64_t>(loop.graph->nodes.size(), 1);
  if (!steps.isConstant() || steps.getValue() < 1 ||
      steps.getValue() > kLargestUnrolledLoop / calls)
    return emitError(location)
           << "torch." << name << " of " << calls << " calls over "
           << steps.str() << " steps is not supported; expected a constant "
           << "number of steps and at most " << kLargestUnrolledLoop
           << " calls in all";
  loop.steps = steps.getValue();
  return loop;
}

LogicalResult UnrolledLoopImporter::importStep(Scope &scope, const Loop &loop,
                                               ArrayRef<Value> carried,
                                               int64_t step,
                                               SmallVectorImpl<Value> &results,
                                               Location location) {
  TensorBuilder b(builder, location);
  Scope &inner = tensors.addScope(*loop.graph);
  for (auto [index, input] : llvm::enumerate(loop.graph->inputs)) {
    if (input.kind != ArgumentKind::Tensor)
      continue; // sizes are expressions of the nested graph's own table
    size_t afterCarried = index - carried.size();
    Value value;
    if (index < carried.size()) {
      value = carried[index];
    } else {
      bool isStepped = afterCarried < loop.stepped.size();
      const Argument &argument =
          isStepped ? loop.stepped[afterCarried]
                    : loop.further[afterCarried - loop.stepped.size()];
      FailureOr<Value> read = calls.getValue(scope, argument, location);
      if (failed(read))
        return failure();
      value = *read;
      if (value && isStepped)
        value = takeStep(b, value, step);
    }
    if (!value)
      return emitError(location)
             << "input '" << input.text
             << "' of a loop's graph is no tensor of the outer one; the "
                "archive is damaged, export it again";
    inner.tensors[input.text] = tensors.add(value);
  }
  if (failed(graphs.importNodes(inner)))
    return failure();
  for (const Argument &output : loop.graph->outputs) {
    FailureOr<Value> value = calls.getValue(inner, output, location);
    if (failed(value))
      return failure();
    if (!*value)
      return emitError(location) << "the graph of a loop gives a constant, "
                                    "which is not supported; give a tensor";
    results.push_back(*value);
  }
  return success();
}

LogicalResult UnrolledLoopImporter::import(Scope &scope, const Node &node,
                                           StringRef name, Location location) {
  FailureOr<Loop> loop = readLoop(scope, node, name, location);
  SmallVector<Type> types;
  if (failed(loop) || failed(getResultTypes(scope, node, location, types)))
    return failure();
  SmallVector<StringRef> names = getResultNames(node.outputs);
  if (names.size() != loop->graph->outputs.size())
    return emitError(location)
           << "torch." << name << " has " << names.size()
           << " results, but its graph gives " << loop->graph->outputs.size()
           << "; the archive is damaged, export it again";
  SmallVector<Value> carried;
  for (const Argument &argument : loop->carried) {
    FailureOr<Value> value = calls.getValue(scope, argument, location);
    if (failed(value))
      return failure();
    carried.push_back(*value);
  }
  SmallVector<SmallVector<Value>> given(names.size() - carried.size());
  for (int64_t step = 0; step < loop->steps; ++step) {
    SmallVector<Value> results;
    if (failed(importStep(scope, *loop, carried, step, results, location)))
      return failure();
    for (auto [index, values] : llvm::enumerate(given))
      values.push_back(results[carried.size() + index]);
    carried.assign(results.begin(), results.begin() + carried.size());
  }
  TensorBuilder b(builder, location);
  for (auto [index, result] : llvm::enumerate(names)) {
    Value value =
        index < carried.size()
            ? carried[index]
            : stackSteps(b, given[index - carried.size()], types[index]);
    scope.tensors[result] = tensors.add(value);
  }
  return success();
}

} // namespace tc::pt2
