//===- Sampler.cpp - Functions of random ops ------------------------------===//

#include "TC/Fuzz/Sampler.h"
#include "Signature.h"
#include "TC/Fuzz/Work.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number
/// Generators (OOPSLA 2014).
uint64_t Random::next() {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

const SampledSymbol *SampledFunction::findSymbol(StringRef name) const {
  const auto *found = llvm::find_if(symbols, [&](const SampledSymbol &symbol) {
    return symbol.name == name;
  });
  return found == symbols.end() ? nullptr : found;
}

std::optional<int64_t> SampledFunction::valueOf(StringRef name) const {
  const SampledSymbol *symbol = findSymbol(name);
  return symbol ? std::optional(symbol->value) : std::nullopt;
}

Sampler::Sampler(ModuleOp module, StringRef name, uint64_t seed,
                 const SampleOptions &options)
    : builder(module.getContext()), loc(builder.getUnknownLoc()), random(seed),
      options(options), module(module) {
  builder.setInsertionPointToEnd(module.getBody());
  result.function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(result.function.addEntryBlock());
  if (options.symbolicSizes)
    drawSymbols(result, random, options.extremeSymbols);
  Type floats[] = {builder.getF32Type(), builder.getF32Type(),
                   builder.getF64Type(), builder.getBF16Type(),
                   builder.getF16Type()};
  chainElement = random.pick<Type>(floats);
  if (options.chain)
    chainSizes = sizes(unsigned(random.between(2, 3)));
}

Type Sampler::element() {
  if (options.element)
    return options.element;
  if (options.chain && random.chance(60))
    return chainElement;
  // Ops on earlier results, and on results of those, are what passes fold.
  if (!kept.empty() && random.chance(options.reuse / 2))
    return cast<RankedTensorType>(random.pick<Value>(kept).getType())
        .getElementType();
  auto unsignedType = [&](unsigned bits) {
    return IntegerType::get(builder.getContext(), bits, IntegerType::Unsigned);
  };
  if (options.allElements && random.chance(25)) {
    Type rare[] = {builder.getI16Type(),
                   unsignedType(16),
                   unsignedType(32),
                   unsignedType(64),
                   Float8E4M3FNType::get(builder.getContext()),
                   Float8E5M2Type::get(builder.getContext())};
    return random.pick<Type>(rare);
  }
  Type types[] = {
      builder.getF32Type(), builder.getF32Type(),  builder.getF32Type(),
      builder.getF64Type(), builder.getBF16Type(), builder.getF16Type(),
      builder.getI64Type(), builder.getI32Type(),  builder.getI8Type(),
      unsignedType(8),      builder.getI1Type()};
  return random.pick<Type>(types);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SizeExpr Sampler::constant(int64_t value) {
  return SizeExpr::constant(builder.getContext(), value);
}

SizeExpr Sampler::size(int64_t largest) {
  largest = std::min(largest, options.largestSize);
  if (options.emptySizes && random.chance(25))
    return constant(0);
  if (options.symbolicSizes && random.chance(60)) {
    SizeExpr symbol =
        SizeExpr::named(builder.getContext(), random.chance(70) ? "s0" : "s1");
    if (random.chance(70))
      return symbol;
    return random.chance(50) ? symbol.mul(2) : symbol.add(3);
  }
  if (random.chance(15))
    return constant(1);
  return constant(random.between(2, largest));
}

Sizes Sampler::sizes(unsigned rank) {
  // Sizes of an earlier result let it be an operand.
  if (random.chance(options.reuse)) {
    SmallVector<Value> fitting;
    for (Value value : kept)
      if (cast<RankedTensorType>(value.getType()).getRank() == rank)
        fitting.push_back(value);
    if (!fitting.empty())
      return getSizes(
          cast<RankedTensorType>(random.pick<Value>(fitting).getType()));
  }
  // Of many dimensions, small ones: a few thousand elements at most.
  int64_t largest[] = {160, 160, 40, 12, 7, 5};
  Sizes sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(size(largest[std::min(rank, 5u)]));
  return sizes;
}

Sizes Sampler::nonEmpty(Sizes sizes) {
  auto smallest = [&](StringRef name) -> std::optional<int64_t> {
    const SampledSymbol *symbol = result.findSymbol(name);
    return symbol ? std::optional(symbol->minimum) : std::nullopt;
  };
  for (SizeExpr &size : sizes)
    if (size.evaluate(smallest) == 0 && !isHazardous())
      size = size.add(1);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value Sampler::argument(InputSpec spec) {
  if (spec.type.hasStaticShape() && !spec.type.getShape().empty() &&
      random.chance(options.parameters)) {
    std::string name = "w" + std::to_string(result.parameters.size());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(result.function);
    ParameterSourceOp::create(builder, loc, name, spec.type, "weights", 0,
                              DenseI64ArrayAttr(), StringAttr(), "parameter");
    builder.setInsertionPointToStart(&result.function.front());
    result.parameters.emplace_back(name, spec);
    return ParameterOp::create(builder, loc, spec.type, name);
  }
  result.inputs.push_back(spec);
  return result.function.front().addArgument(spec.type, loc);
}

/// The dimensions of `sizes` that `own` has, in their order; nothing where it
/// has others.
static std::optional<SmallVector<int64_t>>
findKeptDims(ArrayRef<SizeExpr> own, ArrayRef<SizeExpr> sizes) {
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dims.size() < own.size() && own[dims.size()] == size)
      dims.push_back(dim);
  if (dims.size() == own.size())
    return dims;
  return std::nullopt;
}

Value Sampler::findEarlier(Type element, ArrayRef<SizeExpr> sizes, bool exact) {
  SmallVector<Value> same, reduced, reshaped;
  for (Value value : kept) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() != element || (exact && rounded.contains(value)))
      continue;
    Sizes own = getSizes(type);
    if (ArrayRef<SizeExpr>(own) == sizes)
      same.push_back(value);
    else if (own.empty() || findKeptDims(own, sizes))
      reduced.push_back(value);
    else if (getElementCount(own, builder.getContext()) ==
             getElementCount(sizes, builder.getContext()))
      reshaped.push_back(value);
  }
  auto derive = [&](Operation *op, Value from) {
    if (rounded.contains(from))
      rounded.insert(op->getResult(0));
    return op->getResult(0);
  };
  Type type = getTensorType(sizes, element);
  if (!same.empty())
    return random.pick<Value>(same);
  if (!reshaped.empty()) {
    Value from = random.pick<Value>(reshaped);
    return derive(ReshapeOp::create(builder, loc, type, from), from);
  }
  if (!reduced.empty()) {
    Value from = random.pick<Value>(reduced);
    auto dims =
        findKeptDims(getSizes(cast<RankedTensorType>(from.getType())), sizes);
    return derive(BroadcastOp::create(builder, loc, type, from, *dims), from);
  }
  return nullptr;
}

