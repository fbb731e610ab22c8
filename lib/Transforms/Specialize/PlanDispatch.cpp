//===- PlanDispatch.cpp - tc-plan-dispatch --------------------------------===//

#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPLANDISPATCHPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether a guard is about the function's inputs and their sizes alone.
static bool isAboutInputs(GuardOp guard) {
  if (guard.getExpr() && isDataDependent(*guard.getExpr()))
    return false;
  return llvm::all_of(guard.getInputs(), llvm::IsaPred<BlockArgument>);
}

/// The guards at the begin of a function that its dispatch can check.
static SmallVector<GuardOp> getInputGuards(func::FuncOp function) {
  return llvm::to_vector(
      llvm::make_filter_range(function.getOps<GuardOp>(), isAboutInputs));
}

/// The input and dimension whose size is exactly the symbol.
static std::optional<std::pair<BlockArgument, unsigned>>
findSize(Block &entry, StringRef symbol) {
  for (BlockArgument argument : entry.getArguments())
    for (auto [dim, size] :
         llvm::enumerate(getSizes(cast<ShapedType>(argument.getType()))))
      if (size.getKind() == SizeExprKind::Symbol &&
          size.getSymbol().getValue() == symbol)
        return std::pair(argument, unsigned(dim));
  return std::nullopt;
}

namespace {
/// Writes the guards that a symbol's narrower range needs.
class GuardBuilder {
public:
  GuardBuilder(OpBuilder &builder, Location loc, Block &entry,
               tc::SymbolAttr symbol, StringRef version)
      : builder(builder), loc(loc), symbol(symbol),
        size(findSize(entry, symbol.getName())),
        origin(builder.getStringAttr("specialisation " + version)) {}

  void build() {
    if (symbol.getMin() == symbol.getMax())
      return buildEqual();
    if (symbol.getMin() > 0 || symbol.getMax() != INT64_MAX)
      buildRange();
    if (symbol.getDivisor() > 1)
      buildMultiple();
  }

private:
  SizeExpr named() {
    return SizeExpr::named(builder.getContext(), symbol.getName());
  }
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(builder.getContext(), value);
  }
  /// A guard of `kind` about the size, or one about an expression in it.
  GuardOp make(GuardKind kind, SizeExpr expr) {
    auto guard =
        GuardOp::create(builder, loc, size ? kind : GuardKind::Scalar,
                        size ? ValueRange(size->first) : ValueRange(),
                        IntegerAttr(), Attribute(), size ? SizeExpr() : expr,
                        IntegerAttr(), IntegerAttr(), IntegerAttr(), origin);
    if (size)
      guard.setDim(size->second);
    return guard;
  }
  void setRange(GuardOp guard, int64_t min, int64_t max) {
    guard.setMin(min);
    guard.setMax(max);
  }
  void buildEqual() {
    GuardOp guard = make(GuardKind::SizeEqual, named());
    if (size)
      guard.setExprAttr(constant(symbol.getMin()));
    else
      setRange(guard, symbol.getMin(), symbol.getMax());
  }
  void buildRange() {
    setRange(make(GuardKind::SizeRange, named()), symbol.getMin(),
             symbol.getMax());
  }
  void buildMultiple() {
    GuardOp guard = make(GuardKind::SizeMultiple,
                         named().mod(constant(symbol.getDivisor())));
    if (size)
      guard.setDivisor(symbol.getDivisor());
    else
      setRange(guard, 0, 0);
  }

  OpBuilder &builder;
  Location loc;
  tc::SymbolAttr symbol;
  std::optional<std::pair<BlockArgument, unsigned>> size;
  StringAttr origin;
};
} // namespace

/// An empty dispatch that looks like `function` to callers.
static DispatchOp createDispatch(OpBuilder &builder, func::FuncOp function,
                                 StringRef name) {
  auto dispatch = DispatchOp::create(
      builder, function.getLoc(), name, function.getFunctionType(),
      function.getSymVisibilityAttr(), function.getArgAttrsAttr(),
      function.getResAttrsAttr());
  for (StringRef key : {kSymbolsAttr, kSignatureAttr})
    if (Attribute value = function->getAttr(key))
      dispatch->setAttr(key, value);
  Block &body = dispatch.getBody().emplaceBlock();
  for (BlockArgument argument : function.getArguments())
    body.addArgument(argument.getType(), argument.getLoc());
  return dispatch;
}

static LogicalResult planDispatch(func::FuncOp function,
                                  ArrayRef<func::FuncOp> versions,
                                  SymbolTable &table) {
  std::string name = function.getName().str();
  std::string general = name + ".general";
  if (table.lookup(general))
    return function.emitError()
           << "function '" << name << "' has versions, but the name '"
           << general << "' is taken";
  if (failed(table.rename(function, StringRef(general))))
    return function.emitError()
           << "function '" << name << "' has uses that cannot be renamed";
  OpBuilder builder(function);
  DispatchOp dispatch = createDispatch(builder, function, name);
  table.insert(dispatch);
  auto own = FlatSymbolRefAttr::get(dispatch);
  function->setAttr(kVersionOfAttr, own);

  Block &body = dispatch.getBody().front();
  builder.setInsertionPointToEnd(&body);
  IRMapping mapping;
  mapping.map(function.getArguments(), body.getArguments());
  for (GuardOp guard : getInputGuards(function)) {
    builder.clone(*guard, mapping);
    guard.erase();
  }
  for (func::FuncOp version : versions) {
    version->setAttr(kVersionOfAttr, own); // it was renamed with its function
    for (GuardOp guard : getInputGuards(version))
      guard.erase();
    auto taken = CaseOp::create(builder, version.getLoc(), version.getName());
    OpBuilder::InsertionGuard restore(builder);
    builder.createBlock(&taken.getGuards());
    auto symbols = version->getAttrOfType<ArrayAttr>(kSpecializationAttr);
    if (!symbols)
      return version.emitError()
             << "function '" << version.getName() << "' is a version of '"
             << name << "' without tc.specialization, which says when it runs";
    for (auto symbol : symbols.getAsRange<tc::SymbolAttr>())
      GuardBuilder(builder, version.getLoc(), body, symbol, version.getName())
          .build();
  }
  OtherwiseOp::create(builder, function.getLoc(), function.getName());
  return success();
}

namespace {
class PlanDispatchPass
    : public tc::impl::TCPlanDispatchPassBase<PlanDispatchPass> {
public:
  using TCPlanDispatchPassBase::TCPlanDispatchPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<StringAttr, SmallVector<func::FuncOp>> versions;
    for (auto function : module.getOps<func::FuncOp>())
      if (auto of = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr))
        versions[of.getAttr()].push_back(function);
    if (versions.empty())
      return markAllAnalysesPreserved();
    SymbolTable table(module);
    for (auto &[name, list] : versions)
      // A dispatch that is there already stays as it is.
      if (auto function = table.lookup<func::FuncOp>(name))
        if (failed(planDispatch(function, list, table)))
          return signalPassFailure();
  }
};
} // namespace
