//===- SizeFacts.cpp - What guards say of a function's sizes --------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

SizeFacts::Condition SizeFacts::toKey(const SizePrecondition &condition) {
  return {{condition.value, condition.bound},
          {condition.where, static_cast<int>(condition.relation)}};
}

void SizeFacts::addFact(SizeExpr expr, const SizeRange &range) {
  if (expr.isConstant())
    return;
  isImpossible |= !ranges.of(expr).intersect(range);
  guarded.emplace_back(expr, range);
  ranges.add(expr, range);
  // What has no rest is a multiple.
  if (expr.getKind() == SizeExprKind::Mod && range.min == 0 && range.max == 0)
    if (auto divisor = cast<SizeExpr>(expr.getOperands()[1]).getConstant();
        divisor && *divisor >= 1)
      addFact(cast<SizeExpr>(expr.getOperands()[0]),
              {INT64_MIN, INT64_MAX, *divisor});
}

/// Adds what `guard` says of sizes. `translate` gives an expression in the
/// function's symbols for one in the guard's, or null.
void SizeFacts::addGuard(GuardOp guard,
                         function_ref<SizeExpr(SizeExpr)> translate) {
  if (!guard.getInputs().empty() && guard.getDim()) {
    auto type = dyn_cast<ShapedType>(guard.getInputs()[0].getType());
    if (!type || *guard.getDim() >= static_cast<uint64_t>(type.getRank()))
      return;
  }
  if (std::optional<SizeFact> fact = getSizeFact(guard))
    if (SizeExpr known = translate(fact->subject))
      addFact(known, fact->range);
}

void SizeFacts::addCondition(const SizePrecondition &condition) {
  stated.insert(toKey(condition));
  // Where it may not be asked for, nothing follows yet.
  if (condition.where && !condition.where.isConstant()) {
    conditional.push_back(condition);
    return;
  }
  if (condition.where && condition.where.getValue() < 1)
    return;
  SizeExpr difference = condition.value.sub(condition.bound);
  switch (condition.relation) {
  case SizeRelation::AtLeast:
    return addFact(difference, {0, INT64_MAX, 1});
  case SizeRelation::AtMost:
    return addFact(difference, {INT64_MIN, 0, 1});
  case SizeRelation::Equal:
    return addFact(difference, SizeRange::constant(0));
  case SizeRelation::MultipleOf:
    if (condition.bound.isConstant() && condition.bound.getValue() >= 1)
      addFact(condition.value,
              {INT64_MIN, INT64_MAX, condition.bound.getValue()});
  }
}

void SizeFacts::findDivisors() {
  for (tc::SymbolAttr symbol : symbols) {
    MLIRContext *context = symbol.getContext();
    SizeRange range = ranges.of(SizeExpr::named(context, symbol.getName()));
    if (range.divisor <= 1)
      continue;
    auto end = [&](int64_t value) {
      return value == INT64_MIN || value == INT64_MAX ? value
                                                      : value / range.divisor;
    };
    // The ends of a range are multiples themselves.
    auto part = SizeExpr::named(context, symbol.getName().str() + "/" +
                                             std::to_string(range.divisor));
    ranges.add(part, {end(range.min), end(range.max), 1});
    multiples[symbol.getName()] = part.mul(range.divisor);
  }
  if (!multiples.empty())
    for (auto [expr, range] : guarded)
      if (SizeExpr same = normalize(expr); !same.isConstant())
        ranges.add(same, range);
}

SizeExpr SizeFacts::normalize(SizeExpr expr) const {
  return multiples.empty() ? expr : expr.substitute([&](StringRef name) {
    return multiples.lookup(name);
  });
}

void SizeFacts::assume(const SizePrecondition &condition) {
  addCondition(condition);
  findDivisors();
}

void SizeFacts::assumeAsked(SizeExpr where) {
  addFact(where.add(-1), {0, INT64_MAX, 1});
  for (SizeExpr size : getFactors(where))
    if (size != where && ranges.of(size).min >= 0)
      addFact(size, {1, INT64_MAX, 1});
  findDivisors();
}

