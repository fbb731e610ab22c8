//===- Generator.cpp - Random modules -------------------------------------===//

#include "TC/Fuzz/Generator.h"
#include "Signature.h"
#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Fuzz/Recipes.h"
#include "TC/Fuzz/RowChains.h"
#include "TC/Fuzz/SchedulePrograms.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// Ops along rows, of which a fused kernel keeps the statistics.
static bool isRowOp(StringRef name) {
  static constexpr StringLiteral names[] = {
      "tc.softmax",    "tc.log_softmax", "tc.layer_norm", "tc.rms_norm",
      "tc.reduce",     "tc.variance",    "tc.softmax",    "tc.reduce",
      "tc.arg_reduce", "tc.scan"};
  return llvm::is_contained(names, name);
}

static SampleOptions drawSampleOptions(Random &random) {
  SampleOptions sample;
  sample.symbolicSizes = random.chance(40);
  sample.emptySizes = random.chance(8);
  sample.views = random.chance(40);
  sample.reuse = 75;
  sample.largestSize = random.chance(25) ? 40 : random.chance(10) ? 140 : 7;
  sample.extremeSymbols = random.chance(70);
  sample.allElements = random.chance(40);
  sample.hazards = random.chance(12);
  sample.parameters = random.chance(20) ? 40 : 0;
  sample.returned = random.chance(40) ? 100 : random.chance(50) ? 30 : 0;
  sample.signatures = random.chance(40);
  if (random.chance(25)) {
    sample.chain = true;
    sample.reuse = 90;
    sample.views = sample.emptySizes = false;
  }
  return sample;
}

static CheckOptions drawCheckOptions(Random &random,
                                     const GenerateOptions &options) {
  CheckOptions check;
  check.everyPhase = true;
  check.specialValues = random.chance(20);
  check.wrongIndices = random.chance(8);
  check.dumps = random.chance(25);
  check.schedules = random.chance(30);
  check.strides = random.chance(35);
  check.target = random.pick<std::string>(options.targets);
  check.threads = options.threads;
  int64_t cores[] = {0, 1, 2, 5, 16, 64};
  check.cores = random.pick<int64_t>(cores);
  return check;
}

/// A version for one value of a symbol, which the call may have or not.
static void drawSpecialisation(Random &random, GeneratedModule &generated) {
  auto declared =
      generated.function.function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!declared || !random.chance(40))
    return;
  auto symbol =
      cast<SymbolAttr>(declared[random.below(int64_t(declared.size()))]);
  // Guards may leave no other value than the call's.
  bool hasGuards = !generated.function.function.getOps<GuardOp>().empty();
  int64_t value = symbol.getMin() + symbol.getDivisor();
  for (const SampledSymbol &sampled : generated.function.symbols)
    if (sampled.name == symbol.getName() && (hasGuards || random.chance(60)))
      value = sampled.value;
  value = value / symbol.getDivisor() * symbol.getDivisor();
  // A version that no call could run is refused when it is made. Symbols that
  // have one value only are constants there.
  llvm::StringMap<int64_t> constants;
  for (auto other : declared.getAsRange<SymbolAttr>())
    if (other.getMin() == other.getMax())
      constants[other.getName()] = other.getMin();
  constants[symbol.getName()] = value;
  bool isPossible = !findImpossible(
      generated.function.function, [&](StringRef name) -> SizeExpr {
        auto found = constants.find(name);
        return found == constants.end()
                   ? SizeExpr()
                   : SizeExpr::constant(declared.getContext(), found->second);
      });
  if (isPossible && value >= symbol.getMin() && value <= symbol.getMax())
    generated.check.specialize.push_back("main:" + symbol.getName().str() +
                                         "=" + std::to_string(value));
}

/// One of the programs of the kind that is asked for.
static GeneratedModule generateScheduled(MLIRContext *context, Random &random,
                                         const GenerateOptions &options) {
  SmallVector<ScheduleProgram> programs;
  for (const ScheduleProgram &program : getSchedulePrograms())
    if (program.kind == options.onlySchedules)
      programs.push_back(program);
  GeneratedModule made = makeScheduleModule(
      context, random.pick<ScheduleProgram>(programs), random);
  made.check.target = random.pick<std::string>(options.targets);
  made.check.threads = options.threads;
  made.check.dumps = random.chance(10);
  return made;
}

GeneratedModule tc::fuzz::generateModule(MLIRContext *context, uint64_t seed,
                                         const GenerateOptions &options) {
  Random random(seed);
  if (!options.onlySchedules.empty())
    return generateScheduled(context, random, options);
  GeneratedModule generated;
  generated.module = ModuleOp::create(UnknownLoc::get(context));
  SampleOptions sample = drawSampleOptions(random);
  generated.check = drawCheckOptions(random, options);
  SmallVector<RegisteredOperationName> elementwise, others;
  for (RegisteredOperationName name : getSampledOps(context)) {
    bool isElementwise = name.hasInterface<ElementwiseOpInterface>();
    if (!options.only.empty()
            ? !llvm::is_contained(options.only, name.getStringRef())
            : sample.chain && !isElementwise && !isRowOp(name.getStringRef()))
      continue;
    (isElementwise ? elementwise : others).push_back(name);
  }
  // Elementwise ops, of which there are many, in less than half of the cases.
  int64_t otherPercent = sample.chain ? 75 : 55;
  Sampler sampler(*generated.module, "main", random.next(), sample);
  // The ops do not depend on how many there are, so that fewer are a prefix.
  Random choices(random.next());
  if (sample.chain && options.only.empty() && choices.chance(50))
    addRowChain(sampler, choices.between(2, 6));
  for (int64_t op = 0; op < options.ops; ++op) {
    bool other = elementwise.empty() ||
                 (!others.empty() && choices.chance(otherPercent));
    sampleOp(sampler, choices.pick<RegisteredOperationName>(
                          other ? others : elementwise));
  }
  generated.function = sampler.finish();
  drawSpecialisation(random, generated);
  if (generated.check.strides)
    addStrides(generated.function, random);
  return generated;
}

std::vector<Finding> tc::fuzz::checkSeed(MLIRContext *context, uint64_t seed,
                                         const GenerateOptions &options) {
  GeneratedModule generated = generateModule(context, seed, options);
  return checkModule(*generated.module, generated.function, seed,
                     generated.check);
}

GenerateOptions tc::fuzz::minimize(MLIRContext *context, uint64_t seed,
                                   GenerateOptions options) {
  if (!options.onlySchedules.empty())
    return options; // the program has the ops that it has
  for (int64_t ops = 1; ops < options.ops; ++ops) {
    GenerateOptions fewer = options;
    fewer.ops = ops;
    if (!checkSeed(context, seed, fewer).empty())
      return fewer;
  }
  return options;
}
