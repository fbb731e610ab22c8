//===- Inputs.cpp - The inputs of a run -----------------------------------===//

#include "Inputs.h"
#include "TC/Runtime/TensorSpec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tc;
using namespace tc::runner;
using runtime::DType;

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

/// Whether a size is one that the symbol can have.
static bool allows(tc::SymbolAttr symbol, int64_t value) {
  return value >= symbol.getMin() && value <= symbol.getMax() &&
         (symbol.getDivisor() <= 1 || value % symbol.getDivisor() == 0);
}

/// "from 2 to 64, a multiple of 4"
static std::string describeValues(tc::SymbolAttr symbol) {
  std::string text = "from " + std::to_string(symbol.getMin()) + " to " +
                     std::to_string(symbol.getMax());
  if (symbol.getDivisor() > 1)
    text += ", a multiple of " + std::to_string(symbol.getDivisor());
  return text;
}

/// A size that was asked for is one that the symbol can have.
static llvm::Error checkSize(tc::SymbolAttr symbol, int64_t value,
                             StringRef text) {
  if (allows(symbol, value))
    return llvm::Error::success();
  return llvm::createStringError("--size=" + text + " is out of range: '" +
                                 symbol.getName() + "' is " +
                                 describeValues(symbol));
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

llvm::Error runner::checkTypes(ArrayRef<ShapedType> types,
                               const Tensors &inputs) {
  for (auto [index, type] : llvm::enumerate(types)) {
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    const runtime::Tensor &input = inputs[index];
    int64_t rank = type.getRank();
    bool matches = input.rank() == rank &&
                   runtime::dtypeFromName(element) == input.dtype();
    for (auto [dim, size] :
         llvm::enumerate(type.getShape().take_front(matches ? rank : 0)))
      matches &= ShapedType::isDynamic(size) || size == input.size(dim);
    if (!matches) {
      std::string expected;
      llvm::raw_string_ostream(expected) << type;
      return llvm::createStringError("input " + std::to_string(index) + " is " +
                                     input.typeString() + ", expected " +
                                     expected);
    }
  }
  return llvm::Error::success();
}

llvm::Error runner::checkSymbols(const Entry &entry, const Tensors &inputs) {
  llvm::StringMap<int64_t> values;
  for (auto [index, type] : llvm::enumerate(entry.inputTypes))
    for (auto [dim, size] : llvm::enumerate(getSizes(type))) {
      if (size.getKind() != SizeExprKind::Symbol)
        continue;
      StringRef name = size.getSymbol().getValue();
      int64_t value = inputs[index].size(dim);
      if (values.try_emplace(name, value).first->second != value)
        return llvm::createStringError(
            name + " is " + std::to_string(values[name]) + " and, as size " +
            std::to_string(dim) + " of input " + std::to_string(index) + ", " +
            std::to_string(value));
    }
  for (tc::SymbolAttr symbol : entry.symbols)
    if (auto found = values.find(symbol.getName()); found != values.end())
      if (!allows(symbol, found->second))
        return llvm::createStringError(symbol.getName() + " is " +
                                       std::to_string(found->second) +
                                       ", expected " + describeValues(symbol));
  return llvm::Error::success();
}
