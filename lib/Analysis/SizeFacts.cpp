//===- SizeFacts.cpp - What guards say of a function's sizes --------------===//

#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

/// Adds what `guard` says of sizes. `translate` gives an expression in the
/// function's symbols for one in the guard's, or null.
void SizeFacts::addGuard(GuardOp guard,
                         function_ref<SizeExpr(SizeExpr)> translate) {
  auto add = [&](SizeExpr expr, SizeRange range) {
    SizeExpr known = translate(expr);
    if (!known || known.isConstant())
      return;
    guarded.emplace_back(known, range);
    ranges.add(known, range);
  };
  SizeExpr size;
  if (!guard.getInputs().empty() && guard.getDim()) {
    auto type = dyn_cast<ShapedType>(guard.getInputs()[0].getType());
    if (!type || *guard.getDim() >= static_cast<uint64_t>(type.getRank()))
      return;
    size = getSizes(type)[*guard.getDim()];
  }
  SizeRange range;
  if (guard.getMin())
    range.min = static_cast<int64_t>(*guard.getMin());
  if (guard.getMax())
    range.max = static_cast<int64_t>(*guard.getMax());
  switch (guard.getKind()) {
  case GuardKind::SizeEqual:
    if (auto value = guard.getExpr()->getConstant())
      return add(size, SizeRange::constant(*value));
    return add(size.sub(*guard.getExpr()), SizeRange::constant(0));
  case GuardKind::SizeRange:
    return add(size, range);
  case GuardKind::SizeMultiple:
    range.divisor = static_cast<int64_t>(*guard.getDivisor());
    return add(size, range);
  case GuardKind::Scalar:
    if (guard.getInputs().empty() && guard.getExpr())
      add(*guard.getExpr(), range);
    return;
  default:
    return;
  }
}

void SizeFacts::addSizeGuard(SizeGuardOp guard) {
  SizePrecondition condition = guard.getPrecondition();
  // Where it may not be asked for, nothing follows yet.
  if (condition.where && !condition.where.isConstant()) {
    conditional.push_back(condition);
    return;
  }
  if (condition.where && condition.where.getValue() < 1)
    return;
  SizeExpr fact = condition.value.sub(condition.bound);
  SizeRange range;
  switch (condition.relation) {
  case SizeRelation::AtLeast:
    range.min = 0;
    break;
  case SizeRelation::AtMost:
    range.max = 0;
    break;
  case SizeRelation::Equal:
    range = SizeRange::constant(0);
    break;
  case SizeRelation::MultipleOf:
    if (!condition.bound.isConstant() || condition.bound.getValue() < 1)
      return;
    fact = condition.value;
    range.divisor = condition.bound.getValue();
    break;
  }
  if (fact.isConstant())
    return;
  guarded.emplace_back(fact, range);
  ranges.add(fact, range);
}

/// An expression in a dispatch's symbols, in those of one of its versions: what
/// an argument's size is for the one it is for the other.
static SizeExpr translateToVersion(SizeExpr expr, DispatchOp dispatch,
                                   func::FuncOp version) {
  bool isKnown = true;
  SizeExpr translated = expr.substitute([&](StringRef symbol) -> SizeExpr {
    auto named = SizeExpr::named(expr.getContext(), symbol);
    for (auto [from, to] :
         llvm::zip(dispatch.getArgumentTypes(), version.getArgumentTypes())) {
      auto general = dyn_cast<ShapedType>(from), own = dyn_cast<ShapedType>(to);
      if (!general || !own)
        continue;
      for (auto [size, same] : llvm::zip(getSizes(general), getSizes(own)))
        if (size == named)
          return same;
    }
    isKnown = false;
    return named;
  });
  return isKnown ? translated : SizeExpr();
}

