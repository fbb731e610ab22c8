//===- ControlFlow.cpp - Calls, branches and loops ------------------------===//

#include "ControlFlow.h"
#include "Buffers.h"
#include "OpDispatch.h"
#include "SymbolBinding.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tc::reference {

/// Deeper calls would take more of the stack than a thread surely has.
static constexpr unsigned kMaxDepth = 256;

/// Whether `op` is the last user of `value` in the block that defines it.
static bool isLastUse(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && (ancestor == op || ancestor->isBeforeInBlock(op));
  });
}

FailureOr<Tensors> evaluateBlock(Evaluation &evaluation, Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed(evaluateOp(evaluation, &op)))
      return failure();
    // Free values that nothing reads any more: a model's intermediates are
    // large.
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() == &block && isLastUse(operand, &op))
        evaluation.forget(operand);
  }
  Tensors values;
  for (Value value : block.getTerminator()->getOperands()) {
    if (!isa<MemRefType>(value.getType())) {
      values.push_back(evaluation.get(value));
      continue;
    }
    const Buffer &buffer = evaluation.getBuffer(value);
    Tensor tensor(buffer.elementType, buffer.sizes);
    decodeElements(buffer.data(), buffer.elementType, tensor.words(),
                   tensor.getElementCount());
    values.push_back(tensor);
  }
  return values;
}

/// A buffer with the elements of `tensor`.
static Buffer makeBuffer(const Tensor &tensor) {
  Buffer buffer{tensor.getElementType(), Sizes64(tensor.getSizes()), nullptr,
                0};
  buffer.memory = std::make_shared<std::vector<char>>(tensor.toBytes());
  return buffer;
}

/// Appends what a bufferized function has put into its output buffers.
static LogicalResult readOutputs(Evaluation &evaluation, func::FuncOp function,
                                 Tensors &results) {
  auto types = function->getAttrOfType<ArrayAttr>(kResultTypesAttr);
  if (!types)
    return success();
  for (auto [index, type] : llvm::enumerate(types.getAsRange<TypeAttr>())) {
    auto tensorType = cast<RankedTensorType>(type.getValue());
    FailureOr<Sizes64> sizes = evaluation.evaluateSizes(function, tensorType);
    if (failed(sizes))
      return failure();
    auto memory = evaluation.outputs.lookup(index);
    if (!memory)
      return function.emitError() << "function @" << function.getSymName()
                                  << " writes no tc.output_buffer " << index;
    results.push_back(
        readBuffer({tensorType.getElementType(), *sizes, memory, 0}));
  }
  return success();
}

