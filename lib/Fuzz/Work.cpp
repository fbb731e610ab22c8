//===- Work.cpp - How long an op takes in the interpreter -----------------===//

#include "TC/Fuzz/Work.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {
/// Sizes are doubles: their products may exceed 64 bits.
class WorkEstimate {
public:
  explicit WorkEstimate(
      llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf)
      : valueOf(valueOf) {}

  double get(Operation *op);

private:
  SmallVector<double> sizesOf(Value value) const {
    SmallVector<double> sizes;
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      for (SizeExpr size : getSizes(type))
        sizes.push_back(
            static_cast<double>(size.evaluate(valueOf).value_or(0)));
    return sizes;
  }
  static double product(ArrayRef<double> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                           std::multiplies<double>());
  }
  double elementsOf(Value value) const { return product(sizesOf(value)); }

  double getInner(ContractOp op) const;
  double getInner(ConvolutionOp op) const;
  double getInner(AttentionOp op) const;
  double getInner(AttentionBackwardOp op) const;
  double getInner(AdaptiveAvgPoolOp op) const;
  double getInner(RoutineOp op) const;
  double getRegions(Operation *op);

  llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf;
};
} // namespace

double WorkEstimate::getInner(ContractOp op) const {
  double work = elementsOf(op.getResult());
  std::string contracted = op.getContractedLabels();
  for (auto [label, size] :
       llvm::zip_equal(op.getLhsLabels(), sizesOf(op.getLhs())))
    if (StringRef(contracted).contains(label))
      work *= size;
  return work;
}

/// Each element of the result, transposed of x, meets the weights of one
/// channel.
double WorkEstimate::getInner(ConvolutionOp op) const {
  SmallVector<double> weight = sizesOf(op.getWeight());
  Value along = op.getTransposed() ? op.getX() : op.getResult();
  return elementsOf(along) * product(ArrayRef(weight).drop_front());
}

/// Scores of all keys for each query, and their weighted sum of the values.
double WorkEstimate::getInner(AttentionOp op) const {
  SmallVector<double> keys = sizesOf(op.getK());
  return (elementsOf(op.getQ()) + elementsOf(op.getResult())) *
         keys[keys.size() - 2];
}

/// Scores and gradients of the weights, and what both are multiplied by.
double WorkEstimate::getInner(AttentionBackwardOp op) const {
  SmallVector<double> keys = sizesOf(op.getK());
  return (3 * elementsOf(op.getQ()) + 2 * elementsOf(op.getGrad())) *
         keys[keys.size() - 2];
}

/// Windows overlap by an element at each end, at most.
double WorkEstimate::getInner(AdaptiveAvgPoolOp op) const {
  SmallVector<double> before = sizesOf(op.getX()),
                      after = sizesOf(op.getResult());
  double work = 1;
  for (auto [dim, size] : llvm::enumerate(before))
    work *= dim < 2 ? size : size + 2 * after[dim];
  return work;
}

/// As many operations for each element as a matrix has rows or columns, a few
/// times over where values are found by iteration.
double WorkEstimate::getInner(RoutineOp op) const {
  constexpr double kIterations = 8;
  double work = 0;
  for (Value operand : op.getOperands()) {
    double longest = 1;
    SmallVector<double> sizes = sizesOf(operand);
    for (double size : ArrayRef(sizes).take_back(2))
      longest = std::max(longest, size);
    work += elementsOf(operand) * longest * kIterations;
  }
  return work;
}

double WorkEstimate::getRegions(Operation *op) {
  // As often as sampled loops run, at most.
  constexpr double kIterations = 4;
  double work = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      work += get(&inner);
  return isa<WhileOp>(op) ? work * kIterations : work;
}

double WorkEstimate::get(Operation *op) {
  double elements = 0;
  for (Value operand : op->getOperands())
    elements += elementsOf(operand);
  double results = 0;
  for (Value result : op->getResults())
    results += elementsOf(result);
  auto windows = [&](auto pool) {
    for (int64_t size : pool.getKernel())
      results *= static_cast<double>(size);
    return results;
  };
  double inner =
      llvm::TypeSwitch<Operation *, double>(op)
          .Case<ContractOp, ConvolutionOp, AttentionOp, AttentionBackwardOp,
                AdaptiveAvgPoolOp, RoutineOp>(
              [&](auto typed) { return getInner(typed); })
          .Case<MaxPoolOp, AvgPoolOp>(windows)
          .Case([&](ResampleOp resample) { // between two in each dimension
            return results * std::exp2(resample.getX().getType().getRank() - 2);
          })
          .Case<SortOp, TopKOp>(
              [&](Operation *) { return elements * std::log2(elements + 2); })
          .Default(results);
  return elements + inner + getRegions(op);
}

double tc::fuzz::estimateWork(
    Operation *op,
    llvm::function_ref<std::optional<int64_t>(StringRef)> valueOf) {
  return WorkEstimate(valueOf).get(op);
}
