//===- Outputs.cpp - The outputs of a run ---------------------------------===//

#include "Support.h"
#include "TC/Runtime/Compare.h"
#include "TC/Runtime/TensorSpec.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace tc;
using namespace tc::runner;
using llvm::StringRef;

/// The tolerance that was asked for, or none.
static llvm::Expected<std::optional<runtime::Tolerance>>
parseTolerance(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  runtime::Tolerance tolerance;
  auto [relative, absolute] = StringRef(text).split(',');
  if (relative.getAsDouble(tolerance.relative) ||
      (!absolute.empty() && absolute.getAsDouble(tolerance.absolute)))
    return llvm::createStringError(
        "--tolerance=" + text +
        " is not of the form RELATIVE or RELATIVE,ABSOLUTE");
  if (absolute.empty())
    tolerance.absolute = tolerance.relative;
  return tolerance;
}

/// "main has 2 outputs"
static std::string describeCount(const RunResult &result) {
  return result.function + " has " + std::to_string(result.outputs.size()) +
         (result.outputs.size() == 1 ? " output" : " outputs");
}

/// Reads the expected outputs before anything is printed.
static llvm::Expected<Tensors> readExpected(const RunResult &result,
                                            const RunOptions &options) {
  Tensors expected;
  for (const std::string &spec : options.expectedOutputs) {
    std::optional<runtime::DType> dtype;
    if (expected.size() < result.outputs.size())
      dtype = result.outputs[expected.size()].dtype();
    auto parsed = runtime::parseInputSpec(spec, dtype);
    if (!parsed.ok())
      return llvm::createStringError("--expected_output=" + spec + ": " +
                                     parsed.error().toString());
    expected.insert(expected.end(), parsed->begin(), parsed->end());
  }
  if (!expected.empty() && expected.size() != result.outputs.size())
    return llvm::createStringError(
        "--expected_output= gives " + std::to_string(expected.size()) +
        (expected.size() == 1 ? " tensor" : " tensors") + ", but " +
        describeCount(result));
  return expected;
}

static llvm::Error writeOutputs(const RunResult &result,
                                const RunOptions &options, bool printDefault) {
  std::vector<runtime::OutputSpec> specs;
  for (const std::string &text : options.outputs) {
    auto spec = runtime::parseOutputSpec(text);
    if (!spec.ok())
      return llvm::createStringError("--output=" + text + ": " +
                                     spec.error().toString());
    specs.push_back(*spec);
  }
  if (specs.size() > result.outputs.size())
    return llvm::createStringError("--output= is given " +
                                   std::to_string(specs.size()) +
                                   " times, but " + describeCount(result));
  std::string text;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    runtime::OutputSpec spec;
    spec.action = runtime::OutputSpec::Action::Ignore;
    if (i < specs.size())
      spec = specs[i];
    else if (specs.empty() && printDefault)
      spec.action = runtime::OutputSpec::Action::Print;
    runtime::Status status =
        runtime::writeOutput(spec, result.outputs[i], text);
    if (!status.ok())
      return toError(status);
    if (spec.action == runtime::OutputSpec::Action::Print &&
        !StringRef(text).ends_with("\n"))
      text += "\n";
  }
  llvm::outs() << text;
  if (options.printMutations)
    for (const auto &[name, value] : result.mutations)
      llvm::outs() << "mutates " << name << ": " << runtime::printTensor(value)
                   << "\n";
  return llvm::Error::success();
}

llvm::Expected<bool> runner::handleOutputs(const RunResult &result,
                                           const RunOptions &options) {
  auto tolerance = parseTolerance(options.tolerance);
  if (!tolerance)
    return tolerance.takeError();
  auto expected = readExpected(result, options);
  if (!expected)
    return expected.takeError();
  bool printDefault = expected->empty() && !options.check;
  if (llvm::Error error = writeOutputs(result, options, printDefault))
    return std::move(error);
  bool allClose = true;
  for (size_t i = 0; i < expected->size(); ++i) {
    runtime::Comparison comparison =
        runtime::compareTensors(result.outputs[i], (*expected)[i], *tolerance);
    if (comparison.close)
      continue;
    allClose = false;
    llvm::errs() << "output " << i << " is not as expected: "
                 << StringRef(comparison.message).rtrim() << "\n";
  }
  return allClose;
}