/// Adds the data-dependent symbols that an op, or one in it, is about.
static void addDataDependentSymbols(Operation *op, llvm::StringSet<> &symbols) {
  op->walk([&](Operation *inner) {
    for (Type type : inner->getOperandTypes())
      for (StringAttr symbol : getDataDependentSymbols(type))
        symbols.insert(symbol.getValue());
    walkDataDependentSymbols(inner,
                             [&](StringRef symbol) { symbols.insert(symbol); });
  });
}

/// The guards of a function, `tc.guard` and `tc.size_guard`, that are checked
/// before a kernel is about the sizes that they name: on entry, or behind the
/// last `tc.size_from` of their symbols.
static SmallVector<Operation *> getGuardsBeforeUse(Block &body) {
  SmallVector<Operation *> guards;
  bool dependsOnData = !body.getOps<SizeFromOp>().empty();
  llvm::StringSet<> used;
  auto isEarly = [&](ArrayRef<SizeExpr> exprs) {
    bool isUnused = true;
    for (SizeExpr expr : exprs)
      expr.walkSymbols(
          [&](StringRef name) { isUnused &= !used.contains(name); });
    return isUnused;
  };
  for (Operation &op : body) {
    if (auto guard = dyn_cast<GuardOp>(op)) {
      if (!guard.getExpr() || isEarly(*guard.getExpr()))
        guards.push_back(guard);
    } else if (auto guard = dyn_cast<SizeGuardOp>(op)) {
      if (isEarly(guard.getPrecondition().getExpressions()))
        guards.push_back(guard);
    } else if (dependsOnData && isa<KernelOp, IfOp>(op)) {
      addDataDependentSymbols(&op, used);
    }
  }
  return guards;
}

SizeFacts::SizeFacts(Operation *function) : ranges(function) {
  auto version = dyn_cast<func::FuncOp>(function);
  if (!version || version.isDeclaration())
    return;
  for (Operation *op : getGuardsBeforeUse(version.front()))
    if (auto guard = dyn_cast<GuardOp>(op))
      addGuard(guard, [](SizeExpr expr) { return expr; });
    else
      addSizeGuard(cast<SizeGuardOp>(op));
  auto of = version->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
  auto module = version->getParentOfType<ModuleOp>();
  auto dispatch = of && module ? module.lookupSymbol<DispatchOp>(of.getAttr())
                               : DispatchOp();
  if (!dispatch)
    return;
  auto translate = [&](SizeExpr expr) {
    return translateToVersion(expr, dispatch, version);
  };
  for (auto guard : dispatch.getBody().front().getOps<GuardOp>())
    addGuard(guard, translate);
  // A function may be the version of several cases, or of `tc.otherwise` too.
  SmallVector<StringRef> versions = dispatch.getVersions();
  if (llvm::count(versions, version.getName()) != 1)
    return;
  for (auto chosen : dispatch.getBody().front().getOps<CaseOp>())
    if (chosen.getVersion() == version.getName())
      for (auto guard : chosen.getGuards().front().getOps<GuardOp>())
        addGuard(guard, translate);
}

