//===- PassMeaningTest.cpp - Passes keep what a module means --------------===//
//
// Runs every function of the passes' lit tests through the reference
// interpreter, before and after the pass, on random arguments. The same for the
// whole simplify phase, on what the conversion of captured calls gives.
//
//===----------------------------------------------------------------------===//

#include "ModuleMeaning.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tc;
using reference::Tensor;

namespace {

/// A pass or pipeline, and the lit test whose functions it is run on.
struct Case {
  const char *file;
  /// Run first: the functions' meaning is taken after it.
  const char *preparation;
  const char *pipeline;
  /// Nothing is rounded in `Double`; folding rounds as it would at run time.
  reference::Precision precision;
  double tolerance;
};

class PassMeaningTest : public ::testing::TestWithParam<Case> {
protected:
  PassMeaningTest() {
    context.loadDialect<TCDialect, func::FuncDialect>();
    [[maybe_unused]] static bool registered = (registerPasses(), true);
  }

  /// Symbols have these values; other expressions follow.
  static int64_t getSize(SizeExpr size) {
    return *size.evaluate(
        [](StringRef name) { return std::optional(name == "s0" ? 4 : 6); });
  }

  /// Numbers of both signs, or of one, so that no root is only ever of
  /// negative numbers; integers are small and not negative.
  Tensor makeArgument(Type type, bool isPositive) {
    return makeRandom(cast<RankedTensorType>(type),
                      {isPositive ? 0.1 : -2.0, 5}, getSize, engine);
  }

  static bool isSupported(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && reference::getElementKind(tensor.getElementType());
  }

  /// Results by function. One that fails, as an out-of-range pad or index
  /// does, has none, before and after.
  std::map<std::string, SmallVector<Tensor>> run(ModuleOp module,
                                                 bool isPositive) {
    engine.seed(7);
    reference::Options options;
    options.precision = GetParam().precision;
    std::map<std::string, Tensor> parameters;
    for (auto source : module.getOps<ParameterSourceOp>())
      parameters[source.getSymName().str()] =
          makeArgument(source.getType(), true);
    options.parameter = [&](ParameterSourceOp source) {
      return FailureOr<Tensor>(parameters[source.getSymName().str()]);
    };
    std::map<std::string, SmallVector<Tensor>> all;
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!llvm::all_of(function.getArgumentTypes(), isSupported))
        continue;
      std::vector<Tensor> arguments;
      for (Type type : function.getArgumentTypes())
        arguments.push_back(makeArgument(type, isPositive));
      auto results = reference::evaluateFunction(function, arguments, options);
      if (succeeded(results))
        all[function.getSymName().str()] = *results;
    }
    return all;
  }

  bool apply(ModuleOp module, StringRef pipeline) {
    PassManager manager(&context);
    return succeeded(parsePassPipeline(pipeline, manager)) &&
           succeeded(manager.run(module));
  }

  MLIRContext context;
  std::mt19937 engine;
};

TEST_P(PassMeaningTest, ResultsStayTheSame) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      std::string(TC_SOURCE_ROOT) + "/test/" + GetParam().file + ".mlir",
      &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(apply(*module, GetParam().preparation));
  auto signedBefore = run(*module, false), positiveBefore = run(*module, true);
  ASSERT_TRUE(apply(*module, GetParam().pipeline));
  auto signedAfter = run(*module, false), positiveAfter = run(*module, true);
  ASSERT_FALSE(signedBefore.empty());
  for (auto [before, after] : {std::pair(&signedBefore, &signedAfter),
                               std::pair(&positiveBefore, &positiveAfter)})
    for (auto &[name, results] : *before) {
      SCOPED_TRACE(name);
      ASSERT_EQ(results.size(), (*after)[name].size());
      for (auto [expected, actual] : llvm::zip_equal(results, (*after)[name]))
        // Constants of the module are in the element type, not in double.
        expectSame(expected, actual, GetParam().tolerance);
    }
}

/// One pass on its own test.
Case onItsTest(const char *file, const char *pass,
               reference::Precision precision = reference::Precision::Double) {
  return {file, "", pass, precision, 1e-5};
}

/// The phase on what the conversion of captured calls gives.
Case simplifyCaptured(const char *file) {
  return {file, "convert-aten-to-tc", "tc-phase-simplify",
          reference::Precision::Double, 1e-2};
}

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  std::string name = StringRef(info.param.file).rsplit('/').second.str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Pass, PassMeaningTest,
    ::testing::Values(
        onItsTest("Transforms/decompose-adaptive-avg-pool",
                  "func.func(tc-decompose-adaptive-avg-pool)"),
        onItsTest("Transforms/decompose-batch-norm",
                  "func.func(tc-decompose-batch-norm)"),
        onItsTest("Transforms/decompose-group-norm",
                  "func.func(tc-decompose-group-norm)"),
        onItsTest("Transforms/decompose-log-softmax",
                  "func.func(tc-decompose-log-softmax)"),
        onItsTest("Transforms/decompose-pad-modes",
                  "func.func(tc-decompose-pad-modes)"),
        onItsTest("Transforms/decompose-random",
                  "func.func(tc-decompose-random)"),
        onItsTest("Transforms/decompose-resample",
                  "func.func(tc-decompose-resample)"),
        onItsTest("Transforms/decompose-variance",
                  "func.func(tc-decompose-variance)"),
        onItsTest("Transforms/fold-algebraic-identities",
                  "func.func(tc-fold-algebraic-identities)"),
        onItsTest("Transforms/fold-batch-norm",
                  "func.func(tc-fold-batch-norm)"),
        onItsTest("Transforms/fold-constants", "func.func(tc-fold-constants)",
                  reference::Precision::Native),
        onItsTest("Transforms/fold-contraction-dims",
                  "func.func(tc-fold-contraction-dims)"),
        onItsTest("Transforms/hoist-parameter-computations",
                  "tc-hoist-parameter-computations"),
        onItsTest("Transforms/pack-parameters",
                  "tc-pack-parameters{min-bytes=64}"),
        onItsTest("Transforms/propagate-reshapes",
                  "func.func(tc-propagate-reshapes)"),
        onItsTest("Transforms/propagate-transposes",
                  "func.func(tc-propagate-transposes)"),
        onItsTest("Dialect/TC/canonicalize-shape", "canonicalize"),
        onItsTest("Dialect/TC/canonicalize-elementwise", "canonicalize")),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Simplify, PassMeaningTest,
    ::testing::Values(
        simplifyCaptured("Conversion/AtenToTC/activations"),
        simplifyCaptured("Conversion/AtenToTC/contractions"),
        simplifyCaptured("Conversion/AtenToTC/elementwise"),
        simplifyCaptured("Conversion/AtenToTC/factories-and-sorts"),
        simplifyCaptured("Conversion/AtenToTC/indexing"),
        simplifyCaptured("Conversion/AtenToTC/neural-networks"),
        simplifyCaptured("Conversion/AtenToTC/pooling"),
        simplifyCaptured("Conversion/AtenToTC/reductions"),
        simplifyCaptured("Conversion/AtenToTC/shapes"),
        simplifyCaptured("Conversion/AtenToTC/views")),
    nameOf);

} // namespace