/// An argument seen through a transpose, a slice or a broadcast.
Value Sampler::viewOf(Type element, ArrayRef<SizeExpr> sizes) {
  unsigned rank = sizes.size();
  Type type = getTensorType(sizes, element);
  switch (random.below(3)) {
  case 0: {
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    for (unsigned i = rank; i > 1; --i)
      std::swap(permutation[i - 1], permutation[random.below(i)]);
    Sizes before(rank, constant(1));
    for (auto [index, from] : llvm::enumerate(permutation))
      before[from] = sizes[index];
    return TransposeOp::create(
        builder, loc, argument({getTensorType(before, element)}), permutation);
  }
  case 1: {
    Sizes before, offsets;
    SmallVector<int64_t> strides;
    for (SizeExpr size : sizes) {
      int64_t stride = random.chance(60) ? 1 : random.chance(50) ? 2 : -1;
      int64_t offset = random.below(3);
      before.push_back(size.mul(std::abs(stride)).add(offset + 1));
      offsets.push_back(stride > 0 ? constant(offset) : size.add(offset - 1));
      strides.push_back(stride);
    }
    return SliceOp::create(
        builder, loc, type, argument({getTensorType(before, element)}),
        SizesAttr::get(builder.getContext(), offsets), strides);
  }
  default: {
    Sizes before;
    SmallVector<int64_t> dims;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (random.chance(30))
        continue;
      dims.push_back(dim);
      before.push_back(random.chance(25) ? constant(1) : size);
    }
    return BroadcastOp::create(
        builder, loc, type, argument({getTensorType(before, element)}), dims);
  }
  }
}

