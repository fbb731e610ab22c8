//===- Entry.cpp - The function that is run -------------------------------===//

#include "TC/Runner/Entry.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

static std::string describe(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (SizeExpr size : getSizes(type)) {
    std::string printed = size.str();
    os << (printed.find(' ') == std::string::npos ? printed
                                                  : "(" + printed + ")")
       << "x";
  }
  os << type.getElementType();
  return text;
}

std::string Entry::signature() const {
  std::string text = name + "(";
  for (auto [index, type] : llvm::enumerate(inputTypes)) {
    text += index ? ", " : "";
    if (!inputNames[index].empty())
      text += inputNames[index] + ": ";
    text += describe(type);
  }
  return text + ")";
}

/// The types of a function's inputs: its own, or those that its signature
/// remembers.
static SmallVector<ShapedType> getInputTypes(Operation *op) {
  SmallVector<ShapedType> types;
  if (auto function = dyn_cast<FunctionOpInterface>(op);
      function && isa<func::FuncOp, DispatchOp>(op)) {
    for (Type type : function.getArgumentTypes())
      types.push_back(dyn_cast<ShapedType>(type));
    return types;
  }
  auto signature = op->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  if (auto known = signature.getAs<ArrayAttr>("input_types"))
    for (auto type : known.getAsRange<TypeAttr>())
      types.push_back(dyn_cast<ShapedType>(type.getValue()));
  return types;
}

static Entry makeEntry(Operation *op) {
  Entry entry;
  entry.op = op;
  entry.name = cast<SymbolOpInterface>(op).getName().str();
  entry.inputTypes = getInputTypes(op);
  entry.inputNames.resize(entry.inputTypes.size());
  auto symbols = op->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (auto signature = op->getAttrOfType<DictionaryAttr>(kSignatureAttr)) {
    if (auto names = signature.getAs<ArrayAttr>("inputs"))
      for (auto [index, name] : llvm::enumerate(names))
        if (auto text = dyn_cast<StringAttr>(name);
            text && index < entry.inputNames.size())
          entry.inputNames[index] = text.str();
    if (!symbols)
      symbols = signature.getAs<ArrayAttr>("symbols");
  }
  if (symbols)
    for (auto symbol : symbols.getAsRange<tc::SymbolAttr>())
      if (!isDataDependent(symbol.getName())) // the call finds those
        entry.symbols.push_back(symbol);
  return entry;
}

llvm::Expected<Entry> runner::findEntry(ModuleOp module,
                                        const std::string &name) {
  SmallVector<Operation *> candidates;
  SmallVector<StringRef> names;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    bool isEntry =
        isa<func::FuncOp, DispatchOp>(op)
            ? function.isPublic() && !function.isDeclaration()
            : isa<LLVM::LLVMFuncOp>(op) && op.hasAttr(kSignatureAttr);
    // A function that only a dispatch runs is no choice.
    isEntry &= !op.hasAttr(kVersionOfAttr);
    if (!isEntry || cast<SymbolOpInterface>(op).getName() == kPrepareFunction)
      continue;
    candidates.push_back(&op);
    names.push_back(cast<SymbolOpInterface>(op).getName());
  }
  if (candidates.empty())
    return llvm::createStringError(
        "the module has no public function with a body");
  std::string wanted = name.empty() && candidates.size() > 1 ? "main" : name;
  for (auto [op, candidate] : llvm::zip_equal(candidates, names)) {
    if (!wanted.empty() && candidate != wanted)
      continue;
    Entry entry = makeEntry(op);
    if (!llvm::all_of(entry.inputTypes,
                      [](ShapedType type) { return type && type.hasRank(); }))
      return llvm::createStringError("function '" + entry.name +
                                     "' has an input that is no tensor");
    return entry;
  }
  return llvm::createStringError(
      "the module has no function '" + wanted + "'; it has " +
      llvm::join(names, ", ") +
      (name.empty() ? "; choose one with --function=" : ""));
}
