//===- HoistParameterComputations.cpp - tc-hoist-parameter-computations ---===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCHOISTPARAMETERCOMPUTATIONSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

static int64_t getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * getElementBytes(type.getElementType());
}

/// Whether the op only says what elements are where, or what they are: kernels
/// read through it at no cost, so that its result need not be in memory.
static bool isFree(Operation *op) {
  if (isa<ParameterOp, ConstantOp, FullOp, IotaOp, SizeValueOp, EmptyOp,
          BroadcastOp, TransposeOp, ReshapeOp, SliceOp>(op))
    return true;
  // A narrow weight is better read narrow and widened where it is used.
  auto cast = dyn_cast<CastOp>(op);
  return cast && getBytes(cast->getOperand(0)) < getBytes(cast->getResult(0));
}

/// Whether a call saves time when the result of the op comes from memory, even
/// where no parameter is read for it.
static bool isCostly(Operation *op) {
  if (isFree(op) || isa<PadOp, ConcatOp, CastOp>(op))
    return false;
  return !isa<ElementwiseOpInterface>(op) || getOperationWeight(op) > 1;
}

namespace {
/// What a value of parameters is computed from.
struct Computation {
  int64_t parameterBytes = 0;
  bool readsParameters = false, isCostly = false;
};
} // namespace

/// Whether `op` is a product of `weight` with at most `most` rows. Sizes that
/// are not known are more for a CPU, which packs what it reads several times.
static bool hasFewRows(ContractOp op, Value weight, int64_t most, bool isGPU) {
  const bool isLeft = op.getLhs() == weight;
  StringRef own = isLeft ? op.getLhsLabels() : op.getRhsLabels(),
            other = isLeft ? op.getRhsLabels() : op.getLhsLabels();
  Sizes sizes = TensorBuilder::sizesOf(isLeft ? op.getRhs() : op.getLhs());
  int64_t rows = 1;
  for (auto [label, size] : llvm::zip_equal(other, sizes)) {
    if (own.contains(label))
      continue;
    if (!size.isConstant())
      return isGPU;
    rows *= *size.getConstant();
  }
  return rows <= most;
}

/// Whether all that reads `value` are products with few rows, which take as
/// long as reading it does.
static bool isReadForFewRows(Value value, bool isGPU) {
  constexpr int64_t kMostRows = 1, kMostRowsOnGPU = 64;
  SmallVector<Value> views{value};
  bool isRead = false;
  while (!views.empty()) {
    Value view = views.pop_back_val();
    for (Operation *user : view.getUsers()) {
      auto product = dyn_cast<ContractOp>(user);
      if (isa<TransposeOp, ReshapeOp, CastOp>(user))
        views.push_back(user->getResult(0));
      else if (!product || product.getLhs() == product.getRhs() ||
               !hasFewRows(product, view, isGPU ? kMostRowsOnGPU : kMostRows,
                           isGPU))
        return false;
      isRead |= bool(product);
    }
  }
  return isRead;
}

namespace {

class HoistParameterComputationsPass
    : public tc::impl::TCHoistParameterComputationsPassBase<
          HoistParameterComputationsPass> {
public:
  using TCHoistParameterComputationsPassBase::
      TCHoistParameterComputationsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          function.getSymName() != kPrepareFunction &&
          llvm::hasSingleElement(function.getBody()))
        functions.push_back(function);
    PreparedValues prepared(getOperation());
    for (func::FuncOp function : functions)
      hoist(function, prepared);
  }

