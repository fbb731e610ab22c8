//===- SpecializeSizes.cpp - tc-specialize-sizes --------------------------===//

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCSPECIALIZESIZESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A version of a function: narrower ranges of some of its symbols.
struct Request {
  func::FuncOp function;
  SmallVector<tc::SymbolAttr> symbols;
};
} // namespace

/// The range that `text` gives a symbol: "s0=8", "s0=2..64" or "s0%16".
static tc::SymbolAttr parseSymbol(MLIRContext *context, StringRef text) {
  auto make = [&](StringRef name, int64_t min, int64_t max, int64_t divisor) {
    bool isValid = !name.empty() && min >= 0 && min <= max && divisor >= 1;
    return isValid ? tc::SymbolAttr::get(context, name, min, max, divisor)
                   : tc::SymbolAttr();
  };
  int64_t first = 0, last = 0;
  if (text.contains('%')) {
    auto [name, divisor] = text.split('%');
    return divisor.getAsInteger(10, first) ? tc::SymbolAttr()
                                           : make(name, 0, INT64_MAX, first);
  }
  auto [name, value] = text.split('=');
  auto [low, high] = value.split("..");
  if (low.getAsInteger(10, first))
    return {};
  if (!value.contains(".."))
    return make(name, first, first, 1);
  return high.getAsInteger(10, last) ? tc::SymbolAttr()
                                     : make(name, first, last, 1);
}

static FailureOr<Request> parseRequest(ModuleOp module, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  Request request;
  for (StringRef part : ArrayRef(parts).drop_front()) {
    request.symbols.push_back(parseSymbol(module.getContext(), part));
    if (!request.symbols.back())
      request.symbols.clear();
    if (request.symbols.empty())
      break;
  }
  if (request.symbols.empty())
    return module.emitError()
           << "'" << text
           << "' names no specialisation; expected FUNCTION:SYMBOL=VALUE, "
              "FUNCTION:SYMBOL=MIN..MAX or FUNCTION:SYMBOL%DIVISOR, further "
              "symbols after ':'";
  request.function = module.lookupSymbol<func::FuncOp>(parts.front());
  if (request.function && !request.function.isDeclaration())
    return request;
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>())
    names.push_back(function.getName());
  return module.emitError() << "'" << text << "' names no function; the module "
                            << "has " << llvm::join(names, ", ");
}

/// "s0 in [2, 64], a multiple of 16"
static std::string describe(tc::SymbolAttr symbol) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << symbol.getName() << " in [" << symbol.getMin() << ", "
     << symbol.getMax() << "]";
  if (symbol.getDivisor() > 1)
    os << ", a multiple of " << symbol.getDivisor();
  return text;
}

/// What holds when both do, with ends that are multiples of the divisor.
static FailureOr<tc::SymbolAttr> intersect(func::FuncOp function,
                                           tc::SymbolAttr declared,
                                           tc::SymbolAttr wanted) {
  int64_t divisor = std::lcm(declared.getDivisor(), wanted.getDivisor());
  int64_t min = std::max(declared.getMin(), wanted.getMin());
  int64_t max = std::min(declared.getMax(), wanted.getMax());
  min =
      min > INT64_MAX - divisor ? min : (min + divisor - 1) / divisor * divisor;
  max = max == INT64_MAX ? max : max / divisor * divisor;
  if (min <= max)
    return tc::SymbolAttr::get(
        function.getContext(), declared.getName(), min, max, divisor,
        declared.getLikely() ? std::clamp(declared.getLikely(), min, max) : 0);
  InFlightDiagnostic error =
      function.emitError() << "function '" << function.getName()
                           << "' cannot be specialised to " << describe(wanted);
  error.attachNote() << "it has " << describe(declared);
  return error;
}

/// "s0_8", "s0_2_64" or "s0_mod_16"
static std::string getSuffix(tc::SymbolAttr symbol) {
  std::string text = symbol.getName().str() + "_";
  if (symbol.getMin() == symbol.getMax())
    return text + std::to_string(symbol.getMin());
  bool isRange = symbol.getMin() != 0 || symbol.getMax() != INT64_MAX;
  if (isRange)
    text +=
        std::to_string(symbol.getMin()) + "_" + std::to_string(symbol.getMax());
  if (symbol.getDivisor() > 1)
    text += (isRange ? "_mod_" : "mod_") + std::to_string(symbol.getDivisor());
  return text;
}

