//===- DataDependentSizes.cpp - Sizes that only the call knows ------------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

SizeFromOp tc::findSizeFrom(Operation *op, StringRef symbol) {
  auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op)
                                        : op->getParentOfType<func::FuncOp>();
  if (!function || function.isDeclaration())
    return nullptr;
  for (auto definition : function.front().getOps<SizeFromOp>())
    if (definition.getSymbol() == symbol)
      return definition;
  return nullptr;
}

void tc::walkDataDependentSymbols(Operation *op,
                                  function_ref<void(StringRef)> visit) {
  for (Type type : op->getResultTypes())
    for (StringAttr symbol : getDataDependentSymbols(type))
      visit(symbol);
  op->getAttrDictionary().walk([&](SizeExpr size) {
    if (size.getKind() == SizeExprKind::Symbol &&
        isDataDependent(size.getSymbol().getValue()))
      visit(size.getSymbol().getValue());
  });
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether the function declares the symbol.
static bool isDeclared(Operation *function, StringRef name) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  return symbols &&
         llvm::any_of(symbols.getAsRange<tc::SymbolAttr>(),
                      [&](auto symbol) { return symbol.getName() == name; });
}

LogicalResult SizeFromOp::verify() {
  StringRef name = getSymbol();
  if (!isDataDependent(name))
    return emitOpError("defines '")
           << name << "'; the name of a data-dependent symbol is u and a "
           << "number, as u0";
  auto function = dyn_cast_or_null<func::FuncOp>((*this)->getParentOp());
  if (!function || (*this)->getBlock() != &function.front())
    return emitOpError("is in a region; expected it in the body of a "
                       "function, where all that follows sees '")
           << name << "'";
  if (!isDeclared(function, name))
    return emitOpError("defines '")
           << name << "', which 'tc.symbols' of @" << function.getSymName()
           << " does not declare";
  return success();
}

LogicalResult tc::verifyDataDependentSymbols(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  auto declared = op->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!function || function.isDeclaration() || !declared)
    return success();
  llvm::StringSet<> unknown; // data-dependent, and not defined yet
  for (auto symbol : declared.getAsRange<tc::SymbolAttr>())
    if (isDataDependent(symbol.getName()))
      unknown.insert(symbol.getName());
  if (unknown.empty())
    return success();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    for (StringAttr symbol : getDataDependentSymbols(type))
      return function.emitError()
             << "argument " << index << " has the type " << type << ", but '"
             << symbol.getValue()
             << "' is known only when the function runs; expected symbols "
                "that are not u and a number";
  llvm::StringSet<> defined;
  WalkResult walked = function.walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner == op)
      return WalkResult::advance();
    if (auto definition = dyn_cast<SizeFromOp>(inner)) {
      if (!defined.insert(definition.getSymbol()).second)
        return WalkResult(definition.emitOpError("defines '")
                          << definition.getSymbol() << "' once more");
      unknown.erase(definition.getSymbol());
      return WalkResult::advance();
    }
    std::string early;
    walkDataDependentSymbols(inner, [&](StringRef symbol) {
      if (isa<AtenOp>(inner)) // its conversion defines what it is first to name
        unknown.erase(symbol);
      else if (unknown.contains(symbol))
        early = symbol.str();
    });
    if (early.empty())
      return WalkResult::advance();
    return WalkResult(inner->emitOpError("names '")
                      << early << "', which no tc.size_from before it defines");
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Definition
//===----------------------------------------------------------------------===//

/// Whether two values are computed by equal ops from the same values; looks
/// through a few of them.
static bool isSameValue(Value a, Value b, unsigned depth = 6) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (depth == 0 || !left || !right || !isMemoryEffectFree(left) ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return OperationEquivalence::isEquivalentTo(
      left, right,
      [&](Value x, Value y) { return success(isSameValue(x, y, depth - 1)); },
      nullptr, OperationEquivalence::IgnoreLocations);
}

LogicalResult tc::defineSize(OpBuilder &builder, Location loc, SizeExpr size,
                             Value value,
                             function_ref<std::string()> makeFresh) {
  Operation *function = builder.getBlock()->getParentOp();
  auto isUnknown = [&](StringRef name) {
    return isDataDependent(name) && !findSizeFrom(function, name);
  };
  if (size.getKind() == SizeExprKind::Symbol &&
      isUnknown(size.getSymbol().getValue())) {
    SizeFromOp::create(builder, loc, size.getSymbol(), value);
    return success();
  }
  // PyTorch has one symbol for what it counts twice.
  if (size.getKind() == SizeExprKind::Symbol)
    if (SizeFromOp known = findSizeFrom(function, size.getSymbol().getValue()))
      if (isSameValue(known.getValue(), value))
        return success();
  bool known = true;
  size.walkSymbols([&](StringRef name) { known &= !isUnknown(name); });
  if (!known)
    return failure();
  std::string fresh = makeFresh();
  SizeFromOp::create(builder, loc, builder.getStringAttr(fresh), value);
  GuardOp::create(
      builder, loc, GuardKind::Scalar, ValueRange(), IntegerAttr(), Attribute(),
      SizeExpr::named(builder.getContext(), fresh).sub(size),
      builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(0), IntegerAttr(),
      builder.getStringAttr("a size of " + size.str()));
  return success();
}

std::string tc::declareFreshSymbol(Operation *function, int64_t min) {
  SmallVector<Attribute> symbols;
  if (auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    symbols.append(declared.begin(), declared.end());
  uint64_t number = 0;
  for (Attribute entry : symbols) {
    StringRef name = cast<tc::SymbolAttr>(entry).getName();
    uint64_t known = 0;
    if (isDataDependent(name) && !name.drop_front().getAsInteger(10, known))
      number = std::max(number, known + 1);
  }
  std::string name = "u" + std::to_string(number);
  symbols.push_back(tc::SymbolAttr::get(function->getContext(), name, min,
                                        INT64_MAX, /*divisor=*/1));
  function->setAttr(kSymbolsAttr,
                    ArrayAttr::get(function->getContext(), symbols));
  return name;
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

SizeEpochs::SizeEpochs(Block &body) {
  for (auto op : body.getOps<SizeFromOp>()) {
    ops.push_back(op);
    epochOf[op.getSymbol()] = ops.size();
  }
}

unsigned SizeEpochs::of(SizeExpr size) const {
  unsigned epoch = 0;
  size.walkSymbols(
      [&](StringRef name) { epoch = std::max(epoch, epochOf.lookup(name)); });
  return epoch;
}

unsigned SizeEpochs::of(ShapedType type) const {
  unsigned epoch = 0;
  for (SizeExpr size : getSizes(type))
    epoch = std::max(epoch, of(size));
  return epoch;
}
