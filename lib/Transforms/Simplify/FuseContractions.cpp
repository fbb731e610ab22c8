//===- FuseContractions.cpp - tc-fuse-contractions ------------------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSECONTRACTIONSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A contraction of an activation with a weight, and the bias that is added.
struct WeightedSum {
  ContractOp op;
  unsigned side; ///< number of the operand that is the weight
  Value bias;    ///< of one dimension; null for none
  Value output;  ///< with the bias

  Value getWeight() { return op->getOperand(side); }
  Value getActivation() { return op->getOperand(1 - side); }
  StringRef getWeightLabels() {
    return side == 0 ? op.getLhsLabels() : op.getRhsLabels();
  }
  StringRef getActivationLabels() {
    return side == 0 ? op.getRhsLabels() : op.getLhsLabels();
  }
  /// The label that the weight alone gives to the result, if there is one.
  std::optional<char> getLanes() {
    std::optional<char> lanes;
    for (char label : getWeightLabels()) {
      if (getActivationLabels().contains(label))
        continue;
      if (lanes)
        return std::nullopt;
      lanes = label;
    }
    return lanes;
  }
  int64_t getWeightDim() {
    return static_cast<int64_t>(getWeightLabels().find(*getLanes()));
  }
  int64_t getResultDim() {
    return static_cast<int64_t>(op.getResultLabels().find(*getLanes()));
  }
  Sizes getWeightSizes() { return TensorBuilder::sizesOf(getWeight()); }
  /// What is computed from parameters has constant sizes.
  int64_t getLaneCount() {
    return *getWeightSizes()[getWeightDim()].getConstant();
  }
};
} // namespace

/// Whether `value` is computed from a result of `op`, which is in its block.
static bool dependsOn(Value value, Operation *op) {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  for (size_t index = 0; index < needed.size(); ++index) {
    Operation *producer = needed[index].getDefiningOp();
    if (producer == op)
      return true;
    if (producer && producer->getBlock() == op->getBlock() &&
        op->isBeforeInBlock(producer))
      needed.insert_range(producer->getOperands());
  }
  return false;
}

/// Whether kernels read through `op` at no cost.
static bool isFree(Operation *op) {
  if (isa<ReshapeOp, TransposeOp>(op))
    return true;
  auto getBytes = [](Value value) {
    return getElementBytes(TensorBuilder::typeOf(value).getElementType());
  };
  return isa<CastOp>(op) &&
         getBytes(op->getOperand(0)) < getBytes(op->getResult(0));
}

/// Whether an elementwise op is to be computed on the tile of the contraction
/// whose output this is: it needs no other elements of it, and is no part of a
/// fold.
static bool hasEpilogue(WeightedSum &sum) {
  Value output = sum.output;
  while (output.hasOneUse() && isFree(*output.user_begin()))
    output = output.user_begin()->getResult(0);
  bool found = false;
  for (Operation *user : output.getUsers()) {
    if (!isa<ElementwiseOpInterface>(user))
      return false;
    bool isFolded = !user->use_empty() &&
                    llvm::all_of(user->getUsers(), [](Operation *reader) {
                      return isa<ReduceOp>(reader);
                    });
    bool needsOthers = llvm::any_of(user->getOperands(), [&](Value operand) {
      return operand != output && dependsOn(operand, sum.op);
    });
    found |= !isFolded && !needsOthers;
  }
  return found;
}

static ProductPoints getPoints(WeightedSum &sum, double lanes) {
  ProductPoints points;
  points.lanes = lanes;
  Sizes sizes = TensorBuilder::sizesOf(sum.getActivation());
  for (auto [label, size] : llvm::zip_equal(sum.getActivationLabels(), sizes)) {
    double count = estimateSize(sum.op, size);
    bool isResult = sum.op.getResultLabels().contains(label);
    if (!isResult)
      points.reduced *= count;
    else if (sum.getWeightLabels().contains(label))
      points.batches *= count;
    else
      points.rows *= count;
    points.areKnown &= !isResult || size.isConstant();
  }
  points.elementBytes =
      getElementBytes(TensorBuilder::typeOf(sum.getWeight()).getElementType());
  points.areLanesAcross = sum.getWeightLabels().back() == *sum.getLanes();
  return points;
}