FailureOr<SmallVector<Tensor>> evaluateCall(Operation *caller,
                                            func::FuncOp function,
                                            MutableArrayRef<Tensor> arguments,
                                            const Options &options,
                                            unsigned depth) {
  if (depth > kMaxDepth)
    return caller->emitOpError()
           << "runs @" << function.getSymName() << " inside " << depth
           << " calls, more than the " << kMaxDepth
           << " that the reference interpreter runs inside each other; does @"
           << function.getSymName() << " call itself without an end?";
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError() << "function @" << function.getSymName()
                                << " has no body of one block, which the "
                                   "reference interpreter needs";
  if (arguments.size() != function.getNumArguments())
    return function.emitError()
           << "function @" << function.getSymName() << " takes "
           << function.getNumArguments() << " arguments, but "
           << arguments.size() << " are given";
  Evaluation evaluation(options, depth);
  if (failed(bindSymbols(evaluation, function, arguments)))
    return failure();
  for (auto [value, tensor] :
       llvm::zip_equal(function.getArguments(), arguments)) {
    if (isa<MemRefType>(value.getType()))
      evaluation.setBuffer(value, makeBuffer(tensor));
    else
      evaluation.set(value, tensor);
  }
  FailureOr<Tensors> results =
      evaluateBlock(evaluation, function.getBody().front());
  if (failed(results))
    return failure();
  for (auto [value, tensor] :
       llvm::zip_equal(function.getArguments(), arguments)) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    const Buffer &buffer = evaluation.getBuffer(value);
    Tensor contents(buffer.elementType, buffer.sizes);
    decodeElements(buffer.data(), buffer.elementType, contents.words(),
                   contents.getElementCount());
    tensor = contents;
  }
  if (failed(readOutputs(evaluation, function, *results)))
    return failure();
  return SmallVector<Tensor>(results->begin(), results->end());
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError()
           << "calls @" << op.getCallee() << ", which is not in the module";
  SmallVector<Tensor> arguments;
  for (Value operand : op.getOperands()) {
    if (isa<MemRefType>(operand.getType()))
      return op.emitOpError() << "passes a buffer, which the reference "
                                 "interpreter does not support";
    arguments.push_back(evaluation.get(operand));
  }
  FailureOr<SmallVector<Tensor>> results = evaluateCall(
      op, callee, arguments, evaluation.options, evaluation.depth + 1);
  if (failed(results))
    return failure();
  return Tensors(results->begin(), results->end());
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, IfOp op) {
  bool condition =
      op.hasBufferSemantics()
          ? readBuffer(evaluation.getBuffer(op.getCondition())).words()[0] != 0
          : evaluation.get(op.getCondition()).words()[0] != 0;
  Region &region = condition ? op.getThenRegion() : op.getElseRegion();
  return evaluateBlock(evaluation, region.front());
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, WhileOp op) {
  Tensors carried;
  for (Value value : op.getInitial())
    carried.push_back(evaluation.get(value));
  auto run = [&](Block &block) {
    for (auto [argument, tensor] :
         llvm::zip_equal(block.getArguments(), carried))
      evaluation.set(argument, tensor);
    return evaluateBlock(evaluation, block);
  };
  while (true) {
    FailureOr<Tensors> condition = run(op.getConditionBlock());
    if (failed(condition))
      return failure();
    if (condition->front().words()[0] == 0)
      return carried;
    FailureOr<Tensors> next = run(op.getBodyBlock());
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
}

/// Runs @tc.prepare, once for an evaluation, and gives the result that
/// `prepared` names.
static FailureOr<Tensors> evaluatePrepared(Evaluation &evaluation,
                                           PreparedOp prepared) {
  if (!evaluation.prepared) {
    auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        prepared, StringAttr::get(prepared.getContext(), kPrepareFunction));
    if (!function)
      return prepared.emitOpError()
             << "needs a function @" << kPrepareFunction << " to run";
    auto results = evaluateCall(prepared, function, {}, evaluation.options,
                                evaluation.depth + 1);
    if (failed(results))
      return failure();
    evaluation.prepared = std::move(*results);
  }
  if (prepared.getResult() >= evaluation.prepared->size())
    return prepared.emitOpError()
           << "is result " << prepared.getResult() << " of @"
           << kPrepareFunction << ", which has " << evaluation.prepared->size();
  return Tensors{(*evaluation.prepared)[prepared.getResult()]};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, ParameterOp op) {
  Operation *declaration =
      SymbolTable::lookupNearestSymbolFrom(op, op.getSourceAttr());
  if (auto prepared = dyn_cast_or_null<PreparedOp>(declaration))
    return evaluatePrepared(evaluation, prepared);
  auto source = dyn_cast_or_null<ParameterSourceOp>(declaration);
  if (!source)
    return op.emitOpError() << "names the parameter @" << op.getSource()
                            << ", which is not declared";
  if (!evaluation.options.parameter)
    return op.emitOpError() << "needs the parameter @" << op.getSource()
                            << ", and no parameters are given";
  FailureOr<Tensor> value = evaluation.options.parameter(source);
  return failed(value) ? FailureOr<Tensors>(failure()) : Tensors{*value};
}

} // namespace tc::reference