static LogicalResult makeVersion(const Request &request, SymbolTable &table) {
  func::FuncOp function = request.function;
  MLIRContext *context = function.getContext();
  auto declared = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  SmallVector<tc::SymbolAttr> symbols;
  if (declared)
    llvm::append_range(symbols, declared.getAsRange<tc::SymbolAttr>());
  std::string name = function.getName().str() + ".";
  for (tc::SymbolAttr wanted : request.symbols) {
    if (isDataDependent(wanted.getName()))
      return function.emitError()
             << "function '" << function.getName()
             << "' cannot be specialised to " << describe(wanted)
             << ", which depends on data and is known only when the function "
                "runs";
    auto *found = llvm::find_if(symbols, [&](tc::SymbolAttr symbol) {
      return symbol.getName() == wanted.getName();
    });
    if (found == symbols.end())
      return function.emitError()
             << "function '" << function.getName() << "' has no symbol '"
             << wanted.getName() << "' to specialise; it has "
             << (symbols.empty()
                     ? "none"
                     : llvm::join(llvm::map_range(symbols,
                                                  [](tc::SymbolAttr symbol) {
                                                    return symbol.getName();
                                                  }),
                                  ", "));
    FailureOr<tc::SymbolAttr> both = intersect(function, *found, wanted);
    if (failed(both))
      return failure();
    *found = *both;
    name += (name.back() == '.' ? "" : "_") + getSuffix(wanted);
  }

  llvm::StringMap<int64_t> constants;
  SmallVector<Attribute> remaining;
  for (tc::SymbolAttr symbol : symbols)
    if (symbol.getMin() == symbol.getMax() &&
        !isDataDependent(symbol.getName()))
      constants[symbol.getName()] = symbol.getMin();
    else
      remaining.push_back(symbol);
  auto valueOf = [&](StringRef symbol) -> SizeExpr {
    auto found = constants.find(symbol);
    return found == constants.end()
               ? SizeExpr()
               : SizeExpr::constant(context, found->second);
  };
  if (std::optional<OpPrecondition> never = findImpossible(function, valueOf)) {
    InFlightDiagnostic error = never->op->emitOpError()
                               << never->condition.describe();
    error.attachNote(function.getLoc())
        << "function '" << function.getName()
        << "' cannot be specialised to the sizes of '" << name << "'";
    return error;
  }

  func::FuncOp version = function.clone();
  version.setName(name);
  version->removeAttr(kSpecializationsAttr);
  substituteSymbols(version, valueOf);
  version->removeAttr(kSymbolsAttr);
  if (!remaining.empty())
    version->setAttr(kSymbolsAttr, ArrayAttr::get(context, remaining));
  version->setAttr(kVersionOfAttr, FlatSymbolRefAttr::get(function));
  version->setAttr(
      kSpecializationAttr,
      ArrayAttr::get(context, SmallVector<Attribute>(request.symbols.begin(),
                                                     request.symbols.end())));
  // Versions come after their function, in the order asked for.
  Operation *last = function;
  while (last->getNextNode() && last->getNextNode()->getAttr(kVersionOfAttr) ==
                                    version->getAttr(kVersionOfAttr))
    last = last->getNextNode();
  table.insert(version, std::next(last->getIterator()));
  return success();
}

namespace {
class SpecializeSizesPass
    : public tc::impl::TCSpecializeSizesPassBase<SpecializeSizesPass> {
public:
  using TCSpecializeSizesPassBase::TCSpecializeSizesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Request> requests;
    for (auto function : module.getOps<func::FuncOp>())
      if (auto wanted =
              function->getAttrOfType<ArrayAttr>(kSpecializationsAttr))
        for (auto symbols : wanted.getAsRange<ArrayAttr>())
          requests.push_back(
              {function,
               llvm::to_vector(symbols.getAsRange<tc::SymbolAttr>())});
    for (const std::string &text : specialize) {
      FailureOr<Request> request = parseRequest(module, text);
      if (failed(request))
        return signalPassFailure();
      requests.push_back(*request);
    }
    if (requests.empty())
      return markAllAnalysesPreserved();
    SymbolTable table(module);
    for (const Request &request : requests)
      if (failed(makeVersion(request, table)))
        return signalPassFailure();
    for (const Request &request : requests)
      request.function->removeAttr(kSpecializationsAttr);
  }
};
} // namespace
