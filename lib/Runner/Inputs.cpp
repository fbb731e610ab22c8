//===- Inputs.cpp - The inputs of a run -----------------------------------===//

#include "Support.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Runtime/TensorSpec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tc;
using namespace tc::runner;
using runtime::DType;

llvm::Error runner::toError(const runtime::Status &status) {
  return llvm::createStringError(status.toString());
}

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

//===----------------------------------------------------------------------===//
// Random inputs
//===----------------------------------------------------------------------===//

namespace {
/// SplitMix64: small, and the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  uint64_t state;
};
} // namespace

static void fillRandomly(runtime::Tensor &tensor, Random &random) {
  size_t step = runtime::dtypeSize(tensor.dtype());
  char *element = tensor.dataAs<char>();
  bool isReal =
      runtime::isFloat(tensor.dtype()) || runtime::isComplex(tensor.dtype());
  for (int64_t i = 0; i < tensor.elementCount(); ++i, element += step) {
    if (isReal)
      runtime::storeFromDouble(tensor.dtype(), element, random.normal());
    else if (tensor.dtype() == DType::Bool)
      runtime::storeFromInt(tensor.dtype(), element, random.next() & 1);
    else // small, as integers are mostly indices
      runtime::storeFromInt(tensor.dtype(), element, random.next() % 4);
  }
}

/// A size that was asked for is one that the symbol can have.
static llvm::Error checkSize(tc::SymbolAttr symbol, int64_t value,
                             StringRef text) {
  bool fits = value >= symbol.getMin() && value <= symbol.getMax() &&
              (symbol.getDivisor() <= 1 || value % symbol.getDivisor() == 0);
  if (fits)
    return llvm::Error::success();
  std::string multiple =
      symbol.getDivisor() > 1
          ? ", a multiple of " + std::to_string(symbol.getDivisor())
          : "";
  return llvm::createStringError("--size=" + text + " is out of range: '" +
                                 symbol.getName() + "' is from " +
                                 std::to_string(symbol.getMin()) + " to " +
                                 std::to_string(symbol.getMax()) + multiple);
}

/// Values of the symbols: those asked for, else the smallest from 4 on that
/// the range and divisor allow.
static llvm::Expected<llvm::StringMap<int64_t>>
chooseSymbols(const Entry &entry, const RunOptions &options) {
  llvm::StringMap<int64_t> values;
  for (tc::SymbolAttr symbol : entry.symbols) {
    int64_t divisor = std::max<int64_t>(symbol.getDivisor(), 1);
    int64_t wanted = std::max<int64_t>(symbol.getMin(), 4);
    wanted = (wanted + divisor - 1) / divisor * divisor;
    values[symbol.getName()] =
        std::min(wanted, symbol.getMax() / divisor * divisor);
  }
  llvm::StringSet<> given;
  for (const std::string &text : options.sizes) {
    auto [name, number] = StringRef(text).split('=');
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      return llvm::createStringError("--size=" + text +
                                     " is not of the form SYMBOL=NUMBER");
    const auto *symbol =
        llvm::find_if(entry.symbols, [name = name](tc::SymbolAttr symbol) {
          return symbol.getName() == name;
        });
    if (symbol == entry.symbols.end())
      return llvm::createStringError(
          "--size=" + text + " names no symbol of '" + entry.name +
          "', which has " +
          (values.empty() ? "none" : llvm::join(values.keys(), ", ")));
    if (!given.insert(name).second)
      return llvm::createStringError("--size=" + text + ": the size of '" +
                                     name + "' is given twice");
    if (llvm::Error error = checkSize(*symbol, value, text))
      return std::move(error);
    values[name] = value;
  }
  return values;
}

static llvm::Expected<Tensors> makeRandomInputs(const Entry &entry,
                                                const RunOptions &options) {
  auto symbols = chooseSymbols(entry, options);
  if (!symbols)
    return symbols.takeError();
  Tensors inputs;
  for (auto [index, type] : llvm::enumerate(entry.inputTypes)) {
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    std::optional<DType> dtype = runtime::dtypeFromName(element);
    if (!dtype)
      return llvm::createStringError("input " + std::to_string(index) +
                                     " has element type " + element +
                                     ", which no array can have");
    SmallVector<int64_t> sizes;
    for (SizeExpr size : getSizes(type)) {
      if (size.isConstant(ShapedType::kDynamic))
        return llvm::createStringError(
            "input " + std::to_string(index) +
            " has a size '?' without a name; name it, as in #tc.sizes<[n, 4]>");
      std::optional<int64_t> value =
          size.evaluate([&](StringRef name) -> std::optional<int64_t> {
            auto found = symbols->find(name);
            if (found == symbols->end())
              return std::nullopt;
            return found->second;
          });
      if (!value)
        return llvm::createStringError("size " + size.str() + " of input " +
                                       std::to_string(index) +
                                       " has a symbol that is not declared");
      sizes.push_back(*value);
    }
    auto tensor = toExpected(runtime::Tensor::empty(
        *dtype, runtime::Extents(sizes.data(), sizes.size())));
    if (!tensor)
      return tensor.takeError();
    Random random(*options.randomInputs * 1000003 + index);
    fillRandomly(*tensor, random);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

llvm::Expected<Tensors> runner::makeInputs(const Entry &entry,
                                           const RunOptions &options) {
  if (options.randomInputs && !options.inputs.empty())
    return llvm::createStringError(
        "--input and --random-inputs are both given; use one of them");
  if (options.randomInputs)
    return makeRandomInputs(entry, options);
  Tensors inputs;
  for (const std::string &spec : options.inputs) {
    std::optional<DType> dtype;
    if (inputs.size() < entry.inputTypes.size()) {
      std::string element;
      llvm::raw_string_ostream(element)
          << entry.inputTypes[inputs.size()].getElementType();
      dtype = runtime::dtypeFromName(element);
    }
    auto parsed = runtime::parseInputSpec(spec, dtype);
    if (!parsed.ok())
      return llvm::createStringError("--input=" + spec + ": " +
                                     parsed.error().toString());
    inputs.insert(inputs.end(), parsed->begin(), parsed->end());
  }
  if (inputs.size() != entry.inputTypes.size())
    return llvm::createStringError(
        entry.signature() + " has " + std::to_string(entry.inputTypes.size()) +
        (entry.inputTypes.size() == 1 ? " input" : " inputs") + ", but " +
        std::to_string(inputs.size()) +
        (inputs.size() == 1 ? " was" : " were") +
        " given: give each with --input=, or all with --random-inputs=SEED");
  return inputs;
}
