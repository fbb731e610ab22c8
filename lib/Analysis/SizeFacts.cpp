//===- SizeFacts.cpp - What guards say of a function's sizes --------------===//

#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

using Guarded = SmallVector<std::pair<SizeExpr, SizeRange>>;

/// Adds what `guard` says of sizes. `translate` gives an expression in the
/// function's symbols for one in the guard's, or null.
static void addGuard(GuardOp guard, function_ref<SizeExpr(SizeExpr)> translate,
                     Guarded &guarded) {
  auto add = [&](SizeExpr expr, SizeRange range) {
    if (SizeExpr known = translate(expr))
      guarded.emplace_back(known, range);
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
    walkDataDependentSymbols(
        inner, [&](StringRef symbol) { symbols.insert(symbol); });
  });
}

/// The guards of a function that are checked before a kernel is about the sizes
/// that they name: on entry, or behind the last `tc.size_from` of their symbols.
static SmallVector<GuardOp> getGuardsBeforeUse(Block &body) {
  SmallVector<GuardOp> guards;
  bool dependsOnData = !body.getOps<SizeFromOp>().empty();
  llvm::StringSet<> used;
  for (Operation &op : body) {
    if (auto guard = dyn_cast<GuardOp>(op)) {
      bool isEarly = true;
      if (guard.getExpr())
        guard.getExpr()->walkSymbols(
            [&](StringRef name) { isEarly &= !used.contains(name); });
      if (isEarly)
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
  for (GuardOp guard : getGuardsBeforeUse(version.front()))
    addGuard(guard, [](SizeExpr expr) { return expr; }, guarded);
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
    addGuard(guard, translate, guarded);
  // A function may be the version of several cases, or of `tc.otherwise` too.
  SmallVector<StringRef> versions = dispatch.getVersions();
  if (llvm::count(versions, version.getName()) != 1)
    return;
  for (auto chosen : dispatch.getBody().front().getOps<CaseOp>())
    if (chosen.getVersion() == version.getName())
      for (auto guard : chosen.getGuards().front().getOps<GuardOp>())
        addGuard(guard, translate, guarded);
}
