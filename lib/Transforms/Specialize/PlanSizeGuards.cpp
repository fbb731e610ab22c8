//===- PlanSizeGuards.cpp - tc-plan-size-guards ---------------------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPLANSIZEGUARDSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A condition that is not proved, and the op that needs it.
struct Need {
  SizePrecondition condition;
  Operation *user;
};

/// Plans the guards of a function, a block at a time.
class SizeGuardPlanner {
public:
  explicit SizeGuardPlanner(func::FuncOp function);
  /// `facts` are those of the block.
  void run(Block &block, SizeFacts facts);

private:
  SmallVector<Need> collect(Block &block, const SizeFacts &facts);
  void makeGuard(Block &block, const Need &need);
  bool isKnownAtEntry(const SizePrecondition &condition) const;

  /// Symbols whose values follow from the sizes of the arguments.
  llvm::StringSet<> argumentSymbols;
};
} // namespace

SizeGuardPlanner::SizeGuardPlanner(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      for (SizeExpr size : getSizes(shaped))
        size.walkSymbols([&](StringRef name) { argumentSymbols.insert(name); });
}

bool SizeGuardPlanner::isKnownAtEntry(const SizePrecondition &condition) const {
  bool isKnown = true;
  for (SizeExpr expr : condition.getExpressions())
    expr.walkSymbols(
        [&](StringRef name) { isKnown &= argumentSymbols.contains(name); });
  return isKnown;
}

/// What a condition says but for a constant: of `s0 >= 3` and `s0 >= 5` the
/// second is enough. The second of the pair is larger where it says less.
static std::pair<std::pair<Attribute, Attribute>, int64_t>
getStrength(const SizePrecondition &condition) {
  bool isBelow = condition.relation == SizeRelation::AtMost;
  SizeExpr difference = isBelow ? condition.bound.sub(condition.value)
                                : condition.value.sub(condition.bound);
  int64_t constant =
      difference.getKind() == SizeExprKind::Sum ? difference.getValue() : 0;
  return {{difference.add(-constant), condition.where}, constant};
}

/// The conditions of the ops of `block` that are not proved, without those that
/// another one implies.
SmallVector<Need> SizeGuardPlanner::collect(Block &block,
                                            const SizeFacts &facts) {
  SmallVector<Need> needs;
  llvm::DenseSet<SizeFacts::Condition> proved;
  llvm::DenseMap<std::pair<Attribute, Attribute>, size_t> strongest;
  for (Operation &op : block) {
    for (SizePrecondition &condition : getAllSizePreconditions(&op)) {
      SizeFacts::Condition key = SizeFacts::toKey(condition);
      if (proved.contains(key))
        continue;
      if (SizeProver(facts).proves(condition)) {
        proved.insert(key);
        continue;
      }
      bool isOrdered = condition.relation == SizeRelation::AtLeast ||
                       condition.relation == SizeRelation::AtMost;
      if (!isOrdered || !isKnownAtEntry(condition)) {
        needs.push_back({std::move(condition), &op});
        continue;
      }
      auto [base, constant] = getStrength(condition);
      auto [position, isNew] = strongest.try_emplace(base, needs.size());
      if (isNew)
        needs.push_back({std::move(condition), &op});
      else if (constant < getStrength(needs[position->second].condition).second)
        needs[position->second] = {std::move(condition), &op};
    }
  }
  return needs;
}

void SizeGuardPlanner::makeGuard(Block &block, const Need &need) {
  OpBuilder builder(need.user);
  if (isKnownAtEntry(need.condition)) {
    // Behind the guards that are there, in the order of the ops.
    Block::iterator position = block.begin();
    while (isa<GuardOp, SizeGuardOp>(*position))
      ++position;
    builder.setInsertionPoint(&block, position);
  }
  const SizePrecondition &condition = need.condition;
  StringAttr reference = condition.reference.empty()
                             ? StringAttr()
                             : builder.getStringAttr(condition.reference);
  SizeGuardOp::create(
      builder, need.user->getLoc(),
      builder.getStringAttr(need.user->getName().getStringRef()),
      builder.getStringAttr(condition.subject), condition.value,
      SizeRelationAttr::get(builder.getContext(), condition.relation),
      reference, condition.bound, condition.where);
  remark::analysis(
      need.user->getLoc(),
      remark::RemarkOpts::name("size-guard").category("tc-plan-size-guards"))
      << remark::metric("Op", need.user->getName().getStringRef())
      << remark::metric("Condition", condition.describe());
}

void SizeGuardPlanner::run(Block &block, SizeFacts facts) {
  for (auto guard : block.getOps<SizeGuardOp>())
    facts.assume(guard.getPrecondition());
  for (const Need &need : collect(block, facts)) {
    if (SizeProver(facts).proves(need.condition))
      continue; // by a guard made here
    makeGuard(block, need);
    facts.assume(need.condition);
  }
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        run(inner, facts.in(inner));
}

/// Refuses arguments and results of more bytes than 64 bits count, whatever the
/// symbols are. What is in between may be part of a kernel and is never in
/// memory.
static LogicalResult verifyBytes(func::FuncOp function, TypeRange types,
                                 StringRef what) {
  for (auto [index, type] : llvm::enumerate(types)) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped || !shaped.hasStaticShape())
      continue;
    int64_t bytes = getElementBytes(shaped.getElementType());
    bool overflows = false;
    for (int64_t size : shaped.getShape())
      overflows |= llvm::MulOverflow(bytes, size, bytes);
    if (overflows && !llvm::is_contained(shaped.getShape(), 0))
      return function.emitError()
             << "function @" << function.getSymName() << " has " << what << " "
             << index << " of type " << type
             << ", of more bytes than 64 bits count";
  }
  return success();
}

namespace {
class PlanSizeGuardsPass
    : public tc::impl::TCPlanSizeGuardsPassBase<PlanSizeGuardsPass> {
public:
  using TCPlanSizeGuardsPassBase::TCPlanSizeGuardsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    if (failed(
            verifyBytes(function, function.getArgumentTypes(), "argument")) ||
        failed(verifyBytes(function, function.getResultTypes(), "result")))
      return signalPassFailure();
    SizeGuardPlanner(function).run(function.front(), SizeFacts(function));
  }
};
} // namespace