SizeFacts::SizeFacts(DispatchOp dispatch, CaseOp chosen) : ranges(dispatch) {
  auto same = [](SizeExpr expr) { return expr; };
  for (auto guard : dispatch.getBody().front().getOps<GuardOp>())
    addGuard(guard, same);
  if (chosen)
    for (auto guard : chosen.getGuards().front().getOps<GuardOp>())
      addGuard(guard, same);
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

namespace {
/// Compares the inputs of a dispatch with those of a version that it runs.
class CaseVerifier {
public:
  CaseVerifier(Operation *user, func::FuncOp version, const SizeFacts &facts)
      : user(user), version(version), facts(facts), prover(facts) {}

  LogicalResult run(TypeRange given);

private:
  LogicalResult checkSizes(unsigned input, ShapedType given, ShapedType own);
  LogicalResult checkSymbols();
  InFlightDiagnostic fail() {
    return user->emitOpError("runs @") << version.getName() << ", ";
  }

  Operation *user;
  func::FuncOp version;
  const SizeFacts &facts;
  SizeProver prover;
  /// What the version's symbols are in the dispatch.
  llvm::StringMap<SizeExpr> values;
};
} // namespace

LogicalResult CaseVerifier::checkSizes(unsigned input, ShapedType given,
                                       ShapedType own) {
  for (auto [dim, sizes] :
       llvm::enumerate(llvm::zip_equal(getSizes(given), getSizes(own)))) {
    auto [size, wanted] = sizes;
    SizeExpr expected = wanted.substitute([&](StringRef name) {
      auto found = values.find(name);
      return found == values.end() ? SizeExpr() : found->second;
    });
    if (prover.isAtMost(size, expected) && prover.isAtMost(expected, size))
      continue;
    return fail() << "which takes size " << wanted.str() << " in dimension "
                  << dim << " of input " << input
                  << ", but the guards let other values of " << size.str()
                  << " through; add a guard, or change the version's type";
  }
  return success();
}

LogicalResult CaseVerifier::checkSymbols() {
  auto declared = version->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!declared)
    return success();
  for (auto symbol : declared.getAsRange<tc::SymbolAttr>()) {
    SizeExpr value = values.lookup(symbol.getName());
    if (!value)
      continue;
    SizeRange wanted{symbol.getMin(), symbol.getMax(), symbol.getDivisor()};
    SizeRange known = facts.getRanges().of(value);
    known.min = std::max<int64_t>(known.min, 0); // it is a size
    if (known.isWithin(wanted))
      continue;
    return fail() << "whose symbol " << symbol.getName() << " is "
                  << wanted.str() << ", but by the guards " << value.str()
                  << " is " << known.str()
                  << "; add a guard, or change the version's tc.symbols";
  }
  return success();
}

LogicalResult CaseVerifier::run(TypeRange given) {
  if (given.size() != version.getNumArguments())
    return fail() << "which has " << version.getNumArguments()
                  << " inputs, expected " << given.size();
  for (auto [index, types] :
       llvm::enumerate(llvm::zip_equal(given, version.getArgumentTypes()))) {
    auto from = dyn_cast<ShapedType>(std::get<0>(types)),
         to = dyn_cast<ShapedType>(std::get<1>(types));
    if (!from || !to || !from.hasRank() || !to.hasRank() ||
        from.getRank() != to.getRank() ||
        from.getElementType() != to.getElementType())
      return fail() << "whose input " << index << " has type "
                    << std::get<1>(types) << ", expected a version of "
                    << std::get<0>(types);
    for (auto [size, own] : llvm::zip_equal(getSizes(from), getSizes(to)))
      if (own.getKind() == SizeExprKind::Symbol)
        values.try_emplace(own.getSymbol().getValue(), size);
  }
  for (auto [index, types] :
       llvm::enumerate(llvm::zip_equal(given, version.getArgumentTypes())))
    if (failed(checkSizes(index, cast<ShapedType>(std::get<0>(types)),
                          cast<ShapedType>(std::get<1>(types)))))
      return failure();
  return checkSymbols();
}

LogicalResult tc::verifyCases(DispatchOp dispatch) {
  auto module = dispatch->getParentOfType<ModuleOp>();
  auto verify = [&](Operation *user, StringRef name, CaseOp chosen) {
    auto version = module.lookupSymbol<func::FuncOp>(name);
    if (!version)
      return success();
    SizeFacts facts(dispatch, chosen);
    return CaseVerifier(user, version, facts).run(dispatch.getArgumentTypes());
  };
  for (auto chosen : dispatch.getBody().front().getOps<CaseOp>())
    if (failed(verify(chosen, chosen.getVersion(), chosen)))
      return failure();
  OtherwiseOp otherwise = dispatch.getOtherwise();
  return verify(otherwise, otherwise.getVersion(), CaseOp());
}
