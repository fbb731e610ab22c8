//===- Comparison.cpp - Whether a result is right -------------------------===//

#include "TC/Fuzz/Comparison.h"
#include "BoundRules.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace tc::fuzz;
using tc::reference::Tensor;

static bool isRight(const Tensor &actual, const Bounded &expected, int64_t i) {
  double allowed = expected.error[i];
  if (std::isinf(allowed))
    return true;
  if (!isFloatTensor(actual))
    return actual.words()[i] == expected.value.words()[i];
  double value = actual.floats()[i], right = expected.value.floats()[i];
  if (std::isnan(right) || std::isnan(value))
    return std::isnan(right) && std::isnan(value);
  // Moved elements keep the sign of a zero.
  if (allowed == 0)
    return value == right && std::signbit(value) == std::signbit(right);
  return getDistance(value, right) <= allowed;
}

std::optional<std::string> tc::fuzz::compare(const Tensor &actual,
                                             const Bounded &expected) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (actual.getSizes() != expected.value.getSizes() ||
      actual.getElementType() != expected.value.getElementType()) {
    os << "is " << actual.str(0) << ", expected " << expected.value.str(0);
    return text;
  }
  int64_t wrong = 0, first = 0;
  for (int64_t i = actual.getElementCount() - 1; i >= 0; --i)
    if (!isRight(actual, expected, i)) {
      ++wrong;
      first = i;
    }
  if (wrong == 0)
    return std::nullopt;
  os << "is wrong in " << wrong << " of " << actual.getElementCount()
     << " elements: element " << first << " is ";
  if (isFloatTensor(actual))
    os << llvm::format("%.9g, expected %.9g within %.3g",
                       actual.getDouble(first), expected.value.getDouble(first),
                       expected.error[first]);
  else
    os << actual.getInteger(first) << ", expected "
       << expected.value.getInteger(first);
  os << "; all: " << actual.str(24) << ", expected " << expected.value.str(24);
  return text;
}
