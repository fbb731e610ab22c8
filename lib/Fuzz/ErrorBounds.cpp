//===- ErrorBounds.cpp - How far a right result may be off ----------------===//

#include "BoundRules.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::OpEvaluator;
using reference::Tensor;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool Bounded::isExact() const {
  return llvm::all_of(error, [](double e) { return e == 0; });
}

bool Bounded::hasUnknown() const {
  return llvm::any_of(error, [](double e) { return std::isinf(e); });
}

bool tc::fuzz::isFloatTensor(const Tensor &tensor) {
  return tensor.getKind() == ElementKind::Float;
}

double tc::fuzz::getUnit(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element ? std::ldexp(1.0, -int(element.getFPMantissaWidth())) : 0;
}

double tc::fuzz::getComputeUnit(Type type) {
  // The interpreter itself rounds to f64.
  return type.isF64() ? 0x1p-52 : isa<FloatType>(type) ? 0x1p-24 : 0;
}

double tc::fuzz::getRounding(double value, Type type) {
  auto element = dyn_cast<FloatType>(type);
  if (!element || !std::isfinite(value))
    return 0;
  double smallest =
      APFloat::getSmallest(element.getFloatSemantics()).convertToDouble();
  return getUnit(type) * std::fabs(value) + smallest;
}

double tc::fuzz::getLargest(Type type) {
  return APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
      .convertToDouble();
}

double tc::fuzz::getDistance(double left, double right) {
  if (left == right || (std::isnan(left) && std::isnan(right)))
    return 0;
  if (!std::isfinite(left) || !std::isfinite(right))
    return HUGE_VAL;
  return std::fabs(left - right);
}

void tc::fuzz::raiseToDistances(std::vector<double> &errors, const Tensor &left,
                                const Tensor &right) {
  for (size_t i = 0; i < errors.size(); ++i) {
    double difference = isFloatTensor(left)
                            ? getDistance(left.floats()[i], right.floats()[i])
                        : left.words()[i] == right.words()[i] ? 0
                                                              : HUGE_VAL;
    // Zeros of both signs are within the bound of a result that may be either.
    if (difference == 0 && isFloatTensor(left) &&
        std::signbit(left.floats()[i]) != std::signbit(right.floats()[i]))
      difference = std::numeric_limits<double>::denorm_min();
    errors[i] = std::max(errors[i], difference);
  }
}

Tensor tc::fuzz::mapElements(const Bounded &operand,
                             function_ref<double(double, double)> make) {
  if (!isFloatTensor(operand.value))
    return operand.value;
  Tensor result = operand.value.clone();
  for (int64_t i = 0; i < result.getElementCount(); ++i)
    result.data<double>()[i] =
        make(operand.value.floats()[i], operand.error[i]);
  return result;
}

Tensor tc::fuzz::shift(const Bounded &operand, double times) {
  return mapElements(operand, [&](double value, double error) {
    return std::isinf(error) ? value : value + times * error;
  });
}

Tensor tc::fuzz::getMagnitudes(const Bounded &operand) {
  return mapElements(operand, [](double value, double) {
    return std::isfinite(value) ? std::fabs(value) : 0;
  });
}

Tensor tc::fuzz::getErrors(const Bounded &operand) {
  return mapElements(operand, [](double, double error) { return error; });
}

SmallVector<Line> tc::fuzz::getLines(ArrayRef<int64_t> sizes, int64_t dim) {
  int64_t outer = 1, inner = 1;
  for (auto [index, size] : llvm::enumerate(sizes))
    (int64_t(index) < dim ? outer : inner) *= int64_t(index) == dim ? 1 : size;
  SmallVector<Line> lines;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j)
      lines.push_back({i * sizes[dim] * inner + j, inner, sizes[dim]});
  return lines;
}

SmallVector<Tensor> AnalysedOp::run(ArrayRef<Tensor> values) const {
  auto made = evaluator.run(op, values);
  return succeeded(made) ? *made : SmallVector<Tensor>(results);
}

SmallVector<Tensor>
AnalysedOp::runOn(function_ref<Tensor(const Bounded &)> replace) const {
  SmallVector<Tensor> values;
  for (const Bounded &operand : operands)
    values.push_back(replace(operand));
  return run(values);
}

ErrorVectors tc::fuzz::makeZeros(const AnalysedOp &op) {
  ErrorVectors errors;
  for (const Tensor &result : op.results)
    errors.emplace_back(result.getElementCount(), 0.0);
  return errors;
}

ErrorVectors tc::fuzz::boundByEnds(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  for (double times : {-1.0, 1.0}) {
    SmallVector<Tensor> results =
        op.runOn([&](const Bounded &operand) { return shift(operand, times); });
    raiseToDistances(errors[0], results[0], op.results[0]);
  }
  return errors;
}

void tc::fuzz::raiseWhereUnknown(ErrorVectors &errors, const AnalysedOp &op) {
  if (llvm::none_of(op.operands,
                    [](const Bounded &o) { return o.hasUnknown(); }))
    return;
  bool isInteger = llvm::any_of(op.operands, [](const Bounded &o) {
    return !isFloatTensor(o.value) && o.hasUnknown();
  });
  SmallVector<Tensor> spoiled = op.runOn([](const Bounded &operand) {
    return mapElements(operand, [](double value, double error) {
      return std::isinf(error) ? std::nan("") : value;
    });
  });
  for (auto [index, error] : llvm::enumerate(errors))
    for (size_t i = 0; i < error.size(); ++i) {
      const Tensor &result = op.results[index];
      // A NaN that was there before hides what depends on the operand.
      bool depends = isFloatTensor(result)
                         ? std::isnan(spoiled[index].floats()[i])
                         : spoiled[index].words()[i] != result.words()[i];
      if (isInteger || depends)
        error[i] = HUGE_VAL;
    }
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