private:
  /// Hoists what the ops of `function` that depend on the call read.
  void hoist(func::FuncOp function, PreparedValues &prepared) {
    llvm::SetVector<Value> chosen, visited;
    function.walk([&](Operation *op) {
      bool dependsOnCall = op->getBlock() != &function.front() ||
                           op->getNumResults() == 0 ||
                           !prepared.isOfParameters(op->getResult(0));
      if (dependsOnCall)
        for (Value operand : op->getOperands())
          if (operand.getParentBlock() == &function.front() &&
              prepared.isOfParameters(operand))
            choose(operand, prepared, visited, chosen);
    });
    for (Value value : chosen)
      replace(value, prepared);
    if (!chosen.empty())
      prepared.eraseDeadOps(function);
  }

  /// Adds to `chosen` what of `value` is to be computed ahead: itself, or parts
  /// of it.
  void choose(Value value, PreparedValues &prepared,
              llvm::SetVector<Value> &visited, llvm::SetVector<Value> &chosen) {
    if (!visited.insert(value))
      return;
    Operation *op = value.getDefiningOp();
    if (!isFree(op) && isWorthwhile(value)) {
      chosen.insert(value);
      return;
    }
    for (Value operand : op->getOperands())
      choose(operand, prepared, visited, chosen);
  }

  /// Whether the op is cheap and its operands are broadcast from what is
  /// smaller, which is then better computed ahead: as a slope of each head,
  /// times a distance of positions.
  static bool isOfSmallParts(Value value) {
    Operation *op = value.getDefiningOp();
    return isa<ElementwiseOpInterface>(op) && !isCostly(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             while (Operation *maker = operand.getDefiningOp()) {
               if (!isa<BroadcastOp, CastOp, ReshapeOp, TransposeOp>(maker))
                 break;
               operand = maker->getOperand(0);
             }
             return isa_and_nonnull<FullOp, IotaOp>(operand.getDefiningOp()) ||
                    getBytes(operand) < getBytes(value);
           });
  }

  /// Whether the parameters that `value` is computed from, as a weight is of
  /// integers and their scales, are faster to read than itself.
  bool isBetterReadNarrow(Value value, const Computation &computation) {
    constexpr int64_t kLeastBytes = 1 << 20;
    const int64_t bytes = getBytes(value);
    return computation.readsParameters && !computation.isCostly &&
           bytes >= kLeastBytes &&
           2 * bytes >= 3 * computation.parameterBytes &&
           isReadForFewRows(value, getTargetKind(getOperation()) == "cuda");
  }

  bool isWorthwhile(Value value) {
    Computation computation = analyze(value);
    if (!computation.readsParameters &&
        (!computation.isCostly || isOfSmallParts(value)))
      return false;
    if (isBetterReadNarrow(value, computation)) {
      remark::missed(value.getLoc(),
                     remark::RemarkOpts::name("tc-hoist-parameter-computations")
                         .category("tc-hoist"))
          << "computed in every call, as its parameters have fewer bytes than "
             "its result, and products of few rows read it";
      return false;
    }
    int64_t allowed =
        std::max<int64_t>(computation.parameterBytes * maxGrowth,
                          computation.isCostly ? maxBytes : maxBytes / 64);
    if (getBytes(value) <= allowed)
      return true;
    remark::missed(value.getLoc(),
                   remark::RemarkOpts::name("tc-hoist-parameter-computations")
                       .category("tc-hoist"))
        << "computed in every call, as its result of "
        << std::to_string(getBytes(value))
        << " bytes is too large next to the parameters it is computed from";
    return false;
  }

  static Computation analyze(Value value) {
    llvm::SetVector<Value> needed;
    needed.insert(value);
    Computation computation;
    for (size_t index = 0; index < needed.size(); ++index) {
      Operation *op = needed[index].getDefiningOp();
      computation.isCostly |= isCostly(op);
      if (isa<ParameterOp>(op)) {
        computation.readsParameters = true;
        computation.parameterBytes += getBytes(needed[index]);
      }
      needed.insert_range(op->getOperands());
    }
    return computation;
  }

  void replace(Value value, PreparedValues &prepared) {
    // Named after the largest parameter: the weight, not what scales it.
    StringRef name;
    int64_t largest = -1;
    for (ParameterOp parameter : prepared.getParameters(value))
      if (int64_t bytes = getBytes(parameter); bytes > largest) {
        largest = bytes;
        name = parameter.getSource();
      }
    Value copied = prepared.copy(value);
    PreparedOp declaration = prepared.publish(copied, name, "prepared");
    ++hoisted;
    remark::passed(value.getLoc(),
                   remark::RemarkOpts::name("tc-hoist-parameter-computations")
                       .category("tc-hoist"))
        << "computed ahead of the calls as @" << declaration.getSymName();
    value.replaceAllUsesWith(
        PreparedValues::read(declaration, value.getDefiningOp()));
  }
};
} // namespace
