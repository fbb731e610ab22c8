//===- Outputs.cpp - The outputs of a run ---------------------------------===//

#include "Outputs.h"
#include "TC/Runtime/Compare.h"
#include "TC/Runtime/TensorPrint.h"
#include "TC/Runtime/TensorSpec.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runner;
using llvm::StringRef;

llvm::Expected<std::optional<runtime::Tolerance>>
runner::parseTolerance(const std::string &text) {
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
  if (!(tolerance.relative >= 0) || !(tolerance.absolute >= 0))
    return llvm::createStringError("--tolerance=" + text +
                                   " is below 0, expected at least 0");
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

static double elementAsDouble(const runtime::Tensor &tensor, int64_t index) {
  return runtime::loadAsDouble(tensor.dtype(), tensor.elementAddress(index));
}

static Difference measure(const runtime::Tensor &actual,
                          const runtime::Tensor &expected) {
  Difference difference;
  if (actual.typeString() != expected.typeString())
    return difference;
  for (int64_t i = 0; i < actual.elementCount(); ++i) {
    double a = elementAsDouble(actual, i), e = elementAsDouble(expected, i);
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

/// The finite elements' root mean square difference from `exact`, in f64, or
/// infinity where one of the two is not finite and the other differs.
static double rootMeanSquareError(const runtime::Tensor &tensor,
                                  const runtime::Tensor &exact) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < exact.elementCount(); ++i) {
    double value = elementAsDouble(tensor, i),
           wanted = elementAsDouble(exact, i);
    if (std::isfinite(value) && std::isfinite(wanted)) {
      sum += (value - wanted) * (value - wanted);
      ++count;
    } else if (value != wanted && !(std::isnan(value) && std::isnan(wanted))) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return count ? std::sqrt(sum / double(count)) : 0;
}

/// A unit in the last place of `dtype`, of the root mean square of `exact`.
static double unitInLastPlace(runtime::DType dtype,
                              const runtime::Tensor &exact) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < exact.elementCount(); ++i) {
    double value = elementAsDouble(exact, i);
    if (std::isfinite(value))
      sum += value * value, ++count;
  }
  int digits = dtype == runtime::DType::BF16  ? 8
               : dtype == runtime::DType::F16 ? 11
               : dtype == runtime::DType::F64 ? 53
                                              : 24;
  return count && sum > 0
             ? std::ldexp(1.0, std::ilogb(std::sqrt(sum / double(count))) + 1 -
                                   digits)
             : 0;
}

namespace {
/// Compares outputs and new values with the interpreter's, in as many
/// precisions as it takes.
class ReferenceComparison {
public:
  ReferenceComparison(Interpret interpret,
                      std::optional<runtime::Tolerance> tolerance)
      : interpret(interpret), tolerance(tolerance) {}

  llvm::Expected<bool> compare(const RunResult &actual);

private:
  /// Finds a tensor in a result.
  using Get = llvm::function_ref<const runtime::Tensor &(const RunResult &)>;
  /// Whether a float tensor is as near to the f64 result as sums in f32 are.
  llvm::Expected<bool> isAsExact(const runtime::Tensor &actual, Get get);
  llvm::Expected<bool> compare(const std::string &name,
                               const runtime::Tensor &actual, Get get);

  Interpret interpret;
  std::optional<runtime::Tolerance> tolerance;
  std::optional<RunResult> expected, chained, exact;
};
} // namespace

llvm::Expected<bool>
ReferenceComparison::isAsExact(const runtime::Tensor &actual, Get get) {
  if (!runtime::isFloat(actual.dtype()) || tolerance)
    return false;
  for (auto [result, precision] :
       {std::pair(&chained, reference::Precision::Chained),
        std::pair(&exact, reference::Precision::Double)}) {
    if (result->has_value())
      continue;
    auto interpreted = interpret(precision);
    if (!interpreted)
      return interpreted.takeError();
    *result = std::move(*interpreted);
  }
  const runtime::Tensor &best = get(*exact);
  double allowed = 1.1 * rootMeanSquareError(get(*chained), best) +
                   0.1 * unitInLastPlace(actual.dtype(), best);
  return rootMeanSquareError(actual, best) <= allowed;
}

llvm::Expected<bool> ReferenceComparison::compare(const std::string &name,
                                                  const runtime::Tensor &actual,
                                                  Get get) {
  const runtime::Tensor &wanted = get(*expected);
  runtime::Comparison comparison =
      runtime::compareTensors(actual, wanted, tolerance);
  bool close = comparison.close;
  if (!close && actual.typeString() == wanted.typeString()) {
    auto asExact = isAsExact(actual, get);
    if (!asExact)
      return asExact.takeError();
    close = *asExact;
  }
  Difference difference = measure(actual, wanted);
  llvm::outs() << name << ": " << actual.typeString() << ", largest difference "
               << llvm::format("%.3g", difference.absolute) << " absolute, "
               << llvm::format("%.3g", difference.relative) << " relative"
               << (close ? "" : ": not close") << "\n";
  if (!close)
    llvm::errs() << name << " differs from the interpreter: "
                 << StringRef(comparison.message).rtrim() << "\n";
  return close;
}

llvm::Expected<bool> ReferenceComparison::compare(const RunResult &actual) {
  auto interpreted = interpret(reference::Precision::Native);
  if (!interpreted)
    return interpreted.takeError();
  expected = std::move(*interpreted);
  if (actual.outputs.size() != expected->outputs.size())
    return llvm::createStringError("the compiled function has " +
                                   std::to_string(actual.outputs.size()) +
                                   " outputs, in the interpreter it has " +
                                   std::to_string(expected->outputs.size()));
  bool allClose = true;
  for (size_t i = 0; i < actual.outputs.size(); ++i) {
    auto close = compare("output " + std::to_string(i), actual.outputs[i],
                         [i](const RunResult &result) -> const auto & {
                           return result.outputs[i];
                         });
    if (!close)
      return close;
    allClose &= *close;
  }
  size_t mutations =
      std::min(actual.mutations.size(), expected->mutations.size());
  for (size_t i = 0; i < mutations; ++i) {
    auto close = compare("new value of " + actual.mutations[i].first,
                         actual.mutations[i].second,
                         [i](const RunResult &result) -> const auto & {
                           return result.mutations[i].second;
                         });
    if (!close)
      return close;
    allClose &= *close;
  }
  return allClose;
}

llvm::Expected<bool> runner::compareWithReference(const RunResult &actual,
                                                  Interpret interpret,
                                                  const RunOptions &options) {
  auto tolerance = parseTolerance(options.tolerance);
  if (!tolerance)
    return tolerance.takeError();
  return ReferenceComparison(interpret, *tolerance).compare(actual);
}
