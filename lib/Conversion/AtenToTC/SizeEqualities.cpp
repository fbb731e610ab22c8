//===- SizeEqualities.cpp - sizes that calls need to be equal -------------===//

#include "SizeEqualities.h"

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"

using namespace mlir;
using namespace tc;
using namespace tc::aten;

void SizeEqualities::require(SizeExpr left, SizeExpr right, Location location,
                             StringRef target) {
  SizeExpr difference = left.sub(right);
  if (!difference.isConstant(0) && isPolynomial(difference))
    equalities.push_back({left, right, location, target.str()});
}

/// The symbols that are sizes of arguments.
static SmallVector<StringRef> getArgumentSymbols(func::FuncOp function) {
  SmallVector<StringRef> symbols;
  for (Type type : function.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (SizeExpr size : getSizes(tensor))
        if (size.getKind() == SizeExprKind::Symbol)
          symbols.push_back(size.getSymbol());
  return symbols;
}

void SizeEqualities::substitute(StringRef symbol, SizeExpr replacement) {
  auto valueOf = [&](StringRef name) {
    return name == symbol ? replacement : SizeExpr();
  };
  substituteSymbols(function, valueOf);
  for (Equality &equality : equalities) {
    equality.left = equality.left.substitute(valueOf);
    equality.right = equality.right.substitute(valueOf);
  }
  auto declarations = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!declarations)
    return;
  SmallVector<Attribute> remaining;
  for (auto declared : declarations.getAsRange<tc::SymbolAttr>())
    if (declared.getName() != symbol)
      remaining.push_back(declared);
  function->setAttr(kSymbolsAttr,
                    ArrayAttr::get(function.getContext(), remaining));
}

SizeFromOp tc::aten::findLastDefinition(func::FuncOp function, SizeExpr size) {
  SizeFromOp last;
  size.walkSymbols([&](StringRef name) {
    SizeFromOp definition = findSizeFrom(function, name);
    if (definition && (!last || last->isBeforeInBlock(definition)))
      last = definition;
  });
  return last;
}

/// Erases reshapes to the sizes that there are.
static void eraseTrivialReshapes(func::FuncOp function) {
  SmallVector<ReshapeOp> trivial;
  function.walk([&](ReshapeOp op) {
    if (op.getX().getType() == op.getType())
      trivial.push_back(op);
  });
  for (ReshapeOp op : trivial) {
    op.replaceAllUsesWith(op.getX());
    op.erase();
  }
}

/// Makes the call check that sizes that depend on data are equal, as soon as it
/// has them; until then they stay two expressions.
void SizeEqualities::checkInCall(const Equality &equality) {
  SizeExpr difference = equality.left.sub(equality.right);
  SizeFromOp last = findLastDefinition(function, difference);
  if (!last || !checked.insert(difference).second)
    return; // what no op defines is refused by the verifier
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(last);
  GuardOp::create(builder, equality.location, GuardKind::Scalar, ValueRange(),
                  IntegerAttr(), Attribute(), difference,
                  builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(0),
                  IntegerAttr(),
                  builder.getStringAttr("sizes of '" + equality.target + "'"));
}

LogicalResult SizeEqualities::apply(const Equality &equality) {
  SizeExpr difference = equality.left.sub(equality.right);
  if (difference.isConstant(0))
    return success();
  if (isDataDependent(difference)) {
    checkInCall(equality);
    return success();
  }
  SmallVector<StringRef> symbols = getArgumentSymbols(function);
  for (StringRef symbol : symbols) {
    std::optional<SizeExpr> value = solveFor(symbol, difference);
    if (!value)
      continue;
    bool isBound = true;
    value->walkSymbols(
        [&](StringRef name) { isBound &= llvm::is_contained(symbols, name); });
    if (!isBound)
      continue;
    substitute(symbol, *value);
    return success();
  }
  return emitError(equality.location)
         << "'" << equality.target << "' takes the sizes "
         << equality.left.str() << " and " << equality.right.str()
         << " as equal, and no size of an argument follows from that; compare "
            "single sizes of inputs in the model, with torch._check("
            "a.shape[0] == b.shape[0]), before the export";
}

LogicalResult SizeEqualities::apply() {
  for (size_t index = 0; index < equalities.size(); ++index)
    if (failed(apply(Equality(equalities[index]))))
      return failure();
  if (equalities.empty())
    return success();
  eraseTrivialReshapes(function);
  return success();
}

void tc::aten::setResultTypes(func::FuncOp function) {
  Operation *end = function.getBody().back().getTerminator();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(),
                                     end->getOperandTypes()));
}

/// The value that the guard gives the symbol of `definition`, which is
/// before it with only guards between; null where it gives no single one.
static SizeExpr getGuardedValue(GuardOp guard, SizeFromOp definition) {
  if (guard.getMin() != 0 || guard.getMax() != 0)
    return SizeExpr();
  for (Operation *op = guard->getPrevNode(); op != definition;
       op = op->getPrevNode())
    if (!isa_and_nonnull<GuardOp>(op))
      return SizeExpr();
  return solveFor(definition.getSymbol(), *guard.getExpr())
      .value_or(SizeExpr());
}

void tc::aten::substituteGuardedSizes(func::FuncOp function) {
  if (function.isDeclaration())
    return;
  bool anyIsKnown = false;
  for (auto guard : function.getBody().getOps<GuardOp>()) {
    if (!guard.getExpr() || !guard.getInputs().empty())
      continue;
    SizeFromOp definition = findLastDefinition(function, *guard.getExpr());
    if (!definition || definition->getBlock() != guard->getBlock())
      continue;
    SizeExpr value = getGuardedValue(guard, definition);
    if (!value)
      continue;
    anyIsKnown = true;
    auto valueOf = [&](StringRef name) {
      return name == definition.getSymbol() ? value : SizeExpr();
    };
    for (Operation *op = guard->getNextNode(); op; op = op->getNextNode())
      substituteSymbols(op, valueOf);
  }
  if (!anyIsKnown)
    return;
  setResultTypes(function);
  eraseTrivialReshapes(function);
}
