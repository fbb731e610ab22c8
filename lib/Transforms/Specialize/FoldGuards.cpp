//===- FoldGuards.cpp - tc-fold-guards ------------------------------------===//

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDGUARDSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// Everything that is known at a guard.
struct Knowledge {
  explicit Knowledge(Operation *function) : ranges(function) {}

  SizeRanges ranges;
  llvm::DenseMap<Value, uint64_t> alignments;
  /// Guards that hold, by what they say, whatever their origin.
  llvm::DenseSet<std::pair<Attribute, std::pair<Value, Value>>> held;
};

class GuardFolder {
public:
  explicit GuardFolder(DispatchOp dispatch) : dispatch(dispatch) {}
  LogicalResult run();

private:
  LogicalResult foldBlock(Block &block, Knowledge &knowledge);
  FailureOr<bool> isImplied(GuardOp guard, Knowledge &knowledge);
  FailureOr<bool> foldCondition(GuardOp guard, const SizeFact &condition,
                                Knowledge &knowledge);
  LogicalResult contradict(GuardOp guard, const Twine &actual,
                           const Twine &expected);

  DispatchOp dispatch;
  /// The guard of the current block that limits an expression.
  llvm::DenseMap<Attribute, GuardOp> rangeGuards;
};
} // namespace

static bool isRange(GuardOp guard) {
  return guard.getKind() == GuardKind::SizeRange ||
         guard.getKind() == GuardKind::Scalar;
}

/// What a guard says without where it comes from.
static std::pair<Attribute, std::pair<Value, Value>> getMeaning(GuardOp guard) {
  NamedAttrList attributes(guard->getAttrDictionary());
  attributes.erase(guard.getOriginAttrName());
  Value first, second;
  if (!guard.getInputs().empty())
    first = guard.getInputs().front();
  if (guard.getInputs().size() > 1) {
    second = guard.getInputs()[1];
    // Two inputs overlap or do not, in either order.
    if (cast<BlockArgument>(second).getArgNumber() <
        cast<BlockArgument>(first).getArgNumber())
      std::swap(first, second);
  }
  return {attributes.getDictionary(guard.getContext()), {first, second}};
}

LogicalResult GuardFolder::contradict(GuardOp guard, const Twine &actual,
                                      const Twine &expected) {
  InFlightDiagnostic error = guard.emitOpError("can never hold: ")
                             << actual << ", expected " << expected;
  if (guard.getOrigin())
    error << " (from " << *guard.getOrigin() << ")";
  if (auto version = guard->getParentOfType<CaseOp>())
    error.attachNote(version.getLoc())
        << "version @" << version.getVersion() << " can never run";
  return error;
}

/// Joins the range of `guard` to the one before it of the same expression.
static void mergeRange(GuardOp into, GuardOp guard) {
  Builder builder(into.getContext());
  auto merge = [&](auto get, auto set, bool larger) {
    std::optional<uint64_t> mine = get(into), other = get(guard);
    if (!other)
      return;
    bool replaces = !mine || (larger ? int64_t(*other) > int64_t(*mine)
                                     : int64_t(*other) < int64_t(*mine));
    if (replaces)
      set(into, *other);
  };
  merge([](GuardOp g) { return g.getMin(); },
        [](GuardOp g, uint64_t v) { g.setMin(v); }, /*larger=*/true);
  merge([](GuardOp g) { return g.getMax(); },
        [](GuardOp g, uint64_t v) { g.setMax(v); }, /*larger=*/false);
  if (!guard.getOrigin())
    return;
  into.setOriginAttr(builder.getStringAttr(
      into.getOrigin() ? *into.getOrigin() + "; " + *guard.getOrigin()
                       : Twine(*guard.getOrigin())));
}

/// Whether a guard about sizes follows from what is known; what it says is
/// known afterwards.
FailureOr<bool> GuardFolder::foldCondition(GuardOp guard,
                                           const SizeFact &condition,
                                           Knowledge &knowledge) {
  SizeRange known = knowledge.ranges.of(condition.subject);
  if (known.isWithin(condition.range))
    return true;
  if (!known.intersect(condition.range))
    return contradict(guard, condition.subject.str() + " is " + known.str(),
                      condition.range.str());
  knowledge.ranges.add(condition.subject, condition.range);
  if (!isRange(guard))
    return false;
  auto [before, isFirst] = rangeGuards.try_emplace(condition.subject, guard);
  if (isFirst)
    return false;
  mergeRange(before->second, guard);
  return true;
}

FailureOr<bool> GuardFolder::isImplied(GuardOp guard, Knowledge &knowledge) {
  if (std::optional<SizeFact> condition = getSizeFact(guard))
    return foldCondition(guard, *condition, knowledge);
  if (guard.getKind() == GuardKind::Rank ||
      guard.getKind() == GuardKind::DType) {
    auto type = cast<ShapedType>(guard.getInputs().front().getType());
    Builder builder(guard.getContext());
    bool isRank = guard.getKind() == GuardKind::Rank;
    Attribute actual =
        isRank ? Attribute(builder.getI64IntegerAttr(type.getRank()))
               : TypeAttr::get(type.getElementType());
    bool equal = isRank ? cast<IntegerAttr>(guard.getValueAttr()).getInt() ==
                              type.getRank()
                        : guard.getValueAttr() == actual;
    if (equal)
      return true;
    std::string is, expected;
    llvm::raw_string_ostream(is) << "it is " << actual;
    llvm::raw_string_ostream(expected) << guard.getValueAttr();
    return contradict(guard, is, expected);
  }
  if (guard.getKind() == GuardKind::Alignment) {
    uint64_t &known = knowledge.alignments[guard.getInputs().front()];
    if (known >= *guard.getDivisor())
      return true;
    known = *guard.getDivisor();
    return false;
  }
  return !knowledge.held.insert(getMeaning(guard)).second;
}

LogicalResult GuardFolder::foldBlock(Block &block, Knowledge &knowledge) {
  rangeGuards.clear();
  for (auto guard : llvm::make_early_inc_range(block.getOps<GuardOp>())) {
    FailureOr<bool> implied = isImplied(guard, knowledge);
    if (failed(implied))
      return failure();
    if (*implied)
      guard.erase();
  }
  return success();
}

LogicalResult GuardFolder::run() {
  Block &body = dispatch.getBody().front();
  Knowledge common(dispatch);
  if (failed(foldBlock(body, common)))
    return failure();
  for (auto version : body.getOps<CaseOp>()) {
    Knowledge knowledge = common;
    if (failed(foldBlock(version.getGuards().front(), knowledge)))
      return failure();
  }
  return success();
}

namespace {
class FoldGuardsPass : public tc::impl::TCFoldGuardsPassBase<FoldGuardsPass> {
public:
  using TCFoldGuardsPassBase::TCFoldGuardsPassBase;

  void runOnOperation() override {
    if (failed(GuardFolder(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