namespace {
/// The largest difference of two tensors of equal type.
struct Difference {
  double absolute = 0, relative = 0;
};
} // namespace

static Difference measure(const runtime::Tensor &actual,
                          const runtime::Tensor &expected) {
  Difference difference;
  if (actual.typeString() != expected.typeString())
    return difference;
  for (int64_t i = 0; i < actual.elementCount(); ++i) {
    double a = runtime::loadAsDouble(actual.dtype(), actual.elementAddress(i));
    double e =
        runtime::loadAsDouble(expected.dtype(), expected.elementAddress(i));
    double error = std::fabs(a - e);
    if (!(error > 0))
      continue;
    difference.absolute = std::fmax(difference.absolute, error);
    if (e != 0)
      difference.relative =
          std::fmax(difference.relative, error / std::fabs(e));
  }
  return difference;
}

/// The tolerance against the interpreter: it rounds after every op and sums in
/// f64, while compiled code keeps f32 inside a kernel and sums in f32, so
/// errors scale with the largest element rather than with each.
static runtime::Tolerance toleranceOfFusion(const runtime::Tensor &expected) {
  runtime::Tolerance tolerance = runtime::defaultTolerance(expected.dtype());
  if (tolerance.relative == 0)
    return tolerance;
  if (runtime::dtypeSize(expected.dtype()) >= 4)
    tolerance.relative *= 8;
  double largest = 0;
  for (int64_t i = 0; i < expected.elementCount(); ++i) {
    double value = std::fabs(
        runtime::loadAsDouble(expected.dtype(), expected.elementAddress(i)));
    if (std::isfinite(value))
      largest = std::fmax(largest, value);
  }
  tolerance.absolute =
      std::fmax(tolerance.absolute, tolerance.relative * largest);
  return tolerance;
}

llvm::Expected<bool> runner::compareWithReference(const RunResult &actual,
                                                  const RunResult &expected,
                                                  const RunOptions &options) {
  auto tolerance = parseTolerance(options.tolerance);
  if (!tolerance)
    return tolerance.takeError();
  if (actual.outputs.size() != expected.outputs.size())
    return llvm::createStringError("the compiled function has " +
                                   std::to_string(actual.outputs.size()) +
                                   " outputs, in the interpreter it has " +
                                   std::to_string(expected.outputs.size()));
  bool allClose = true;
  auto compare = [&](const std::string &name, const runtime::Tensor &a,
                     const runtime::Tensor &e) {
    runtime::Comparison comparison = runtime::compareTensors(
        a, e, *tolerance ? **tolerance : toleranceOfFusion(e));
    Difference difference = measure(a, e);
    llvm::outs() << name << ": " << a.typeString() << ", largest difference "
                 << llvm::format("%.3g", difference.absolute) << " absolute, "
                 << llvm::format("%.3g", difference.relative) << " relative"
                 << (comparison.close ? "" : ": not close") << "\n";
    if (!comparison.close) {
      allClose = false;
      llvm::errs() << name << " differs from the interpreter: "
                   << StringRef(comparison.message).rtrim() << "\n";
    }
  };
  for (size_t i = 0; i < actual.outputs.size(); ++i)
    compare("output " + std::to_string(i), actual.outputs[i],
            expected.outputs[i]);
  for (size_t i = 0;
       i < std::min(actual.mutations.size(), expected.mutations.size()); ++i)
    compare("new value of " + actual.mutations[i].first,
            actual.mutations[i].second, expected.mutations[i].second);
  return allClose;
}
