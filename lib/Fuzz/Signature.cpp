//===- Signature.cpp - Symbols, guards and results of a function ----------===//

#include "Signature.h"
#include "TC/Dialect/TC/IR/InputOps.h"

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

static Attribute toAttribute(const SampledSymbol &symbol,
                             MLIRContext *context) {
  return SymbolAttr::get(context, symbol.name, symbol.minimum, symbol.maximum,
                         symbol.divisor);
}

void tc::fuzz::drawSymbols(SampledFunction &sampled, Random &random,
                           bool isExtreme) {
  int64_t rows[] = {0, 1, 2, 3, 4, 5, 7},
          columns[] = {0, 1, 2, 8, 13, 16, 17, 19, 24, 32};
  sampled.symbols = {drawSymbol(random, "s0", rows, isExtreme),
                     drawSymbol(random, "s1", columns, isExtreme)};
  // Ops may state what they need of the symbols' ranges when they are made.
  Builder builder(sampled.function.getContext());
  SmallVector<Attribute> attributes;
  for (const SampledSymbol &symbol : sampled.symbols)
    attributes.push_back(toAttribute(symbol, builder.getContext()));
  sampled.function->setAttr(kSymbolsAttr, builder.getArrayAttr(attributes));
}

void tc::fuzz::declareSymbols(SampledFunction &sampled) {
  Builder builder(sampled.function.getContext());
  llvm::StringMap<bool> bound;
  sampled.function.walk([&](Operation *op) {
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
  for (const InputSpec &input : sampled.inputs)
    for (SizeExpr size : getSizes(input.type)) {
      size.walkSymbols([&](StringRef name) { bound.try_emplace(name); });
      if (size.getKind() == SizeExprKind::Symbol)
        bound[size.getSymbol().getValue()] = true;
    }
  SmallVector<Attribute> symbols;
  for (const SampledSymbol &symbol : sampled.symbols) {
    auto found = bound.find(symbol.name);
    if (found == bound.end())
      continue;
    symbols.push_back(toAttribute(symbol, builder.getContext()));
    if (found->second)
      continue;
    RankedTensorType type =
        getTensorType(SizeExpr::named(builder.getContext(), symbol.name),
                      builder.getI8Type());
    sampled.inputs.push_back({type});
    sampled.function.front().addArgument(type, sampled.function.getLoc());
  }
  sampled.function->removeAttr(kSymbolsAttr);
  if (!symbols.empty())
    sampled.function->setAttr(kSymbolsAttr, builder.getArrayAttr(symbols));
}

void tc::fuzz::addGuards(SampledFunction &sampled, Random &random) {
  Block &body = sampled.function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  auto valueOf = [&](StringRef name) { return sampled.valueOf(name); };
  for (Value input : body.getArguments()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() == 0 || !random.chance(30))
      continue;
    OperationState state(sampled.function.getLoc(),
                         GuardOp::getOperationName());
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
      state.addAttribute("expr",
                         SizeExpr::constant(builder.getContext(), size));
    }
    state.addAttribute("origin", builder.getStringAttr("the random tester"));
    builder.create(state);
  }
}

void tc::fuzz::addStrides(SampledFunction &sampled, Random &random) {
  MLIRContext *context = sampled.function.getContext();
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(context, value);
  };
  for (BlockArgument argument : sampled.function.getArguments()) {
    Sizes sizes = getSizes(cast<RankedTensorType>(argument.getType()));
    if (sizes.empty() || !random.chance(50))
      continue;
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
    if (random.chance(50))
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
    SmallVector<Attribute> strides(sizes.size());
    SizeExpr stride = constant(random.chance(30) ? random.between(2, 3) : 1);
    for (int64_t dim : llvm::reverse(order)) {
      strides[dim] = stride;
      if (!sizes[dim].isConstant(0))
        stride = stride.mul(sizes[dim]);
      if (random.chance(40))
        stride = stride.add(random.between(1, 5));
    }
    sampled.function.setArgAttr(argument.getArgNumber(), kStridesAttr,
                                ArrayAttr::get(context, strides));
  }
}

void tc::fuzz::markMutations(SampledFunction &sampled, Random &random,
                             ValueRange results) {
  Block &body = sampled.function.front();
  Builder builder(sampled.function.getContext());
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
    sampled.function.setResultAttr(
        i - 1, kMutatesAttr, builder.getI64IntegerAttr(found->getArgNumber()));
  }
}
