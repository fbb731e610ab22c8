//===- Check.cpp - Running a function every way and comparing -------------===//

#include "TC/Fuzz/Check.h"
#include "ModuleEdits.h"
#include "NativeCall.h"
#include "TC/Compiler/DiagnosticText.h"
#include "TC/Fuzz/Comparison.h"
#include "TC/Fuzz/ErrorBounds.h"
#include "TC/Reference/Dispatch.h"
#include "TC/Runtime/ThreadPool.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {
/// One function: its arguments and the results that are expected.
struct Case {
  std::string name;
  SampledInputs inputs;
  SmallVector<Bounded> expected;
  /// Why it has no results: the interpreter's error.
  std::string failure;
  std::string text;

  bool mustFail() const { return !failure.empty(); }
};

class Checker {
public:
  Checker(ModuleOp module, uint64_t seed, const CheckOptions &options)
      : module(module), seed(seed), random(seed ^ 0x5bd1e995),
        options(options) {}

  void expect(SampledFunction sampled, uint64_t caseSeed);
  void run();

  std::vector<Finding> findings;

private:
  bool runPhase(const PhaseInfo &phase, const CompileOptions &compile);
  void drawSchedules();
  void interpretAll(const std::string &way,
                    ArrayRef<reference::Precision> precisions);
  std::optional<SmallVector<Tensor>> interpret(const Case &function,
                                               reference::Precision precision,
                                               std::string &failure);
  void callAll(const CompiledModule &compiled);
  void compareAll(const Case &function, ArrayRef<Tensor> results,
                  const std::string &way);
  reference::Options getInterpreterOptions(const SampledInputs &inputs,
                                           reference::Precision precision);
  void report(const std::string &function, const std::string &message) {
    findings.push_back(
        {function,
         drawn.empty() ? message : message + "\nwith the schedules" + drawn});
  }

  ModuleOp module;
  OwningOpRef<ModuleOp> owned; ///< what was read back last
  uint64_t seed;
  Random random;
  const CheckOptions &options;
  std::vector<Case> cases;
  std::string drawn; ///< the schedules of all kernels, where all were drawn
};
} // namespace

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

reference::Options
Checker::getInterpreterOptions(const SampledInputs &inputs,
                               reference::Precision precision) {
  reference::Options interpreter;
  interpreter.precision = precision;
  interpreter.parameter = [&](ParameterSourceOp source) -> FailureOr<Tensor> {
    for (const auto &[name, tensor] : inputs.parameters)
      if (name == source.getSymName())
        return tensor;
    return source.emitOpError("has no sampled value");
  };
  return interpreter;
}

void Checker::expect(SampledFunction sampled, uint64_t caseSeed) {
  Random drawn(caseSeed);
  Case function;
  function.name = sampled.function.getSymName().str();
  function.inputs = makeInputs(sampled, drawn, options);
  llvm::raw_string_ostream(function.text) << sampled.function;
  DiagnosticText diagnostics(module.getContext(), true);
  auto expected = boundErrors(
      sampled.function, function.inputs.arguments,
      getInterpreterOptions(function.inputs, reference::Precision::Double));
  if (succeeded(expected))
    function.expected = *expected;
  else
    function.failure = diagnostics.get();
  if (StringRef(function.failure).contains("has no rule in lib/Fuzz"))
    return report(function.name, function.failure);
  // An op that the interpreter does not run proves nothing.
  if (StringRef(function.failure).contains("the reference interpreter"))
    return;
  cases.push_back(std::move(function));
}

std::optional<SmallVector<Tensor>>
Checker::interpret(const Case &function, reference::Precision precision,
                   std::string &failure) {
  DiagnosticText diagnostics(module.getContext(), true);
  std::vector<Tensor> arguments;
  for (const Tensor &input : function.inputs.arguments)
    arguments.push_back(input.clone());
  Operation *symbol = module.lookupSymbol(function.name);
  if (auto dispatch = dyn_cast_or_null<DispatchOp>(symbol)) {
    auto choice = reference::chooseVersion(dispatch, arguments);
    symbol = succeeded(choice) ? choice->version.getOperation() : nullptr;
  }
  if (auto op = dyn_cast_or_null<func::FuncOp>(symbol)) {
    auto results = reference::evaluateFunction(
        op, arguments, getInterpreterOptions(function.inputs, precision));
    if (succeeded(results))
      return *results;
  }
  failure = diagnostics.get();
  if (!symbol && failure.empty())
    failure = "the function is gone";
  return std::nullopt;
}

void Checker::interpretAll(const std::string &way,
                           ArrayRef<reference::Precision> precisions) {
  for (const Case &function : cases) {
    // Right if it is right in one of the precisions.
    std::vector<Finding> before = findings;
    for (reference::Precision precision : precisions) {
      findings = before;
      std::string failure;
      if (auto results = interpret(function, precision, failure))
        compareAll(function, *results, way);
      else if (!function.mustFail())
        report(function.name, way + ": the interpreter fails: " + failure);
      if (findings.size() == before.size())
        break;
    }
  }
}

void Checker::compareAll(const Case &function, ArrayRef<Tensor> results,
                         const std::string &way) {
  if (function.mustFail())
    return report(function.name, way + ": gives results, expected an error: " +
                                     function.failure);
  if (results.size() != function.expected.size())
    return report(function.name, way + ": " + std::to_string(results.size()) +
                                     " results, expected " +
                                     std::to_string(function.expected.size()));
  for (auto [index, result] : llvm::enumerate(results))
    if (auto wrong = compare(result, function.expected[index]))
      return report(function.name,
                    way + ": result " + std::to_string(index) + " " + *wrong);
}

