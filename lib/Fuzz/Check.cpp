//===- Check.cpp - Running a function every way and comparing -------------===//

#include "TC/Fuzz/Check.h"
#include "Comparison.h"
#include "TC/Compiler/Compiler.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Runtime/Call.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Precision;
using reference::Tensor;

namespace {
/// One function: what it is called with and should give.
struct Case {
  std::string name;
  std::vector<Tensor> inputs;
  std::vector<Expected> expected;
  Type lowest; ///< least precise float type in it
  std::string text;
};

class Checker {
public:
  Checker(ModuleOp module, const CheckOptions &options)
      : module(module), options(options) {}

  void expect(SampledFunction sampled, uint64_t seed);
  void run();

  std::vector<Finding> findings;

private:
  std::optional<SmallVector<Tensor>>
  interpret(const Case &function, Precision precision, std::string way);
  void compareAll(const Case &function, ArrayRef<Tensor> results,
                  const std::string &way);
  std::optional<SmallVector<Tensor>> call(const CompiledModule &compiled,
                                          const Case &function);
  void report(const std::string &function, const std::string &message) {
    findings.push_back({function, message});
  }

  ModuleOp module;
  const CheckOptions &options;
  std::vector<Case> cases;
};
} // namespace

static Type getLowest(func::FuncOp function) {
  Type lowest;
  auto visit = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto element =
        tensor ? dyn_cast<FloatType>(tensor.getElementType()) : FloatType();
    if (element &&
        (!lowest || element.getFPMantissaWidth() <
                        cast<FloatType>(lowest).getFPMantissaWidth()))
      lowest = element;
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getOperandTypes(), visit);
    llvm::for_each(op->getResultTypes(), visit);
  });
  return lowest;
}

std::optional<SmallVector<Tensor>>
Checker::interpret(const Case &function, Precision precision, std::string way) {
  std::string errors;
  ScopedDiagnosticHandler collect(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    errors += diagnostic.str() + "\n";
                                    return success();
                                  });
  auto op = module.lookupSymbol<func::FuncOp>(function.name);
  if (!op) {
    report(function.name, way + ": the function is gone");
    return std::nullopt;
  }
  std::vector<Tensor> arguments;
  for (const Tensor &input : function.inputs)
    arguments.push_back(input.clone());
  reference::Options interpreter;
  interpreter.precision = precision;
  auto results = reference::evaluateFunction(op, arguments, interpreter);
  if (succeeded(results))
    return *results;
  report(function.name, way + ": the interpreter fails: " + errors);
  return std::nullopt;
}

void Checker::expect(SampledFunction sampled, uint64_t seed) {
  Random random(seed);
  Case function;
  function.name = sampled.function.getSymName().str();
  function.inputs = makeInputs(sampled, random, options.specialValues);
  function.lowest = getLowest(sampled.function);
  llvm::raw_string_ostream(function.text) << sampled.function;
  auto exact = interpret(function, Precision::Double, "as sampled");
  if (!exact)
    return;
  auto rounded = interpret(function, Precision::Native, "as sampled");
  if (!rounded)
    return;
  for (auto [e, r] : llvm::zip_equal(*exact, *rounded))
    function.expected.push_back({e, r});
  cases.push_back(std::move(function));
}

void Checker::compareAll(const Case &function, ArrayRef<Tensor> results,
                         const std::string &way) {
  if (results.size() != function.expected.size())
    return report(function.name, way + ": " + std::to_string(results.size()) +
                                     " results, expected " +
                                     std::to_string(function.expected.size()));
  for (auto [index, result] : llvm::enumerate(results))
    if (auto wrong = compare(result, function.expected[index], function.lowest,
                             options.looseness))
      return report(function.name,
                    way + ": result " + std::to_string(index) + " " + *wrong);
}

static runtime::Expected<runtime::Tensor> toRuntime(const Tensor &tensor) {
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  auto result = runtime::Tensor::empty(
      *runtime::dtypeFromName(element),
      runtime::Extents(tensor.getSizes().data(), tensor.getSizes().size()));
  if (result.ok())
    tensor.toBytes(
        MutableArrayRef(result->dataAs<char>(), result->byteCount()));
  return result;
}

std::optional<SmallVector<Tensor>> Checker::call(const CompiledModule &compiled,
                                                 const Case &function) {
  // What a crash in generated code says.
  llvm::PrettyStackTraceString trace(function.text.c_str());
  std::vector<runtime::Tensor> inputs;
  for (const Tensor &input : function.inputs) {
    auto made = toRuntime(input);
    if (!made.ok()) {
      report(function.name, "native: " + made.error().toString());
      return std::nullopt;
    }
    inputs.push_back(*made);
  }
  // What does not depend on the inputs is computed ahead.
  auto parameters = bindParameters(compiled, {});
  auto values = parameters->current();
  if (!values.ok()) {
    report(function.name,
           "native: @tc.prepare fails: " + values.error().toString());
    return std::nullopt;
  }
  auto outputs = runtime::Call(compiled.function(function.name))
                     .inputs(inputs)
                     .parameters((*values)->addresses)
                     .outputs(int32_t(function.expected.size()))
                     .run();
  if (!outputs.ok()) {
    report(function.name,
           "native: the call fails: " + outputs.error().toString());
    return std::nullopt;
  }
  SmallVector<Tensor> results;
  for (auto [output, expected] : llvm::zip_equal(*outputs, function.expected)) {
    ArrayRef<char> bytes(output.dataAs<char>(), output.byteCount());
    auto sizes = output.sizes();
    results.push_back(*Tensor::fromBytes(
        UnknownLoc::get(module.getContext()), expected.exact.getElementType(),
        ArrayRef(sizes.data(), sizes.size()), bytes));
  }
  return results;
}

void Checker::run() {
  CompileOptions compile;
  compile.target = options.target;
  compile.reproducer = false;
  compile.collectDiagnostics = true;
  compile.afterPhase = [&](const PhaseInfo &phase, ModuleOp) {
    if (failed(verify(module)))
      report("", "phase " + phase.name.str() +
                     " leaves a module that does "
                     "not verify");
    if (!options.everyPhase || phase.phase > Phase::Bufferize)
      return;
    std::string way = "interpreted after phase " + phase.name.str();
    for (const Case &function : cases)
      if (auto results = interpret(function, Precision::Double, way))
        compareAll(function, *results, way);
  };
  auto compiled = tc::compile(module, compile);
  if (!compiled)
    return report("", llvm::toString(compiled.takeError()));
  for (const Case &function : cases)
    if (auto results = call(*compiled, function))
      compareAll(function, *results, "native");
}

std::vector<Finding> tc::fuzz::checkModule(ModuleOp module,
                                           ArrayRef<SampledFunction> functions,
                                           uint64_t seed,
                                           const CheckOptions &options) {
  llvm::EnablePrettyStackTrace();
  Checker checker(module, options);
  for (auto [index, function] : llvm::enumerate(functions))
    checker.expect(function, seed + index);
  checker.run();
  return checker.findings;
}
