//===- Interpreter.cpp - Dispatch, functions and control flow -------------===//

#include "TC/Reference/Interpreter.h"
#include "Evaluation.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Runtime/CPULimit.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> evaluateAnyElementwise(Evaluation &evaluation,
                                                 Operation *op) {
  SmallVector<Tensor, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluation.get(operand));
  FailureOr<Tensor> result = evaluateElementwise(evaluation, op, operands);
  return failed(result) ? FailureOr<Tensors>(failure()) : Tensors{*result};
}

static FailureOr<Tensors> evaluateTensorOp(Evaluation &evaluation,
                                           Operation *op) {
  if (isa<ElementwiseOpInterface>(op))
    return evaluateAnyElementwise(evaluation, op);
  auto run = [&](auto op) { return evaluate(evaluation, op); };
  return llvm::TypeSwitch<Operation *, FailureOr<Tensors>>(op)
      .Case<ReduceOp, ArgReduceOp, VarianceOp, RoutineOp, ScanOp>(run)
      .Case<ContractOp, ConvolutionOp>(run)
      .Case<ConstantOp, FullOp, SizeValueOp, SizeFromOp, IotaOp, EmptyOp>(run)
      .Case<BroadcastOp, TransposeOp, ReshapeOp, SliceOp, PadOp, ConcatOp>(run)
      .Case<GatherOp, IndexOp, NonzeroOp, ScatterOp, IndexPutOp>(run)
      .Case<MaxPoolOp, AvgPoolOp, AdaptiveAvgPoolOp, ResampleOp>(run)
      .Case<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, GroupNormOp,
            BatchNormOp, AttentionOp>(run)
      .Case<RandomOp, SortOp, TopKOp>(run)
      .Case<ParameterOp, GuardOp, SizeGuardOp, IfOp, WhileOp, KernelOp,
            func::CallOp>(run)
      .Case<AtenOp>([](AtenOp op) {
        return op.emitOpError() << "is a captured call of '" << op.getTarget()
                                << "'; the reference interpreter runs tc ops "
                                   "(convert it first, with phase import)";
      })
      .Default([](Operation *op) {
        return op->emitOpError()
               << "cannot be run by the reference interpreter, which runs tc "
                  "ops up to phase "
                  "bufferize";
      });
}

/// The results must have the sizes that their types promise.
static LogicalResult checkResults(Evaluation &evaluation, Operation *op,
                                  ArrayRef<Tensor> results) {
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results)) {
    FailureOr<Sizes64> sizes =
        evaluation.evaluateSizes(op, cast<ShapedType>(value.getType()));
    if (failed(sizes))
      return failure();
    if (tensor.getSizes() == ArrayRef<int64_t>(*sizes))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "has a result of type " << value.getType()
                               << ", but its value has sizes [";
    llvm::interleaveComma(tensor.getSizes(), error);
    return error << "]";
  }
  return success();
}

/// The results must fit this machine's memory.
static LogicalResult verifyResultMemory(Evaluation &evaluation, Operation *op) {
  for (auto type : llvm::make_filter_range(op->getResultTypes(),
                                           llvm::IsaPred<ShapedType>)) {
    FailureOr<Sizes64> sizes =
        evaluation.evaluateSizes(op, cast<ShapedType>(type));
    if (failed(sizes) || failed(verifyMemory(op, *sizes)))
      return failure();
  }
  return success();
}

/// The op's sizes must be such that it has a meaning.
static LogicalResult checkPreconditions(Evaluation &evaluation, Operation *op) {
  for (const SizePrecondition &condition : getAllSizePreconditions(op))
    if (condition.decide() != true &&
        failed(checkPrecondition(evaluation, op, op->getName().getStringRef(),
                                 condition)))
      return failure();
  return success();
}

LogicalResult evaluateOp(Evaluation &evaluation, Operation *op) {
  bool hasBuffers =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>) ||
      isa<memref::CopyOp>(op);
  if (hasBuffers)
    return evaluateBufferOp(evaluation, op);
  if (failed(checkPreconditions(evaluation, op)) ||
      failed(verifyResultMemory(evaluation, op)))
    return failure();
  FailureOr<Tensors> results = evaluateTensorOp(evaluation, op);
  if (failed(results) || failed(checkResults(evaluation, op, *results)))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), *results))
    evaluation.set(value, tensor);
  return success();
}

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

//===----------------------------------------------------------------------===//
// Functions and control flow
//===----------------------------------------------------------------------===//

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

/// Deeper calls would take more of the stack than a thread surely has.
static constexpr unsigned kMaxDepth = 256;

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

FailureOr<SmallVector<Tensor>>
evaluateFunction(func::FuncOp function, MutableArrayRef<Tensor> arguments,
                 const Options &options) {
  return evaluateCall(function, function, arguments, options, /*depth=*/0);
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
