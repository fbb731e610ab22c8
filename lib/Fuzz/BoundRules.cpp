//===- BoundRules.cpp - What the rules of error bounds share --------------===//

#include "BoundRules.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::Tensor;

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

void tc::fuzz::raiseWhereFlushed(ErrorVectors &errors, const AnalysedOp &op) {
  Tensor flushed = op.runOn([](const Bounded &operand) {
    return mapElements(operand, [](double value, double) {
      return std::fabs(value) < 0x1p-126 ? 0 : value;
    });
  })[0];
  for (size_t i = 0; i < errors[0].size(); ++i)
    if (std::isnan(flushed.floats()[i]) &&
        !std::isnan(op.results[0].floats()[i]))
      errors[0][i] = HUGE_VAL;
}