//===----------------------------------------------------------------------===//
// Native code
//===----------------------------------------------------------------------===//

void Checker::callAll(const CompiledModule &compiled) {
  for (const Case &function : cases) {
    // The message for a crash in generated code.
    llvm::PrettyStackTraceString trace(function.text.c_str());
    std::vector<runtime::Tensor> first;
    for (unsigned threads : options.threads) {
      runtime::ThreadPool::global().setThreadCount(threads);
      std::string way = threads
                            ? "native, " + std::to_string(threads) + " threads"
                            : "native";
      auto outputs = callGuarded(compiled, function.name, function.inputs,
                                 seed + threads, options);
      if (!outputs.ok()) {
        if (!function.mustFail())
          report(function.name,
                 way + ": the call fails: " + outputs.error().toString());
        break;
      }
      SmallVector<Tensor> results;
      bool isSame = true;
      for (auto [index, output] : llvm::enumerate(*outputs)) {
        Type element = index < function.expected.size()
                           ? function.expected[index].value.getElementType()
                           : Type(IntegerType::get(module.getContext(), 8));
        if (!function.mustFail())
          results.push_back(toReference(output, element, module.getContext()));
        if (!first.empty() && output.isContiguous() &&
            first[index].isContiguous())
          isSame &= ArrayRef(output.dataAs<char>(), output.byteCount()) ==
                    ArrayRef(first[index].dataAs<char>(), output.byteCount());
      }
      compareAll(function, results, way);
      if (!isSame)
        report(function.name, way + ": other bits than with " +
                                  std::to_string(options.threads.front()));
      if (first.empty())
        first = *outputs;
      if (!findings.empty())
        break;
    }
    runtime::ThreadPool::global().setThreadCount(0);
  }
}

/// Runs one phase and checks what it leaves. False where that fails.
void Checker::drawSchedules() {
  std::vector<std::string> nameless =
      replaceSchedules(module, random, options.allSchedules ? 100 : 70);
  if (!options.allSchedules)
    return;
  for (const std::string &error : nameless)
    report("", "a schedule is refused without a name: " + error);
  llvm::raw_string_ostream os(drawn);
  module.walk([&](KernelOp kernel) {
    os << "\n  '" << kernel.getName() << "' with " << kernel.getScheduleAttr();
  });
}

bool Checker::runPhase(const PhaseInfo &phase, const CompileOptions &compile) {
  std::string name = phase.name().str();
  if (llvm::Error error = runPhases(module, phase.phase, compile)) {
    std::string text = llvm::toString(std::move(error));
    bool isRefusal = llvm::any_of(
        cases, [](const Case &function) { return function.mustFail(); });
    // Some tiles are refused, by name, where their code is generated.
    isRefusal |= options.schedules && phase.phase == Phase::Generate &&
                 StringRef(text).contains("' has the schedule #tc.");
    if (!isRefusal)
      report("", text);
    return false;
  }
  if (failed(verify(module))) {
    report("", "phase " + name + " leaves a module that does not verify");
    return false;
  }
  // Buffers hold rounded numbers: those that a kernel computes again must be
  // rounded too, or nothing else may be.
  static constexpr reference::Precision precisions[] = {
      reference::Precision::Double, reference::Precision::Native};
  if (options.everyPhase && phase.phase <= Phase::Bufferize)
    interpretAll("interpreted after phase " + name,
                 ArrayRef(precisions)
                     .take_front(phase.phase == Phase::Bufferize ? 2 : 1));
  if (options.schedules && phase.phase == Phase::Fuse)
    drawSchedules();
  if (!options.dumps)
    return true;
  std::string errors;
  {
    DiagnosticText diagnostics(module.getContext(), true);
    OwningOpRef<ModuleOp> read = printAndParse(module, random);
    errors = diagnostics.get();
    if (read) {
      owned = std::move(read);
      module = *owned;
      return true;
    }
  }
  report("", "what phase " + name + " leaves cannot be read back: " + errors);
  return false;
}

void Checker::run() {
  CompileOptions compile;
  compile.target = options.target;
  compile.specialize = options.specialize;
  compile.reproducer = false;
  compile.collectDiagnostics = true;
  auto target = CPUTarget::parse(options.target);
  if (!target)
    return report("", llvm::toString(target.takeError()));
  compile.load = target->featuresMissingOnHost().empty();
  if (options.cores > 0)
    module->setAttr(
        kCoresAttr,
        Builder(module.getContext()).getI64IntegerAttr(options.cores));
  for (const PhaseInfo &phase : getPhases())
    if (!runPhase(phase, compile))
      return;
  auto compiled = tc::compile(module, compile);
  if (!compiled)
    return report("", llvm::toString(compiled.takeError()));
  if (compile.load && findings.empty())
    callAll(*compiled);
}

std::vector<Finding> tc::fuzz::checkModule(ModuleOp module,
                                           ArrayRef<SampledFunction> functions,
                                           uint64_t seed,
                                           const CheckOptions &options) {
  llvm::EnablePrettyStackTrace();
  Checker checker(module, seed, options);
  for (auto [index, function] : llvm::enumerate(functions))
    checker.expect(function, seed + index);
  checker.run();
  return checker.findings;
}
