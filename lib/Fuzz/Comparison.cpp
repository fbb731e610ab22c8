//===- Comparison.cpp - Whether a result is right -------------------------===//

#include "Comparison.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace tc::fuzz;
using tc::reference::ElementKind;
using tc::reference::Tensor;

/// Distance of 1 from the next number.
static double getPrecision(Type type) {
  if (!isa_and_nonnull<FloatType>(type))
    return 0;
  return std::ldexp(1.0, 1 - int(cast<FloatType>(type).getFPMantissaWidth()));
}

static bool isClose(double actual, double exact, double rounded,
                    double allowed) {
  auto isSame = [&](double expected) {
    return actual == expected || (std::isnan(actual) && std::isnan(expected));
  };
  if (isSame(exact) || isSame(rounded))
    return true;
  // Where rounding decides between a number and none, neither is wrong.
  if (std::isfinite(exact) != std::isfinite(rounded))
    return true;
  return std::isfinite(exact) && std::isfinite(actual) &&
         std::fabs(actual - exact) <= allowed + 4 * std::fabs(exact - rounded);
}

std::optional<std::string> tc::fuzz::compare(const Tensor &actual,
                                             const Expected &expected,
                                             Type lowest, double looseness) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (actual.getSizes() != expected.exact.getSizes() ||
      actual.getElementType() != expected.exact.getElementType()) {
    os << "is " << actual.str(0) << ", expected " << expected.exact.str(0);
    return text;
  }
  bool isFloat = actual.getKind() == ElementKind::Float;
  double largest = 1;
  for (int64_t i = 0; isFloat && i < actual.getElementCount(); ++i)
    if (std::isfinite(expected.exact.getDouble(i)))
      largest = std::max(largest, std::fabs(expected.exact.getDouble(i)));
  for (int64_t i = 0; i < actual.getElementCount(); ++i) {
    if (!isFloat && actual.words()[i] == expected.exact.words()[i])
      continue;
    if (isFloat) {
      double exact = expected.exact.getDouble(i);
      double allowed = 12 * looseness * getPrecision(lowest) * largest;
      if (isClose(actual.getDouble(i), exact, expected.rounded.getDouble(i),
                  allowed))
        continue;
      os << "element " << i << " is " << actual.getDouble(i) << ", expected "
         << exact << " (" << expected.rounded.getDouble(i) << " with rounding)";
    } else {
      os << "element " << i << " is " << actual.getInteger(i) << ", expected "
         << expected.exact.getInteger(i);
    }
    os << "; all: " << actual.str(24) << ", expected "
       << expected.exact.str(24);
    return text;
  }
  return std::nullopt;
}