/// Whether the model knows the product's time.
static bool isOnTensorCores(WeightedSum &sum, const MachineModel &machine) {
  Type element = TensorBuilder::typeOf(sum.getWeight()).getElementType();
  return machine.hasWarpGroupProducts &&
         (element.isBF16() || element.isF16() || isFloat8Type(element));
}

/// Whether what follows the slice of this one begins at a multiple of what
/// vectors and the copy engine load.
static bool isAligned(WeightedSum &sum) {
  constexpr int64_t kUnitBytes = 16;
  Type element = TensorBuilder::typeOf(sum.getWeight()).getElementType();
  return sum.getLaneCount() * getElementBytes(element) % kUnitBytes == 0;
}

/// Moves what `value` is computed from before `op`, all of which is pure.
static void moveBefore(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  if (producer->getBlock() != op->getBlock() || producer->isBeforeInBlock(op))
    return;
  for (Value operand : producer->getOperands())
    moveBefore(operand, op);
  producer->moveBefore(op);
}

namespace {
/// Contractions that may be one.
using Group = SmallVector<WeightedSum, 4>;

class FuseContractionsPass
    : public tc::impl::TCFuseContractionsPassBase<FuseContractionsPass> {
public:
  using TCFuseContractionsPassBase::TCFuseContractionsPassBase;

  void runOnOperation() override {
    MachineModel machine = MachineModel::get(getOperation());
    SmallVector<Group> groups;
    {
      // Keeps what it knows by value: asked before values are erased.
      PreparedValues prepared(getOperation());
      for (auto function : getOperation().getOps<func::FuncOp>())
        if (!function.isDeclaration() &&
            function.getSymName() != kPrepareFunction)
          collect(function.front(), prepared, groups);
    }
    for (Group &group : groups)
      if (group.size() > 1 && isWorthwhile(group, machine))
        fuse(group);
  }

private:
  static void collect(Block &block, PreparedValues &prepared,
                      SmallVectorImpl<Group> &groups) {
    size_t first = groups.size();
    for (auto op : block.getOps<ContractOp>()) {
      std::optional<WeightedSum> sum = match(op, prepared);
      if (!sum)
        continue;
      auto group =
          llvm::find_if(llvm::drop_begin(groups, first), [&](Group &other) {
            return areAlike(other.front(), *sum);
          });
      if (group == groups.end())
        groups.push_back({*sum});
      else
        group->push_back(*sum);
    }
  }

  static std::optional<WeightedSum> match(ContractOp op,
                                          PreparedValues &prepared) {
    for (unsigned side : {1u, 0u}) {
      WeightedSum sum{op, side, Value(), op.getResult()};
      if (!prepared.isOfParameters(sum.getWeight()) ||
          prepared.isOfParameters(sum.getActivation()) || !sum.getLanes())
        continue;
      findBias(sum, prepared);
      if (hasEpilogue(sum))
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("tc-fuse-contractions")
                           .category("tc-fuse"))
            << "stays on its own, as an elementwise op is its epilogue";
      else
        return sum;
    }
    return std::nullopt;
  }

  static void findBias(WeightedSum &sum, PreparedValues &prepared) {
    Value result = sum.op.getResult();
    auto add =
        result.hasOneUse() ? dyn_cast<AddOp>(*result.user_begin()) : nullptr;
    if (!add)
      return;
    Value other = add->getOperand(add->getOperand(0) == result ? 1 : 0);
    auto broadcast = other.getDefiningOp<BroadcastOp>();
    if (!broadcast || broadcast.getDims() != ArrayRef(sum.getResultDim()) ||
        !TensorBuilder::sizesOf(broadcast.getX())
             .front()
             .isConstant(sum.getLaneCount()) ||
        !prepared.isOfParameters(broadcast.getX()))
      return;
    sum.bias = broadcast.getX();
    sum.output = add.getResult();
  }

