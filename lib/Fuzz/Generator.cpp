//===- Generator.cpp - Random modules -------------------------------------===//

#include "TC/Fuzz/Generator.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

OwningOpRef<ModuleOp> tc::fuzz::generateModule(MLIRContext *context,
                                               uint64_t seed,
                                               const GenerateOptions &options,
                                               SampledFunction &function) {
  Random random(seed);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  SampleOptions sample;
  sample.symbolicSizes = random.chance(35);
  sample.emptySizes = random.chance(8);
  sample.views = random.chance(40);
  sample.reuse = 75;
  sample.largestSize = random.chance(25) ? 40 : 7;
  SmallVector<RegisteredOperationName> names;
  for (RegisteredOperationName name : getSampledOps(context))
    if (options.only.empty() ||
        llvm::is_contained(options.only, name.getStringRef()))
      names.push_back(name);
  // Elementwise ops, of which there are many, in less than half of the cases.
  SmallVector<RegisteredOperationName> elementwise, others;
  for (RegisteredOperationName name : names)
    (name.hasInterface<ElementwiseOpInterface>() ? elementwise : others)
        .push_back(name);
  Sampler sampler(*module, "main", random.next(), sample);
  // The ops do not depend on how many there are, so that fewer are a prefix.
  Random choices(random.next());
  for (int64_t op = 0; op < options.ops; ++op) {
    bool other = elementwise.empty() || (!others.empty() && choices.chance(55));
    sampleOp(sampler, choices.pick<RegisteredOperationName>(
                          other ? others : elementwise));
  }
  function = sampler.finish();
  return module;
}

std::vector<Finding> tc::fuzz::checkSeed(MLIRContext *context, uint64_t seed,
                                         const GenerateOptions &options) {
  SampledFunction function;
  OwningOpRef<ModuleOp> module =
      generateModule(context, seed, options, function);
  CheckOptions check;
  check.everyPhase = true;
  // Rounded results go on through other ops.
  check.looseness = 40;
  return checkModule(*module, function, seed, check);
}

GenerateOptions tc::fuzz::minimize(MLIRContext *context, uint64_t seed,
                                   GenerateOptions options) {
  for (int64_t ops = 1; ops < options.ops; ++ops) {
    GenerateOptions fewer = options;
    fewer.ops = ops;
    if (!checkSeed(context, seed, fewer).empty())
      return fewer;
  }
  return options;
}