bool SizeFacts::states(const SizePrecondition &condition) const {
  return stated.contains(toKey(condition));
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
/// before a kernel is about the sizes that they name: on entry, or after the
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
    } else if (dependsOnData && isa<KernelOp, IfOp, WhileOp>(op)) {
      addDataDependentSymbols(&op, used);
    }
  }
  return guards;
}

bool SizeFacts::addGuard(Operation &op) {
  if (!isa<GuardOp, SizeGuardOp>(op) || !added.insert(&op).second)
    return false;
  if (auto guard = dyn_cast<GuardOp>(op))
    addGuard(guard, [](SizeExpr expr) { return expr; });
  else
    addCondition(cast<SizeGuardOp>(op).getPrecondition());
  return true;
}

void SizeFacts::addGuards(Block &block) {
  for (Operation *op : getGuardsBeforeUse(block))
    addGuard(*op);
}

void SizeFacts::pass(Operation &op) {
  if (addGuard(op))
    findDivisors();
}

SizeFacts SizeFacts::before(Operation *op) const {
  SizeFacts facts = *this;
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      break;
    facts.addGuard(other);
  }
  facts.findDivisors();
  return facts;
}

SizeFacts SizeFacts::in(Block &branch) const {
  SizeFacts facts = *this;
  facts.addGuards(branch);
  facts.findDivisors();
  return facts;
}

/// The dispatch that `version` is a version of; null for another function.
static DispatchOp getDispatch(func::FuncOp version) {
  auto of = version->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
  auto module = version->getParentOfType<ModuleOp>();
  return of && module ? module.lookupSymbol<DispatchOp>(of.getAttr())
                      : DispatchOp();
}

/// Adds what a dispatch lets through to one of its versions.
void SizeFacts::addGuards(DispatchOp dispatch, func::FuncOp version) {
  auto add = [&](Block &guards) {
    for (auto guard : guards.getOps<GuardOp>())
      addGuard(guard, [&](SizeExpr expr) {
        return translateToVersion(expr, dispatch, version);
      });
  };
  add(dispatch.getBody().front());
  // A function may be the version of several cases, or of `tc.otherwise` too.
  if (llvm::count(dispatch.getVersions(), version.getName()) != 1)
    return;
  for (auto chosen : dispatch.getBody().front().getOps<CaseOp>())
    if (chosen.getVersion() == version.getName())
      add(chosen.getGuards().front());
}

SizeFacts::SizeFacts(Operation *function)
    : symbols(getDeclaredSymbols(function)), ranges(symbols) {
  auto version = dyn_cast<func::FuncOp>(function);
  if (version && !version.isDeclaration()) {
    addGuards(version.front());
    if (DispatchOp dispatch = getDispatch(version))
      addGuards(dispatch, version);
  }
  findDivisors();
}

SizeFacts::SizeFacts(DispatchOp dispatch, CaseOp chosen)
    : symbols(getDeclaredSymbols(dispatch)), ranges(symbols) {
  auto same = [](SizeExpr expr) { return expr; };
  for (auto guard : dispatch.getBody().front().getOps<GuardOp>())
    addGuard(guard, same);
  if (chosen)
    for (auto guard : chosen.getGuards().front().getOps<GuardOp>())
      addGuard(guard, same);
  findDivisors();
}

std::optional<OpPrecondition>
tc::findImpossible(Operation *root, function_ref<SizeExpr(StringRef)> valueOf) {
  std::optional<OpPrecondition> found;
  root->walk([&](SizePreconditionsOpInterface op) {
    for (SizePrecondition &condition : op.getSizePreconditions()) {
      condition.value = condition.value.substitute(valueOf);
      condition.bound = condition.bound.substitute(valueOf);
      if (condition.where)
        condition.where = condition.where.substitute(valueOf);
      if (condition.decide() == false) {
        found = {op, condition};
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return found;
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
