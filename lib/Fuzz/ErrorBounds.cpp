//===- ErrorBounds.cpp - How far a right result may be off ----------------===//

#include "TC/Fuzz/ErrorBounds.h"
#include "AttentionBounds.h"
#include "ElementwiseBounds.h"
#include "FoldBounds.h"
#include "NormBounds.h"
#include "OrderBounds.h"
#include "RoutineBounds.h"
#include "SoftmaxBounds.h"
#include "TC/Transforms/DecomposeAttentionBackward.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::OpEvaluator;
using reference::Tensor;

bool Bounded::isExact() const {
  return llvm::all_of(error, [](double e) { return e == 0; });
}

bool Bounded::hasUnknown() const {
  return llvm::any_of(error, [](double e) { return std::isinf(e); });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether the results are elements of operands, or known without arithmetic.
static bool isMove(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getCombine() == CombineKind::Replace;
  if (auto put = dyn_cast<IndexPutOp>(op))
    return put.getCombine() == CombineKind::Replace;
  return isa<ConstantOp, FullOp, IotaOp, SizeValueOp, ParameterOp, BroadcastOp,
             TransposeOp, ReshapeOp, SliceOp, PadOp, ConcatOp, GatherOp,
             IndexOp>(op);
}

/// A distribution's elements are right to a few units of its scale.
static ErrorVectors boundRandom(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  double noise = 128 * getComputeUnit(op.elementType());
  for (size_t i = 0; i < errors[0].size(); ++i)
    errors[0][i] =
        noise + getRounding(op.results[0].floats()[i], op.elementType());
  raiseWhereUnknown(errors, op);
  return errors;
}

/// Fails, with an error, for an op without a rule.
static FailureOr<ErrorVectors> boundOp(const AnalysedOp &op) {
  if (isa<ElementwiseOpInterface>(op.op))
    return boundElementwise(op);
  if (isMove(op.op))
    return boundMove(op);
  if (isa<ReduceOp, ScanOp, ScatterOp, IndexPutOp, AvgPoolOp, AdaptiveAvgPoolOp,
          ResampleOp>(op.op))
    return boundFold(op);
  if (isa<ContractOp, ConvolutionOp>(op.op))
    return boundProduct(op);
  if (isa<ArgReduceOp, SortOp, TopKOp, MaxPoolOp>(op.op))
    return boundOrder(op);
  if (isa<AttentionOp>(op.op))
    return boundAttention(op);
  if (isa<RandomOp>(op.op))
    return boundRandom(op);
  if (isa<RoutineOp>(op.op))
    return boundRoutine(op);
  if (isa<SoftmaxOp, LogSoftmaxOp>(op.op))
    return boundSoftmax(op);
  if (isa<LayerNormOp, RmsNormOp, GroupNormOp, BatchNormOp, VarianceOp>(op.op))
    return boundNorm(op);
  if (isa<EmptyOp>(op.op))
    return ErrorVectors{
        std::vector<double>(op.results[0].getElementCount(), HUGE_VAL)};
  return op.op->emitOpError("has no rule in lib/Fuzz that bounds its errors");
}

namespace {
class Analysis {
public:
  explicit Analysis(OpEvaluator &evaluator) : evaluator(evaluator) {}

  void set(Value value, Bounded bounded) { values[value] = std::move(bounded); }
  const Bounded &get(Value value) { return values.find(value)->second; }
  LogicalResult run(Block &block);

private:
  LogicalResult runIf(IfOp op);
  LogicalResult runWhile(WhileOp op);
  LogicalResult runRegion(Block &block, SmallVectorImpl<Bounded> &carried);
  LogicalResult runGradients(AttentionBackwardOp op, ArrayRef<Bounded> operands,
                             ArrayRef<Tensor> results);
  LogicalResult runOp(Operation *op);

  OpEvaluator &evaluator;
  llvm::DenseMap<Value, Bounded> values;
};
} // namespace

/// A float that may be too large for its type may be an infinity or, of a type
/// without one, NaN; of such a type an infinity is NaN too.
static void raiseWhereTooLarge(Bounded &bounded, bool isMoved) {
  if (!isFloatTensor(bounded.value))
    return;
  Type type = bounded.value.getElementType();
  double largest = getLargest(type);
  bool hasInfinity =
      APFloat::semanticsHasInf(cast<FloatType>(type).getFloatSemantics());
  for (auto [value, error] :
       llvm::zip_equal(bounded.value.floats(), bounded.error)) {
    if (std::isnan(error))
      error = HUGE_VAL;
    if (!isMoved && (std::isfinite(value) || !hasInfinity) &&
        std::fabs(value) + error > largest)
      error = HUGE_VAL;
  }
}

LogicalResult Analysis::runIf(IfOp op) {
  const Bounded &condition = get(op.getCondition());
  bool isUnknown = condition.hasUnknown();
  Region &region =
      condition.value.words()[0] ? op.getThenRegion() : op.getElseRegion();
  if (failed(run(region.front())))
    return failure();
  Operation *yield = region.front().getTerminator();
  for (auto [result, yielded] :
       llvm::zip_equal(op.getResults(), yield->getOperands())) {
    Bounded bounded = get(yielded);
    if (isUnknown)
      std::fill(bounded.error.begin(), bounded.error.end(), HUGE_VAL);
    set(result, std::move(bounded));
  }
  return success();
}

/// Runs a region on carried values, which become what it yields.
LogicalResult Analysis::runRegion(Block &block,
                                  SmallVectorImpl<Bounded> &carried) {
  for (auto [argument, bounded] :
       llvm::zip_equal(block.getArguments(), carried))
    set(argument, bounded);
  if (failed(run(block)))
    return failure();
  carried.clear();
  for (Value value : block.getTerminator()->getOperands())
    carried.push_back(get(value));
  return success();
}

/// Iterates as the values say. Where a condition is unknown, so is how often.
LogicalResult Analysis::runWhile(WhileOp op) {
  SmallVector<Bounded> carried;
  for (Value value : op.getInitial())
    carried.push_back(get(value));
  bool isUnknown = false;
  while (true) {
    SmallVector<Bounded> condition = carried;
    if (failed(runRegion(op.getConditionBlock(), condition)))
      return failure();
    isUnknown |= condition.front().hasUnknown();
    if (!condition.front().value.words()[0])
      break;
    if (failed(runRegion(op.getBodyBlock(), carried)))
      return failure();
  }
  for (auto [result, bounded] : llvm::zip_equal(op.getResults(), carried)) {
    if (isUnknown)
      std::fill(bounded.error.begin(), bounded.error.end(), HUGE_VAL);
    set(result, std::move(bounded));
  }
  return success();
}

/// Gradients of attention are off by what the ops they decompose into are,
/// whose values round on the way but are within those bounds of the op's own.
LogicalResult Analysis::runGradients(AttentionBackwardOp op,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<Tensor> results) {
  Block block;
  IRMapping arguments;
  for (Value operand : op->getOperands())
    arguments.map(operand, block.addArgument(operand.getType(), op.getLoc()));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  auto whole = cast<AttentionBackwardOp>(builder.clone(*op, arguments));
  SmallVector<Value> gradients = decomposeAttentionBackward(whole, builder);
  whole->erase();
  Analysis parts(evaluator);
  for (auto [operand, bounded] : llvm::zip_equal(op->getOperands(), operands))
    parts.set(arguments.lookup(operand), bounded);
  for (Operation &part : block)
    if (failed(parts.runOp(&part)))
      return failure();
  for (auto [value, tensor, gradient] :
       llvm::zip_equal(op->getResults(), results, gradients)) {
    Bounded bounded = parts.get(gradient);
    bounded.value = tensor;
    for (double &error : bounded.error)
      error *= 2;
    set(value, std::move(bounded));
  }
  return success();
}

LogicalResult Analysis::runOp(Operation *op) {
  if (auto branch = dyn_cast<IfOp>(op))
    return runIf(branch);
  if (auto loop = dyn_cast<WhileOp>(op))
    return runWhile(loop);
  SmallVector<Bounded> operands;
  SmallVector<Tensor> inputs;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand));
    inputs.push_back(operands.back().value);
  }
  auto results = evaluator.run(op, inputs);
  if (failed(results))
    return failure();
  if (results->empty())
    return success();
  if (auto gradients = dyn_cast<AttentionBackwardOp>(op))
    return runGradients(gradients, operands, *results);
  FailureOr<ErrorVectors> errors = boundOp({op, operands, *results, evaluator});
  if (failed(errors))
    return failure();
  for (auto [value, tensor, error] :
       llvm::zip_equal(op->getResults(), *results, *errors)) {
    Bounded bounded{tensor, std::move(error)};
    raiseWhereTooLarge(bounded, isMove(op));
    set(value, std::move(bounded));
  }
  return success();
}

LogicalResult Analysis::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

FailureOr<SmallVector<Bounded>>
tc::fuzz::boundErrors(func::FuncOp function, ArrayRef<Tensor> arguments,
                      const reference::Options &given) {
  reference::Options options = given;
  options.precision = reference::Precision::Double;
  auto evaluator = OpEvaluator::create(function, arguments, options);
  if (failed(evaluator))
    return failure();
  Analysis analysis(*evaluator);
  for (auto [value, tensor] :
       llvm::zip_equal(function.getArguments(), arguments))
    analysis.set(value, {tensor, std::vector<double>(
                                     size_t(tensor.getElementCount()), 0)});
  Block &body = function.getBody().front();
  if (failed(analysis.run(body)))
    return failure();
  SmallVector<Bounded> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(analysis.get(value));
  return results;
}
