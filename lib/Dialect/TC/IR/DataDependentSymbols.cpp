//===- DataDependentSymbols.cpp - Symbols u0, u1 of tensor elements -------===//

#include "TC/Dialect/TC/IR/DataDependentSymbols.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

bool tc::isDataDependent(StringRef symbol) {
  return symbol.consume_front("u") && !symbol.empty() &&
         llvm::all_of(symbol, [](char c) { return llvm::isDigit(c); });
}

bool tc::isDataDependent(SizeExpr size) {
  bool found = false;
  size.walkSymbols([&](StringRef name) { found |= isDataDependent(name); });
  return found;
}

SmallVector<StringAttr> tc::getDataDependentSymbols(Type type) {
  SmallVector<StringAttr> symbols;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.hasStaticShape())
    return symbols;
  for (SizeExpr size : getSizes(shaped))
    size.walkSymbols([&](StringRef name) {
      auto symbol = StringAttr::get(type.getContext(), name);
      if (isDataDependent(name) && !llvm::is_contained(symbols, symbol))
        symbols.push_back(symbol);
    });
  return symbols;
}
