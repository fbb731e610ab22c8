//===- SizeLimitsTest.cpp - Every op at the limits of its symbols ---------===//
//
// Functions of one op each on symbolic sizes, called with every symbol at 0, 1,
// in between and at its largest. Native code gives what the interpreter gives,
// or is refused where the interpreter is.
//
//===----------------------------------------------------------------------===//

#include "SampledOps.h"
#include "TC/Compiler/Compiler.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Runtime/Call.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::ElementKind;
using reference::Tensor;

namespace {

constexpr int64_t kLargest = 33;

/// Lets every symbol be anything in [0, kLargest].
void widenSymbols(func::FuncOp function) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!symbols)
    return;
  SmallVector<Attribute> wide;
  for (auto symbol : symbols.getAsRange<tc::SymbolAttr>())
    wide.push_back(
        tc::SymbolAttr::get(&getContext(), symbol.getName(), 0, kLargest, 1));
  function->setAttr(kSymbolsAttr, ArrayAttr::get(&getContext(), wide));
}

/// Arguments for these values of s0 and s1; nothing where a size is negative.
std::optional<std::vector<Tensor>> makeArguments(const SampledFunction &sampled,
                                                 Random &random, int64_t s0,
                                                 int64_t s1) {
  std::vector<Tensor> arguments;
  for (const InputSpec &spec : sampled.inputs) {
    auto valueOf = [&](StringRef name) -> std::optional<int64_t> {
      return name == "s0" ? s0 : s1;
    };
    SmallVector<int64_t> sizes;
    int64_t count = 1;
    for (SizeExpr size : getSizes(spec.type)) {
      sizes.push_back(size.evaluate(valueOf).value_or(-1));
      if (sizes.back() < 0)
        return std::nullopt;
      count *= sizes.back();
    }
    Type element = spec.type.getElementType();
    // An index of an empty dimension is out of range, whatever it is.
    int64_t limit =
        spec.limit ? std::max<int64_t>(*spec.limit.evaluate(valueOf), 1) : 0;
    std::vector<double> floats;
    std::vector<int64_t> integers;
    for (int64_t i = 0; i < count; ++i) {
      floats.push_back(double(random.between(-12, 12)) / 4);
      integers.push_back(spec.limit             ? random.below(limit)
                         : element.isInteger(1) ? random.below(2)
                                                : random.between(-9, 9));
    }
    arguments.push_back(isa<FloatType>(element)
                            ? Tensor::fromDoubles(element, sizes, floats)
                            : Tensor::fromIntegers(element, sizes, integers));
  }
  return arguments;
}

struct Outcome {
  std::string error; ///< empty when there are results
  SmallVector<Tensor> results;
};

Outcome interpret(func::FuncOp function, ArrayRef<Tensor> arguments) {
  Outcome outcome;
  ScopedDiagnosticHandler collect(&getContext(), [&](Diagnostic &diagnostic) {
    outcome.error += diagnostic.str();
    return success();
  });
  SmallVector<Tensor> copies;
  for (const Tensor &argument : arguments)
    copies.push_back(argument.clone());
  auto results = reference::evaluateFunction(function, copies, {});
  if (succeeded(results))
    outcome.results = *results;
  return outcome;
}

Outcome callNative(const CompiledModule &compiled, StringRef name,
                   ArrayRef<Tensor> arguments, ArrayRef<Type> resultTypes) {
  std::vector<runtime::Tensor> inputs;
  for (const Tensor &argument : arguments) {
    std::string element;
    llvm::raw_string_ostream(element) << argument.getElementType();
    auto input =
        runtime::Tensor::empty(*runtime::dtypeFromName(element),
                               runtime::Extents(argument.getSizes().data(),
                                                argument.getSizes().size()));
    argument.toBytes(
        MutableArrayRef(input->dataAs<char>(), input->byteCount()));
    inputs.push_back(*input);
  }
  auto parameters = bindParameters(compiled, {});
  auto values = parameters->current();
  Outcome outcome;
  auto outputs = runtime::Call(compiled.function(name.str()))
                     .inputs(inputs)
                     .parameters((*values)->addresses)
                     .outputs(int32_t(resultTypes.size()))
                     .run();
  if (!outputs.ok()) {
    outcome.error = outputs.error().message();
    return outcome;
  }
  for (auto [output, type] : llvm::zip_equal(*outputs, resultTypes)) {
    auto sizes = output.sizes();
    outcome.results.push_back(*Tensor::fromBytes(
        UnknownLoc::get(&getContext()),
        cast<RankedTensorType>(type).getElementType(),
        ArrayRef(sizes.data(), sizes.size()),
        ArrayRef<char>(output.dataAs<char>(), output.byteCount())));
  }
  return outcome;
}