  /// Whether both are of the same activation, and of weights that can be
  /// joined.
  static bool areAlike(WeightedSum &one, WeightedSum &other) {
    Sizes sizes = one.getWeightSizes(), others = other.getWeightSizes();
    if (one.side != other.side ||
        one.getActivation() != other.getActivation() ||
        one.op.getSpec() != other.op.getSpec() ||
        one.op.getFast() != other.op.getFast() ||
        TensorBuilder::typeOf(one.getWeight()).getElementType() !=
            TensorBuilder::typeOf(other.getWeight()).getElementType())
      return false;
    sizes[one.getWeightDim()] = others[one.getWeightDim()];
    return sizes == others;
  }

  bool isWorthwhile(Group &group, const MachineModel &machine) {
    if (always)
      return true;
    if (!isOnTensorCores(group.front(), machine) ||
        !llvm::all_of(group, isAligned))
      return false;
    double lanes = 0, apart = 0;
    for (WeightedSum &sum : group) {
      auto own = double(sum.getLaneCount());
      lanes += own;
      apart += estimateProductTime(getPoints(sum, own), machine) +
               machine.launchTime;
    }
    if (estimateProductTime(getPoints(group.front(), lanes), machine) +
            machine.launchTime <
        apart)
      return true;
    remark::missed(
        group.front().op.getLoc(),
        remark::RemarkOpts::name("tc-fuse-contractions").category("tc-fuse"))
        << "stays on its own, as tiles of all lanes would take longer";
    return false;
  }

  void fuse(Group &group) {
    Operation *first = group.front().op;
    SmallVector<Value> weights;
    SmallVector<Location> locs;
    for (WeightedSum &sum : group) {
      moveBefore(sum.getWeight(), first);
      weights.push_back(sum.getWeight());
      locs.push_back(sum.op.getLoc());
    }
    OpBuilder builder(first);
    TensorBuilder b(builder, builder.getFusedLoc(locs));
    Value output = createContraction(b, group, weights);
    if (llvm::any_of(group, [](WeightedSum &sum) { return bool(sum.bias); }))
      output = addBiases(b, group, output);
    int64_t offset = 0;
    for (WeightedSum &sum : group) {
      sum.output.replaceAllUsesWith(b.sliceDim(
          output, sum.getResultDim(), SizeExpr::constant(&getContext(), offset),
          SizeExpr::constant(&getContext(), sum.getLaneCount())));
      offset += sum.getLaneCount();
      ++numFused;
    }
    for (WeightedSum &sum : group)
      erase(sum);
    remark::passed(
        b.getLoc(),
        remark::RemarkOpts::name("tc-fuse-contractions").category("tc-fuse"))
        << ("one contraction for " + Twine(group.size()) +
            " of the same operand")
               .str();
  }

  static void erase(WeightedSum &sum) {
    if (sum.bias) {
      Operation *add = sum.output.getDefiningOp();
      SmallVector<Value> operands(add->getOperands());
      add->erase();
      for (Value operand : operands)
        if (auto broadcast = operand.getDefiningOp<BroadcastOp>();
            broadcast && broadcast.use_empty())
          broadcast.erase();
    }
    sum.op.erase();
  }

  static Value createContraction(TensorBuilder &b, Group &group,
                                 ArrayRef<Value> weights) {
    WeightedSum &first = group.front();
    Value weight = ConcatOp::create(b.getBuilder(), b.getLoc(), weights,
                                    first.getWeightDim());
    Value operands[2] = {first.op.getLhs(), first.op.getRhs()};
    operands[first.side] = weight;
    return ContractOp::create(b.getBuilder(), b.getLoc(), first.op.getSpec(),
                              operands[0], operands[1], first.op.getFast());
  }

  /// What has no bias gets one of -0.0, which changes no bit of a sum.
  static Value addBiases(TensorBuilder &b, Group &group, Value output) {
    RankedTensorType type = TensorBuilder::typeOf(output);
    SmallVector<Value> biases;
    for (WeightedSum &sum : group) {
      if (sum.bias)
        moveBefore(sum.bias, group.front().op);
      biases.push_back(
          sum.bias
              ? sum.bias
              : b.full(-0.0,
                       getTensorType({sum.getWeightSizes()[sum.getWeightDim()]},
                                     type.getElementType())));
    }
    Value bias = ConcatOp::create(b.getBuilder(), b.getLoc(), biases, 0);
    return b.add(
        output, b.alongDim(bias, getSizes(type), group.front().getResultDim()));
  }
};

} // namespace
