//===- Signature.cpp - Symbols, guards and results of a function ----------===//

#include "TC/Fuzz/Sampler.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// A small range around the value that a call has, with the value in it, often
/// at one of its ends.
static SampledSymbol drawSymbol(Random &random, StringRef name,
                                ArrayRef<int64_t> values, bool isExtreme) {
  SampledSymbol symbol;
  symbol.name = name.str();
  symbol.value = isExtreme ? random.pick<int64_t>(values)
                           : random.between(1, values.back());
  if (!isExtreme)
    return symbol;
  symbol.minimum =
      random.chance(40) ? symbol.value : std::min<int64_t>(symbol.value, 0);
  if (random.chance(40))
    symbol.minimum = std::min<int64_t>(symbol.value, 1);
  symbol.maximum = random.chance(40)   ? symbol.value
                   : random.chance(50) ? 64
                                       : int64_t(1) << 40;
  int64_t divisors[] = {2, 4, 8, 16};
  if (int64_t divisor = random.pick<int64_t>(divisors);
      random.chance(40) && symbol.value % divisor == 0) {
    symbol.divisor = divisor;
    symbol.minimum = symbol.minimum / divisor * divisor;
  }
  return symbol;
}

void Sampler::drawSymbols() {
  int64_t rows[] = {0, 1, 2, 3, 4, 5, 7},
          columns[] = {0, 1, 2, 8, 13, 16, 17, 19, 24, 32};
  result.symbols = {drawSymbol(random, "s0", rows, options.extremeSymbols),
                    drawSymbol(random, "s1", columns, options.extremeSymbols)};
  // Ops may state what they need of the symbols' ranges when they are made.
  SmallVector<Attribute> attributes;
  for (const SampledSymbol &symbol : result.symbols)
    attributes.push_back(SymbolAttr::get(builder.getContext(), symbol.name,
                                         symbol.minimum, symbol.maximum,
                                         symbol.divisor));
  result.function->setAttr(kSymbolsAttr, builder.getArrayAttr(attributes));
}

/// Declares the symbols that are used; one that is no argument's whole size
/// gets an argument of its own to take its value from.
void Sampler::declareSymbols() {
  llvm::StringMap<bool> bound;
  result.function.walk([&](Operation *op) {
    auto use = [&](SizeExpr size) {
      size.walkSymbols([&](StringRef name) { bound.try_emplace(name); });
    };
    auto visit = [&](Type type) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        llvm::for_each(getSizes(tensor), use);
    };
    llvm::for_each(op->getOperandTypes(), visit);
    llvm::for_each(op->getResultTypes(), visit);
    if (auto size = dyn_cast<SizeValueOp>(op))
      use(size.getSize());
    if (auto slice = dyn_cast<SliceOp>(op))
      llvm::for_each(slice.getOffsets().getSizes(), use);
  });
  for (const InputSpec &input : result.inputs)
    for (SizeExpr size : getSizes(input.type)) {
      size.walkSymbols([&](StringRef name) { bound.try_emplace(name); });
      if (size.getKind() == SizeExprKind::Symbol)
        bound[size.getSymbol().getValue()] = true;
    }
  SmallVector<Attribute> symbols;
  for (const SampledSymbol &symbol : result.symbols) {
    auto found = bound.find(symbol.name);
    if (found == bound.end())
      continue;
    symbols.push_back(SymbolAttr::get(builder.getContext(), symbol.name,
                                      symbol.minimum, symbol.maximum,
                                      symbol.divisor));
    if (!found->second)
      argument(
          {getTensorType(SizeExpr::named(builder.getContext(), symbol.name),
                         builder.getI8Type())});
  }
  result.function->removeAttr(kSymbolsAttr);
  if (!symbols.empty())
    result.function->setAttr(kSymbolsAttr, builder.getArrayAttr(symbols));
}

/// Guards that hold of the arguments that calls have.
void Sampler::addGuards() {
  OpBuilder::InsertionGuard insertion(builder);
  Block &body = result.function.front();
  builder.setInsertionPointToStart(&body);
  auto valueOf = [&](StringRef name) -> std::optional<int64_t> {
    for (const SampledSymbol &symbol : result.symbols)
      if (symbol.name == name)
        return symbol.value;
    return std::nullopt;
  };
  for (Value input : body.getArguments()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() == 0 || !random.chance(30))
      continue;
    OperationState state(loc, GuardOp::getOperationName());
    state.addOperands(input);
    int64_t dim = random.below(type.getRank());
    int64_t size = *getSizes(type)[dim].evaluate(valueOf);
    auto setKind = [&](GuardKind kind) {
      state.addAttribute("kind",
                         GuardKindAttr::get(builder.getContext(), kind));
    };
    state.addAttribute("dim", builder.getI64IntegerAttr(dim));
    switch (random.below(3)) {
    case 0:
      setKind(GuardKind::SizeRange);
      state.addAttribute("min", builder.getI64IntegerAttr(size / 2));
      state.addAttribute("max", builder.getI64IntegerAttr(size + 2));
      break;
    case 1:
      setKind(GuardKind::SizeMultiple);
      state.addAttribute("divisor",
                         builder.getI64IntegerAttr(size % 4 == 0 ? 4 : 1));
      break;
    default:
      setKind(GuardKind::SizeEqual);
      state.addAttribute("expr", constant(size));
    }
    state.addAttribute("origin", builder.getStringAttr("the random tester"));
    builder.create(state);
  }
}

/// Returns the values that nothing reads and some of the rest; the others are
/// in the arena alone.
SmallVector<Value> Sampler::chooseResults() {
  SmallVector<Value> results;
  for (Value value : kept)
    if (value.use_empty() || hazardous.contains(value) ||
        random.chance(options.returned))
      results.push_back(value);
  // An output may be an input, or the same memory with other sizes.
  Block &body = result.function.front();
  if (options.signatures && body.getNumArguments() > 0 && random.chance(15)) {
    Value input = body.getArgument(random.below(body.getNumArguments()));
    auto type = cast<RankedTensorType>(input.getType());
    Sizes sizes = getSizes(type);
    sizes.push_back(constant(1));
    results.insert(results.begin(),
                   random.chance(50)
                       ? input
                       : ReshapeOp::create(
                             builder, loc,
                             getTensorType(sizes, type.getElementType()), input)
                             .getResult());
  }
  return results;
}

/// Some of the last results are new values of arguments of their type.
void Sampler::markMutations(ValueRange results) {
  Block &body = result.function.front();
  llvm::DenseSet<unsigned> taken;
  for (size_t i = results.size(); i > 1 && random.chance(50); --i) {
    auto fits = [&](BlockArgument argument) {
      return argument.getType() == results[i - 1].getType() &&
             !taken.contains(argument.getArgNumber());
    };
    auto *found = llvm::find_if(body.getArguments(), fits);
    if (found == body.args_end())
      return;
    taken.insert(found->getArgNumber());
    result.function.setResultAttr(
        i - 1, kMutatesAttr, builder.getI64IntegerAttr(found->getArgNumber()));
  }
}

SampledFunction Sampler::finish() {
  declareSymbols();
  SmallVector<Value> results = chooseResults();
  if (options.signatures && random.chance(40))
    addGuards();
  Block &body = result.function.front();
  func::ReturnOp::create(builder, loc, results);
  result.function.setType(builder.getFunctionType(
      body.getArgumentTypes(), ValueRange(results).getTypes()));
  if (options.signatures)
    markMutations(results);
  return result;
}