/// The first element that is far from what it should be, if there is one.
std::string compareTensors(const Tensor &actual, const Tensor &expected) {
  if (actual.getSizes() != expected.getSizes())
    return "has sizes " + actual.str(0) + ", expected " + expected.str(0);
  for (int64_t i = 0; i < expected.getElementCount(); ++i) {
    bool isFloat = expected.getKind() == ElementKind::Float;
    double is = isFloat ? actual.getDouble(i) : double(actual.getInteger(i)),
           should =
               isFloat ? expected.getDouble(i) : double(expected.getInteger(i));
    bool isSame = is == should || (is != is && should != should);
    double allowed = isFloat ? 1e-3 * std::max(1.0, std::abs(should)) : 0;
    if (!isSame && !(std::abs(is - should) <= allowed))
      return "has " + std::to_string(is) + " at " + std::to_string(i) +
             ", expected " + std::to_string(should);
  }
  return "";
}

class SizeLimitsTest : public SampledOpTest {
protected:
  /// A few functions of the op, without repeats, those with symbols only.
  static std::vector<SampledFunction> sample(ModuleOp module) {
    std::vector<SampledFunction> functions;
    llvm::StringSet<> texts;
    RegisteredOperationName name = getName();
    bool isRow = name.hasInterface<ElementwiseOpInterface>();
    for (uint64_t seed = 0; seed < (isRow ? 1 : 10); ++seed) {
      SampleOptions options;
      options.symbolicSizes = true;
      options.views = seed % 2;
      const char *elements[] = {"f32", "i64", "i1"};
      for (const char *element : elements) {
        options.element = parseType(element, &getContext());
        Sampler sampler(module,
                        std::string(element) + "_" + std::to_string(seed),
                        seed * 7919 + 5, options);
        bool isTaken = sampleOp(sampler, name);
        SampledFunction function = sampler.finish();
        std::string body;
        llvm::raw_string_ostream os(body);
        function.function.getBody().front().print(os);
        bool isNew = function.function->hasAttr(kSymbolsAttr) &&
                     texts.insert(body).second;
        if (!isTaken || !isNew) {
          function.function.erase();
          continue;
        }
        widenSymbols(function.function);
        functions.push_back(function);
        break;
      }
    }
    return functions;
  }
};

TEST_P(SizeLimitsTest, NativeCodeDoesWhatTheInterpreterDoes) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&getContext()));
  std::vector<SampledFunction> functions = sample(*module);
  if (functions.empty())
    GTEST_SKIP() << "has no symbolic sizes";
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>((*module)->clone());
  CompileOptions options;
  options.reproducer = false;
  options.collectDiagnostics = true;
  auto compiled = tc::compile(*copy, options);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  Random random(11);
  const int64_t values[] = {0, 1, 2, 16, kLargest};
  for (const SampledFunction &sampled : functions) {
    func::FuncOp function = sampled.function;
    std::string text;
    llvm::raw_string_ostream(text) << function;
    for (int64_t s0 : values)
      for (int64_t s1 : values) {
        auto arguments = makeArguments(sampled, random, s0, s1);
        if (!arguments)
          continue;
        SCOPED_TRACE("s0 = " + std::to_string(s0) +
                     ", s1 = " + std::to_string(s1) + "\n" + text);
        Outcome expected = interpret(function, *arguments);
        Outcome actual = callNative(*compiled, function.getName(), *arguments,
                                    llvm::to_vector(function.getResultTypes()));
        ASSERT_EQ(expected.error.empty(), actual.error.empty())
            << "the interpreter: " << expected.error
            << "\nnative code: " << actual.error;
        if (StringRef(expected.error).contains("op expects"))
          ASSERT_EQ(actual.error, expected.error);
        for (auto [index, result] : llvm::enumerate(actual.results))
          ASSERT_EQ(compareTensors(result, expected.results[index]), "")
              << "result " << index;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SizeLimitsTest, getSampledOpNames(), getTestName);

} // namespace
