//===- CodeSize.cpp - How long the code of a kernel is --------------------===//

#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tc;

static bool isStage(Operation *op) {
  return isa<ReduceStageOp, ContractStageOp, ScanStageOp, SortStageOp>(op);
}

namespace {
class CodeEstimate {
public:
  CodeEstimate(KernelOp kernel, double most,
               llvm::function_ref<std::optional<double>(ReadOp)> weightOf)
      : kernel(kernel), dims(kernel), most(most), weightOf(weightOf) {}

  double get() {
    DimSet written;
    for (Operation &op : kernel.getBodyBlock()) {
      if (!isStage(&op) && !isa<WriteOp>(op))
        continue;
      auto write = dyn_cast<WriteOp>(op);
      DimSet loop = write ? dims.ofWrite(write) : DimSet(kernel.getNumDims());
      if (isStage(&op))
        for (Value operand : op.getOperands())
          loop |= dims.of(operand);
      // Writes over the same dimensions share a loop.
      if (isStage(&op) || loop != written)
        inLoop.clear();
      written = write ? loop : DimSet();
      total += getOperationWeight(&op);
      for (Value operand : op.getOperands())
        addValues(operand, loop);
    }
    return total;
  }

  /// The weight of a value, as far as loops compute it again.
  double getValue(Value value) {
    DimSet all(kernel.getNumDims(), true);
    addValues(value, all);
    return total;
  }

private:
  void addValues(Value root, const DimSet &loop) {
    SmallVector<Value> pending{root};
    while (!pending.empty() && total <= most) {
      Value value = pending.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || isStage(op))
        continue;
      // What varies over less than the loop is computed outside of it.
      bool varies = dims.of(value).anyCommon(loop);
      if (!(varies ? inLoop : outside).insert(op).second)
        continue;
      double weight = getWeight(op);
      if (varies && weight >= double(kUsualKeptWeight) && !isa<ReadOp>(op) &&
          !kept.insert(op).second) {
        total += 0.25;
        continue;
      }
      total += weight;
      llvm::append_range(pending, op->getOperands());
    }
  }

  double getWeight(Operation *op) {
    auto read = dyn_cast<ReadOp>(op);
    std::optional<double> known;
    if (read && weightOf)
      known = weightOf(read);
    return known ? *known : getOperationWeight(op);
  }

  KernelOp kernel;
  KernelDims dims;
  double most, total = 0;
  llvm::function_ref<std::optional<double>(ReadOp)> weightOf;
  llvm::SmallPtrSet<Operation *, 16> inLoop, outside, kept;
};
} // namespace

double
tc::estimateCode(KernelOp kernel, double most,
                 llvm::function_ref<std::optional<double>(ReadOp)> weightOf) {
  return CodeEstimate(kernel, most, weightOf).get();
}

static llvm::Error checkCode(double code) {
  if (code <= kMostCode)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "one kernel would have more than " +
          llvm::Twine(static_cast<int64_t>(kMostCode)) +
          " operations in its loops");
}

llvm::Error tc::checkMergedCode(KernelOp first, KernelOp second) {
  double before = estimateCode(first);
  llvm::SmallDenseMap<Value, double> results;
  auto weightOf = [&](ReadOp read) -> std::optional<double> {
    auto result = dyn_cast<OpResult>(getOperandOf(second, read.getSource()));
    if (!result || result.getOwner() != first.getOperation())
      return std::nullopt;
    auto [found, isNew] = results.try_emplace(result, 0);
    if (isNew)
      for (Operation *user :
           first.getOutArgument(result.getResultNumber()).getUsers())
        if (auto write = dyn_cast<WriteOp>(user))
          found->second += CodeEstimate(first, kMostCode, nullptr)
                               .getValue(write.getValue());
    return found->second;
  };
  if (before <= kMostCode)
    before += estimateCode(second, kMostCode, weightOf);
  return checkCode(before);
}

llvm::Error tc::checkInlinedCode(KernelOp consumer, Value input,
                                 double weight) {
  return checkCode(estimateCode(
      consumer, kMostCode, [&](ReadOp read) -> std::optional<double> {
        if (getOperandOf(consumer, read.getSource()) != input)
          return std::nullopt;
        return weight;
      }));
}