Value Sampler::operand(Type element, ArrayRef<SizeExpr> sizes, bool exact) {
  if (random.chance(options.reuse))
    if (Value earlier = findEarlier(element, sizes, exact && random.chance(70)))
      return earlier;
  if (options.views && !sizes.empty() && random.chance(50))
    return viewOf(element, sizes);
  return argument({getTensorType(sizes, element)});
}

Value Sampler::indices(ArrayRef<SizeExpr> sizes, SizeExpr limit,
                       bool mayBeNegative) {
  Type type = random.chance(75) ? i64() : Type(builder.getI32Type());
  return argument({getTensorType(sizes, type), limit, mayBeNegative});
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Whether the op gives elements of its operands, unchanged in value.
static bool isExact(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReductionKind::Max ||
           reduce.getKind() == ReductionKind::Min;
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getKind() == ReductionKind::Max ||
           scan.getKind() == ReductionKind::Min;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getCombine() == CombineKind::Replace;
  if (auto put = dyn_cast<IndexPutOp>(op))
    return put.getCombine() == CombineKind::Replace;
  return isa<NegOp, AbsOp, ReluOp, MaximumOp, MinimumOp, FmaxOp, FminOp,
             SelectOp, FloorOp, CeilOp, TruncOp, RoundOp, SignOp, CopysignOp,
             TransposeOp, ReshapeOp, SliceOp, BroadcastOp, PadOp, ConcatOp,
             FullOp, ConstantOp, GatherOp, IndexOp, SortOp, TopKOp, MaxPoolOp,
             IfOp>(op);
}

bool Sampler::isTooMuch(Operation *op) const {
  auto valueOf = [&](StringRef name) { return result.valueOf(name); };
  SmallVector<Operation *> pending{op};
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (estimateWork(next, valueOf) > kMostWork)
      return true;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !llvm::is_contained(kept, operand))
        pending.push_back(producer);
  }
  return false;
}

/// Takes back what was made last for an op that is not kept: views, helpers,
/// arguments.
void Sampler::dropUnused() {
  Block &body = result.function.front();
  while (!body.empty() && body.back().use_empty() &&
         llvm::none_of(body.back().getResults(), [&](Value value) {
           return llvm::is_contained(kept, value);
         })) {
    for (Value value : body.back().getResults())
      rounded.erase(value);
    body.back().erase();
  }
  while (body.getNumArguments() > 0 && body.getArguments().back().use_empty()) {
    body.eraseArgument(body.getNumArguments() - 1);
    result.inputs.pop_back();
  }
}

bool Sampler::keep(Operation *op) {
  ScopedDiagnosticHandler quiet(builder.getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(verify(op))) {
    op->erase();
    return false;
  }
  if (isTooMuch(op)) {
    op->erase();
    dropUnused();
    return false;
  }
  bool roundedOperand = llvm::any_of(
      op->getOperands(), [&](Value value) { return rounded.contains(value); });
  for (Value value : op->getResults()) {
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    if (roundedOperand || (isa<FloatType>(type) && !isExact(op)))
      rounded.insert(value);
    if (options.hazards)
      hazardous.insert(value);
    kept.push_back(value);
  }
  return true;
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

SampledFunction Sampler::finish() {
  declareSymbols(result);
  SmallVector<Value> results = chooseResults();
  if (options.signatures && random.chance(40))
    addGuards(result, random);
  Block &body = result.function.front();
  func::ReturnOp::create(builder, loc, results);
  result.function.setType(builder.getFunctionType(
      body.getArgumentTypes(), ValueRange(results).getTypes()));
  if (options.signatures)
    markMutations(result, random, results);
  return result;
}
