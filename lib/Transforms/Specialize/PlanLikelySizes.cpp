//===- PlanLikelySizes.cpp - tc-plan-likely-sizes -------------------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Dialect/TC/IR/DataDependentSymbols.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPLANLIKELYSIZESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The symbols that are the last size of an input of two and more dimensions.
static llvm::StringSet<> findRowSymbols(func::FuncOp function) {
  llvm::StringSet<> names;
  for (Type input : function.getArgumentTypes()) {
    auto type = dyn_cast<RankedTensorType>(input);
    if (!type || type.getRank() < 2)
      continue;
    if (StringAttr symbol = getSizes(type).back().getSymbol())
      names.insert(symbol);
  }
  return names;
}

/// The row lengths of `function`, as far as likely ones are known.
static SmallVector<tc::SymbolAttr> getLikelyRows(func::FuncOp function,
                                                 ArrayAttr declared) {
  llvm::StringSet<> names = findRowSymbols(function);
  SmallVector<tc::SymbolAttr> rows;
  for (auto symbol : declared.getAsRange<tc::SymbolAttr>()) {
    int64_t likely = symbol.getLikely();
    bool isKnown = likely > 0 && likely % symbol.getDivisor() == 0 &&
                   !isDataDependent(symbol.getName());
    if (isKnown && names.contains(symbol.getName()))
      rows.push_back(tc::SymbolAttr::get(function.getContext(),
                                         symbol.getName(), likely, likely,
                                         /*divisor=*/1, /*likely=*/0));
  }
  return rows;
}

/// Whether everything in `function` may have the sizes of `rows`.
static bool arePossible(func::FuncOp function, ArrayRef<tc::SymbolAttr> rows) {
  llvm::StringMap<int64_t> values;
  for (tc::SymbolAttr row : rows)
    values[row.getName()] = row.getMin();
  return !findImpossible(function, [&](StringRef symbol) -> SizeExpr {
    auto found = values.find(symbol);
    return found == values.end()
               ? SizeExpr()
               : SizeExpr::constant(function.getContext(), found->second);
  });
}

namespace {
class PlanLikelySizesPass
    : public tc::impl::TCPlanLikelySizesPassBase<PlanLikelySizesPass> {
public:
  using TCPlanLikelySizesPassBase::TCPlanLikelySizesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
    if (!declared || function.isDeclaration() || !function.isPublic() ||
        function->hasAttr(kSpecializationsAttr) ||
        function->hasAttr(kVersionOfAttr) || isLong(function))
      return markAllAnalysesPreserved();
    SmallVector<tc::SymbolAttr> rows = getLikelyRows(function, declared);
    if (rows.empty() || !arePossible(function, rows))
      return markAllAnalysesPreserved();
    auto version = ArrayAttr::get(
        &getContext(), SmallVector<Attribute>(rows.begin(), rows.end()));
    function->setAttr(kSpecializationsAttr,
                      ArrayAttr::get(&getContext(), {version}));
  }

private:
  /// Whether `function` has more ops than are worth compiling twice.
  bool isLong(func::FuncOp function) const {
    unsigned ops = 0;
    WalkResult result = function.walk([&](Operation *) {
      return ++ops > mostOps ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result.wasInterrupted();
  }
};
} // namespace
